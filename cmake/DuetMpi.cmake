# The MPI transport, where there is an MPI: DUET_HAS_MPI, and its libraries among DUET_TRANSPORT_LIBRARIES.
#
# -DDUET_MPI=AUTO (build it if an MPI is found), ON (stop without one) or OFF.
set(DUET_MPI AUTO CACHE STRING "the MPI transport: AUTO, ON or OFF")
set_property(CACHE DUET_MPI PROPERTY STRINGS AUTO ON OFF)
set(DUET_HAS_MPI OFF)

if(DUET_SANITIZE STREQUAL "thread")
  message(STATUS "MPI is left out: ThreadSanitizer sees only what it compiled")
elseif(NOT DUET_MPI)
  message(STATUS "MPI is left out: DUET_MPI=${DUET_MPI}")
else()
  enable_language(C)  # FindMPI asks the C compiler's wrapper; our code uses MPI's C interface from C++
  if(DUET_MPI STREQUAL "AUTO")
    find_package(MPI 3.0 QUIET COMPONENTS C)
  else()
    find_package(MPI 3.0 REQUIRED COMPONENTS C)
  endif()
  set(DUET_HAS_MPI ${MPI_C_FOUND})
  if(DUET_HAS_MPI)
    message(STATUS "MPI ${MPI_C_VERSION}: ${MPI_C_LIBRARIES}")
    list(APPEND DUET_TRANSPORT_LIBRARIES ${MPI_C_LIBRARIES})
    add_library(duet_mpi INTERFACE)  # what a file that includes mpi.h is compiled with
    target_link_libraries(duet_mpi INTERFACE MPI::MPI_C)
    target_compile_definitions(duet_mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)  # the old C++ interface
  else()
    message(STATUS "MPI is left out: none was found (Debian and Ubuntu: libopenmpi-dev)")
  endif()
endif()
