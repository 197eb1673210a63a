# cmake --install BUILD --prefix P: the library libduet with its headers and CMake package, and the program.
# docs/embedding.md tells how a program of one's own uses it; tests/install builds one.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(DUET_LIBRARY_FOLDERS core trace comm moe parallel model train)  # cli is the program's
set(DUET_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/Duet")

get_property(_cli_units GLOBAL PROPERTY DUET_UNITS_cli)
duet_objects(_library_objects LESS ${_cli_units})
add_library(libduet STATIC ${_library_objects})
set_target_properties(libduet PROPERTIES OUTPUT_NAME duet EXPORT_NAME duet LINKER_LANGUAGE CXX)
target_compile_features(libduet INTERFACE cxx_std_20)
# Headers name each other "moe/layer.h"; a program may write <duet/moe/layer.h>.
target_include_directories(libduet INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/duet>)
target_link_libraries(libduet PUBLIC LibTorch::torch Threads::Threads PRIVATE fmt::fmt ${DUET_TRANSPORT_LIBRARIES})

install(TARGETS libduet EXPORT Duet ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
get_filename_component(DUET_BUILT_WITH_LIBTORCH "${LibTorch_INCLUDE_DIR}/.." ABSOLUTE)
# LibTorch stays where it is. CMake's own way (INSTALL_RPATH_USE_LINK_PATH) passes over what lies in the source folder,
# as .venv does.
set_target_properties(duet PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON INSTALL_RPATH "${DUET_BUILT_WITH_LIBTORCH}/lib")
install(TARGETS duet RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
foreach(_folder IN LISTS DUET_LIBRARY_FOLDERS)
  # json_*.h is between trace's own files: without it no program needs nlohmann-json.
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/${_folder}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/duet"
    FILES_MATCHING PATTERN "*.h" PATTERN "json_*.h" EXCLUDE REGEX "/comm/(mpi|nccl)/" EXCLUDE)
endforeach()
# Of these two transports the ways to start ranks; what lies behind them includes MPI's, NCCL's and fmt's headers.
foreach(_header mpi/run_mpi nccl/run_nccl nccl/run_nccl_launched nccl/signal)
  get_filename_component(_folder ${_header} DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/src/comm/${_header}.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/duet/comm/${_folder}")
endforeach()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/DuetConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/DuetConfig.cmake" INSTALL_DESTINATION "${DUET_PACKAGE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/DuetConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/DuetConfig.cmake" "${PROJECT_BINARY_DIR}/DuetConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FindLibTorch.cmake" DESTINATION "${DUET_PACKAGE_DIR}")
install(EXPORT Duet NAMESPACE Duet:: FILE DuetTargets.cmake DESTINATION "${DUET_PACKAGE_DIR}")
