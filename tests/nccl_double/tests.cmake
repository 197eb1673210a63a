# The NCCL transport over a double of NCCL and CUDA, so that its logic is tested where no GPU is: the tests of tests/comm
# once more, and each way to fail. Without DUET_CUDA the transport compiles against the double's own headers, which cost
# no download (NCCL's package is 200 MB for one header); with it, transport and double compile against NVIDIA's, and the
# program still runs without a GPU, for the double's calls come before those of the libraries.
set(nccl_transport "")
if(NOT DUET_CUDA)
  add_library(duet_nccl INTERFACE)
  target_include_directories(duet_nccl SYSTEM INTERFACE "${CMAKE_CURRENT_LIST_DIR}/include")
  get_property(nccl_units GLOBAL PROPERTY DUET_NCCL_UNITS)
  foreach(unit IN LISTS nccl_units)
    string(REPLACE "/" "_" target "on_double_${unit}")
    add_library(${target} OBJECT "${PROJECT_SOURCE_DIR}/src/${unit}.cpp")
    duet_compile_settings(${target})
    target_link_libraries(${target} PRIVATE duet_nccl)
    list(APPEND nccl_transport $<TARGET_OBJECTS:${target}>)
  endforeach()
endif()

add_library(nccl_double OBJECT nccl_double/clique.cpp nccl_double/cuda.cpp nccl_double/engine.cpp nccl_double/nccl.cpp
  nccl_double/values.cpp)
add_library(nccl_double_tests OBJECT nccl_double/main.cpp nccl_double/faults_test.cpp nccl_double/process_test.cpp)
foreach(target nccl_double nccl_double_tests)
  duet_compile_settings(${target})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE duet_nccl GTest::gtest GTest::gmock)
endforeach()

set(nccl_tests nccl_double nccl_double_tests)
foreach(test collectives messages split events disagreement failure)
  list(APPEND nccl_tests test_object_comm_${test})
endforeach()
duet_objects(nccl_plain PLAIN)
duet_link_test(test_comm_nccl "${nccl_tests}" "${nccl_plain};${nccl_transport}")
add_test(NAME comm_nccl
  COMMAND test_comm_nccl --gtest_output=xml:${PROJECT_BINARY_DIR}/results/comm_nccl.xml)

# duet_nccl_double_test(name OBJECTS objects... TESTS comm/tensors...)
#   the ctest NAME and its program: tests that use tensors, on the NCCL transport
function(duet_nccl_double_test name)
  cmake_parse_arguments(ARG "" "" "TESTS;OBJECTS" ${ARGN})
  add_executable(test_${name} nccl_double/tensors_main.cpp ${ARG_OBJECTS} ${nccl_transport}
    $<TARGET_OBJECTS:nccl_double>)
  foreach(test IN LISTS ARG_TESTS)
    string(REPLACE "/" "_" flat ${test})
    target_sources(test_${name} PRIVATE $<TARGET_OBJECTS:test_object_${flat}>)
  endforeach()
  duet_compile_settings(test_${name})
  target_include_directories(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(test_${name} PRIVATE duet_nccl GTest::gmock GTest::gtest LibTorch::torch)
  add_test(NAME ${name} COMMAND test_${name} --gtest_filter=-GoogleTestVerification.*
    --gtest_output=xml:${PROJECT_BINARY_DIR}/results/${name}.xml)
endfunction()
