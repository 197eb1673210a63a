# Finds NCCL's header and library: a package of Python (nvidia-nccl-cu13, nvidia-nccl-cu12), the system's, or another.
#
# Looks in -DDUET_NCCL / $DUET_NCCL (a folder with include and lib), then in .venv, beside LibTorch, and where the system
# has it. Defines the target NCCL::nccl and NCCL_VERSION. NVIDIA's header includes CUDA's, so the target has those too.
set(DUET_NCCL "$ENV{DUET_NCCL}" CACHE PATH "an NCCL to use instead of the one in .venv")
file(GLOB _nccl_wheels "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/nccl"
  "${LibTorch_INCLUDE_DIR}/../../nvidia/nccl")
find_path(NCCL_INCLUDE_DIR nccl.h HINTS "${DUET_NCCL}" ${_nccl_wheels} PATHS /usr/local/cuda PATH_SUFFIXES include)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS "${DUET_NCCL}" ${_nccl_wheels} PATHS /usr/local/cuda
  PATH_SUFFIXES lib lib64)
file(GLOB _cuda_wheels "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13"
  "${LibTorch_INCLUDE_DIR}/../../nvidia/cu13" "${LibTorch_INCLUDE_DIR}/../../nvidia/cuda_runtime")
find_path(NCCL_CUDA_INCLUDE_DIR cuda_runtime.h HINTS "$ENV{CUDA_HOME}" PATHS /usr/local/cuda ${_cuda_wheels}
  PATH_SUFFIXES include)

if(NCCL_INCLUDE_DIR)
  file(STRINGS "${NCCL_INCLUDE_DIR}/nccl.h" _numbers REGEX "define NCCL_(MAJOR|MINOR|PATCH) +[0-9]")
  string(REGEX REPLACE "[^;]*NCCL_[A-Z]+ +([0-9]+)[^;]*" "\\1" NCCL_VERSION "${_numbers}")
  string(REPLACE ";" "." NCCL_VERSION "${NCCL_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL
  REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR NCCL_CUDA_INCLUDE_DIR
  VERSION_VAR NCCL_VERSION
  REASON_FAILURE_MESSAGE "DUET_PRESET=cuda ./duet setup brings it (requirements/cuda.txt), or set DUET_NCCL to one")

if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
  add_library(NCCL::nccl INTERFACE IMPORTED GLOBAL)
  target_include_directories(NCCL::nccl SYSTEM INTERFACE "${NCCL_INCLUDE_DIR}" "${NCCL_CUDA_INCLUDE_DIR}")
  target_link_libraries(NCCL::nccl INTERFACE "${NCCL_LIBRARY}")
endif()
