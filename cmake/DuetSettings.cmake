# What every target of ours is compiled with, and the one precompiled header.
set(DUET_SANITIZE "" CACHE STRING "sanitizers, as -fsanitize takes them")

# LibTorch ships headers of another fmt. The linked library's come first, through a folder that holds nothing else.
find_path(DUET_FMT_INCLUDE_DIR fmt/format.h REQUIRED)
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include")
file(CREATE_LINK "${DUET_FMT_INCLUDE_DIR}/fmt" "${PROJECT_BINARY_DIR}/include/fmt" SYMBOLIC)

# A faster linker where there is one: an edit is linked in a third of the time.
find_program(DUET_LINKER NAMES ld.mold ld.lld ld.gold DOC "the linker that g++ -fuse-ld is given")
if(DUET_LINKER)
  get_filename_component(_linker "${DUET_LINKER}" EXT)
  string(REPLACE "." "-fuse-ld=" _linker "${_linker}")
  add_link_options(${_linker})
endif()

# duet_compile_settings(target [LENIENT])   LENIENT: warnings are shown and stop nothing (code that is not ours)
function(duet_compile_settings target)
  cmake_parse_arguments(ARG "LENIENT" "" "" ${ARGN})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_include_directories(${target} SYSTEM BEFORE PRIVATE "${PROJECT_BINARY_DIR}/include")
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)  # false at -O2 for "a" + std::string (GCC bug 105651)
  endif()
  if(NOT ARG_LENIENT)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(DUET_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${DUET_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${DUET_SANITIZE})
  endif()
  target_link_libraries(${target} PRIVATE Threads::Threads fmt::fmt ${DUET_TRANSPORT_LIBRARIES})
endfunction()

# Compiles core/tensor.h once a preset; it weighs 264 MB, so every other target reuses it.
function(duet_make_precompiled_header)
  file(WRITE "${PROJECT_BINARY_DIR}/pch.cpp" "")
  add_library(duet_pch OBJECT "${PROJECT_BINARY_DIR}/pch.cpp")
  duet_compile_settings(duet_pch)
  target_link_libraries(duet_pch PRIVATE LibTorch::cpu)
  target_precompile_headers(duet_pch PRIVATE "${PROJECT_SOURCE_DIR}/src/core/tensor.h")
endfunction()

function(duet_use_torch target)
  target_link_libraries(${target} PRIVATE LibTorch::cpu)
  target_precompile_headers(${target} REUSE_FROM duet_pch)
endfunction()
