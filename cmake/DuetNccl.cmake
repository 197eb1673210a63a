# The NCCL transport, with DUET_CUDA: its library and CUDA's runtime are among DUET_TRANSPORT_LIBRARIES, and duet_nccl is
# what a file that includes nccl.h is compiled with. Included after find_package(LibTorch), whose CUDA runtime it shares.
if(DUET_CUDA)
  find_package(NCCL 2.18 REQUIRED)
  message(STATUS "NCCL ${NCCL_VERSION}: ${NCCL_LIBRARY}")
  list(APPEND DUET_TRANSPORT_LIBRARIES "${NCCL_LIBRARY}" "${NCCL_CUDART_LIBRARY}")
  add_library(duet_nccl INTERFACE)
  target_include_directories(duet_nccl SYSTEM INTERFACE "${NCCL_INCLUDE_DIR}" "${NCCL_CUDA_INCLUDE_DIR}")
endif()
