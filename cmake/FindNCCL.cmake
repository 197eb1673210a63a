# Finds NCCL's header and library, and the CUDA runtime that they are used with.
#
# Looks in -DDUET_NCCL / $DUET_NCCL (a folder with include and lib), then in .venv and beside LibTorch (Python's package
# nvidia-nccl-cu13 or -cu12), and where the system has it. Sets NCCL_INCLUDE_DIR, NCCL_LIBRARY, NCCL_VERSION,
# NCCL_CUDA_INCLUDE_DIR (nccl.h includes CUDA's headers) and NCCL_CUDART_LIBRARY, LibTorch's own where it has one.
set(DUET_NCCL "$ENV{DUET_NCCL}" CACHE PATH "an NCCL to use instead of the one in .venv")
file(GLOB _packages "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia"
  "${LibTorch_INCLUDE_DIR}/../../nvidia")
set(_nccls "${DUET_NCCL}")
set(_cudas "$ENV{CUDA_HOME}")
foreach(_package IN LISTS _packages)
  list(APPEND _nccls "${_package}/nccl")
  file(GLOB _found "${_package}/cu[0-9]*" "${_package}/cuda_runtime")
  list(APPEND _cudas ${_found})
endforeach()
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${_nccls} PATHS /usr/local/cuda PATH_SUFFIXES include)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS ${_nccls} PATHS /usr/local/cuda
  PATH_SUFFIXES lib lib64)
find_path(NCCL_CUDA_INCLUDE_DIR cuda_runtime.h HINTS /usr/local/cuda ${_cudas} PATH_SUFFIXES include)
if(LibTorch_CUDART_LIBRARY)
  set(NCCL_CUDART_LIBRARY "${LibTorch_CUDART_LIBRARY}")  # a second CUDA runtime in a process has streams of its own
else()
  find_library(NCCL_CUDART_LIBRARY NAMES libcudart.so.13 libcudart.so.12 cudart NAMES_PER_DIR HINTS ${_cudas}
    PATHS /usr/local/cuda PATH_SUFFIXES lib lib64)
endif()

if(NCCL_INCLUDE_DIR)
  file(STRINGS "${NCCL_INCLUDE_DIR}/nccl.h" _numbers REGEX "define NCCL_(MAJOR|MINOR|PATCH) +[0-9]")
  string(REGEX REPLACE "[^;]*NCCL_[A-Z]+ +([0-9]+)[^;]*" "\\1" _numbers "${_numbers}")
  string(REPLACE ";" "." NCCL_VERSION "${_numbers}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL
  REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR NCCL_CUDA_INCLUDE_DIR NCCL_CUDART_LIBRARY
  VERSION_VAR NCCL_VERSION
  REASON_FAILURE_MESSAGE "DUET_PRESET=cuda ./duet setup brings it (requirements/cuda.txt), or set DUET_NCCL to one")
