# The NCCL transport. It includes no torch header, so that it can be tested over the double (tests/nccl_double) wherever
# a compiler is; the product has it with DUET_CUDA only.
set(nccl_units
  comm/nccl/device_errors
  comm/nccl/thread_watch
  comm/nccl/signal_watch
  comm/nccl/nccl_waits
  comm/nccl/nccl_group
  comm/nccl/agreement
  comm/nccl/nccl_operation
  comm/nccl/nccl_messages
  comm/nccl/nccl_communicator
  comm/nccl/run_nccl)
set_property(GLOBAL PROPERTY DUET_NCCL_UNITS ${nccl_units})
if(NOT DUET_CUDA)
  if(NOT DUET_SANITIZE STREQUAL "thread")
    duet_unit(comm/nccl/absent)
  endif()
else()
  duet_unit(comm/nccl/run_nccl_launched)
  foreach(unit IN LISTS nccl_units)
    duet_unit(${unit} PLAIN)
    string(REPLACE "/" "_" target "unit_${unit}")
    target_link_libraries(${target} PRIVATE duet_nccl)
  endforeach()
endif()
