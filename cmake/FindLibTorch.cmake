# Finds LibTorch's headers and CPU libraries without asking for a CUDA toolkit, as torch's own package does.
#
# Looks in -DDUET_LIBTORCH / $DUET_LIBTORCH (an unpacked LibTorch or a `torch` Python package), then in
# .venv. Defines the target LibTorch::cpu (libtorch_cpu + libc10) and LibTorch_VERSION.
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

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "run ./duet setup, or set DUET_LIBTORCH to a LibTorch ${LibTorch_FIND_VERSION} or newer")

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  add_library(LibTorch::cpu INTERFACE IMPORTED)
  target_include_directories(LibTorch::cpu SYSTEM INTERFACE
    "${LibTorch_INCLUDE_DIR}" "${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")
  # The wheel's libtorch_cpu loads the CUDA runtime by its own RPATH; the linker need not resolve it.
  target_link_options(LibTorch::cpu INTERFACE -Wl,--allow-shlib-undefined)
  target_link_libraries(LibTorch::cpu INTERFACE "${LibTorch_CPU_LIBRARY}" "${LibTorch_C10_LIBRARY}")
endif()
