# Finds LibTorch's headers and libraries without asking for a CUDA toolkit, as torch's own package does.
#
# Looks in -DDUET_LIBTORCH / $DUET_LIBTORCH (an unpacked LibTorch or a `torch` Python package), then in
# .venv. Defines LibTorch_VERSION and the targets
#   LibTorch::cpu     libtorch_cpu and libc10
#   LibTorch::cuda    with COMPONENTS cuda: libtorch_cuda, libc10_cuda and the CUDA runtime that they were built with, whose
#                     major version is LibTorch_CUDA_MAJOR
#   LibTorch::torch   all of it: what a program links
set(DUET_LIBTORCH "$ENV{DUET_LIBTORCH}" CACHE PATH "a LibTorch to use instead of the one in .venv")
file(GLOB _venv_torch "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch")
find_path(LibTorch_INCLUDE_DIR ATen/core/Tensor.h
  HINTS "${DUET_LIBTORCH}" ${_venv_torch} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_library(LibTorch_CPU_LIBRARY torch_cpu HINTS "${LibTorch_INCLUDE_DIR}/../lib" NO_DEFAULT_PATH)
find_library(LibTorch_C10_LIBRARY c10 HINTS "${LibTorch_INCLUDE_DIR}/../lib" NO_DEFAULT_PATH)

foreach(_header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)  # its place since 2.10, and before
  if(EXISTS "${LibTorch_INCLUDE_DIR}/${_header}" AND NOT LibTorch_VERSION)
    file(STRINGS "${LibTorch_INCLUDE_DIR}/${_header}" _numbers REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) +[0-9]")
    string(REGEX REPLACE "[^;]*TORCH_VERSION_[A-Z]+ +([0-9]+)[^;]*" "\\1" _numbers "${_numbers}")
    string(REPLACE ";" "." LibTorch_VERSION "${_numbers}")
  endif()
endforeach()

set(_needed LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR)
set(_reason "run ./duet setup, or set DUET_LIBTORCH to a LibTorch ${LibTorch_FIND_VERSION} or newer")
if("cuda" IN_LIST LibTorch_FIND_COMPONENTS)
  find_library(LibTorch_CUDA_LIBRARY torch_cuda HINTS "${LibTorch_INCLUDE_DIR}/../lib" NO_DEFAULT_PATH)
  find_library(LibTorch_C10_CUDA_LIBRARY c10_cuda HINTS "${LibTorch_INCLUDE_DIR}/../lib" NO_DEFAULT_PATH)
  # Beside the wheel (CUDA 13: one folder; 12: one a library), or in an unpacked LibTorch's own folder.
  get_filename_component(_nvidia "${LibTorch_INCLUDE_DIR}/../../nvidia" ABSOLUTE)
  file(GLOB _cudart "${_nvidia}/cu*/lib/libcudart.so.*" "${_nvidia}/cuda_runtime/lib/libcudart.so.*"
    "${LibTorch_INCLUDE_DIR}/../lib/libcudart*.so.*")
  file(GLOB _cublas "${_nvidia}/cu*/lib/libcublas.so.*" "${_nvidia}/cublas/lib/libcublas.so.*"
    "${LibTorch_INCLUDE_DIR}/../lib/libcublas*.so.*")
  list(POP_FRONT _cudart LibTorch_CUDART_LIBRARY)  # stays empty where there is none
  list(POP_FRONT _cublas LibTorch_CUBLAS_LIBRARY)
  string(REGEX REPLACE ".*\\.so\\.([0-9]+).*" "\\1" LibTorch_CUDA_MAJOR "${LibTorch_CUDART_LIBRARY}")
  list(APPEND _needed LibTorch_CUDA_LIBRARY LibTorch_C10_CUDA_LIBRARY LibTorch_CUDART_LIBRARY LibTorch_CUBLAS_LIBRARY)
  set(_reason "run DUET_PRESET=cuda ./duet setup, or set DUET_LIBTORCH to a CUDA build of LibTorch with its libraries \
(requirements/cuda.txt)")
  if(LibTorch_CUDA_LIBRARY AND LibTorch_C10_CUDA_LIBRARY AND LibTorch_CUDART_LIBRARY AND LibTorch_CUBLAS_LIBRARY)
    set(LibTorch_cuda_FOUND TRUE)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS ${_needed}
  VERSION_VAR LibTorch_VERSION
  HANDLE_COMPONENTS
  REASON_FAILURE_MESSAGE "${_reason}")

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  add_library(LibTorch::cpu INTERFACE IMPORTED)
  target_include_directories(LibTorch::cpu SYSTEM INTERFACE
    "${LibTorch_INCLUDE_DIR}" "${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")
  # The wheel's libtorch_cpu loads the CUDA runtime by its own RPATH; the linker need not resolve it.
  target_link_options(LibTorch::cpu INTERFACE -Wl,--allow-shlib-undefined)
  target_link_libraries(LibTorch::cpu INTERFACE "${LibTorch_CPU_LIBRARY}" "${LibTorch_C10_LIBRARY}")

  add_library(LibTorch::torch INTERFACE IMPORTED)
  target_link_libraries(LibTorch::torch INTERFACE LibTorch::cpu)
  if(LibTorch_cuda_FOUND)
    add_library(LibTorch::cuda INTERFACE IMPORTED)
    # No symbol of ours is in libtorch_cuda: it is loaded for the operators that it registers.
    target_link_libraries(LibTorch::cuda INTERFACE LibTorch::cpu
      "-Wl,--push-state,--no-as-needed,${LibTorch_CUDA_LIBRARY},--pop-state"
      "${LibTorch_C10_CUDA_LIBRARY}" "${LibTorch_CUDART_LIBRARY}")
    target_link_libraries(LibTorch::torch INTERFACE LibTorch::cuda)
  endif()
endif()
