# nvcc, and what our .cu files are compiled with. Included with DUET_CUDA, after find_package(LibTorch).
#
# An nvcc of LibTorch's own CUDA major version is looked for in $CUDACXX, $CUDA_HOME, the PATH, /usr/local/cuda and
# beside LibTorch's wheel, where requirements/nvcc.txt puts one. Another major would call another CUDA runtime than
# LibTorch does.
function(duet_find_nvcc)
  get_filename_component(beside_wheel "${LibTorch_CUDART_LIBRARY}/../../bin" ABSOLUTE)
  find_program(on_path nvcc NO_CACHE)
  set(seen "")
  set(places "$ENV{CUDACXX}" "$ENV{CUDA_HOME}/bin/nvcc" "${on_path}" /usr/local/cuda/bin/nvcc "${beside_wheel}/nvcc")
  list(REMOVE_DUPLICATES places)
  foreach(nvcc IN LISTS places)
    if(NOT EXISTS "${nvcc}")
      continue()
    endif()
    execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE version ERROR_QUIET)
    string(REGEX MATCH "release ([0-9]+)\\.[0-9]+" version "${version}")
    if(CMAKE_MATCH_1 STREQUAL LibTorch_CUDA_MAJOR)
      set(CMAKE_CUDA_COMPILER "${nvcc}" CACHE FILEPATH "the nvcc that compiles .cu files")
      return()
    endif()
    string(APPEND seen "\n  ${nvcc}: ${version}")
  endforeach()
  message(FATAL_ERROR "no nvcc ${LibTorch_CUDA_MAJOR} was found, as LibTorch's CUDA needs.${seen}
fix: DUET_PRESET=cuda ./duet setup brings one, or set CUDACXX to an nvcc ${LibTorch_CUDA_MAJOR}")
endfunction()

if(NOT CMAKE_CUDA_COMPILER)
  duet_find_nvcc()
endif()
# From Turing on; what is newer than Hopper compiles its own from the last one's PTX.
set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 90-real 90-virtual CACHE STRING "GPUs that kernels are compiled for")
set(CMAKE_CUDA_RUNTIME_LIBRARY None)  # LibTorch's own is linked
if(NOT CMAKE_CUDA_FLAGS)
  # CMake tries nvcc by linking a program. Beside the wheel its libraries lie where it does not look by itself.
  get_filename_component(_cuda_root "${CMAKE_CUDA_COMPILER}/../.." ABSOLUTE)
  if(EXISTS "${_cuda_root}/lib/libcudart_static.a" AND NOT EXISTS "${_cuda_root}/lib64")
    set(CMAKE_CUDA_FLAGS "-L${_cuda_root}/lib" CACHE STRING "flags of nvcc")
  endif()
endif()
enable_language(CUDA)

# The CUDA headers for our .cpp files; LibTorch's own are without them.
find_path(DUET_CUDA_INCLUDE_DIR crt/host_defines.h HINTS ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES} NO_DEFAULT_PATH REQUIRED)
target_include_directories(LibTorch::cuda SYSTEM INTERFACE "${DUET_CUDA_INCLUDE_DIR}")

# The host compiler's warnings that nvcc's own generated code does not set off.
function(duet_cuda_settings target)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  set_target_properties(${target} PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE --Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror)
endfunction()
