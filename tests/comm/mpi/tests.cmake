# The same tests in MPI jobs of 1 to 4 processes. Tests of what goes wrong run in the job of 4, on as many as they need.
duet_test(comm/mpi/pieces PLAIN PROGRAM comm_mpi)
foreach(part job main)
  add_library(test_mpi_${part} OBJECT "${CMAKE_CURRENT_LIST_DIR}/${part}.cpp")
  duet_compile_settings(test_mpi_${part})
  target_include_directories(test_mpi_${part} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(test_mpi_${part} PRIVATE GTest::gtest GTest::gmock duet_mpi)
endforeach()

# As root, with more processes than cores, without a network, and in a container that lets no process read another.
set(DUET_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_plm=isolated OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
  OMPI_MCA_btl_vader_single_copy_mechanism=none)
if(DUET_SANITIZE MATCHES "address")
  list(APPEND DUET_MPI_ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)  # Open MPI keeps what it allocates until the process ends
endif()

# duet_mpi_tests(comm_mpi TESTS collectives... OBJECTS objects...)
#   the program test_comm_mpi and, for jobs of W = 1 to 4 processes, the ctest comm_mpi_W
function(duet_mpi_tests name)
  cmake_parse_arguments(ARG "" "" "TESTS;OBJECTS" ${ARGN})
  add_executable(test_${name} ${ARG_OBJECTS} $<TARGET_OBJECTS:test_mpi_job> $<TARGET_OBJECTS:test_mpi_main>)
  foreach(test IN LISTS ARG_TESTS)
    string(REPLACE "/" "_" test_flat ${test})
    target_sources(test_${name} PRIVATE $<TARGET_OBJECTS:test_object_comm_${test_flat}>)
  endforeach()
  set_target_properties(test_${name} PROPERTIES LINKER_LANGUAGE CXX)
  duet_compile_settings(test_${name})
  target_link_libraries(test_${name} PRIVATE GTest::gmock GTest::gtest)
  foreach(ranks 1 2 3 4)
    add_test(NAME ${name}_${ranks} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks}
      $<TARGET_FILE:test_${name}> --gtest_filter=-GoogleTestVerification.*  # suites that have no case of this size
      --gtest_output=xml:${PROJECT_BINARY_DIR}/results/${name}_${ranks}.xml)
    set_tests_properties(${name}_${ranks} PROPERTIES LABELS mpi PROCESSORS 2 TIMEOUT 300
      ENVIRONMENT "${DUET_MPI_ENVIRONMENT}")
  endforeach()
endfunction()

duet_objects(plain_objects PLAIN)
duet_mpi_tests(comm_mpi OBJECTS ${plain_objects}
  TESTS collectives messages split events one_host disagreement failure mpi/pieces)

# The algorithms on tensors; they need nothing above comm.
set(tensor_objects "")
foreach(folder core trace comm)
  get_property(units GLOBAL PROPERTY DUET_UNITS_${folder})
  foreach(unit IN LISTS units)
    string(REPLACE "/" "_" target "unit_${unit}")
    list(APPEND tensor_objects $<TARGET_OBJECTS:${target}>)
  endforeach()
endforeach()
duet_mpi_tests(comm_mpi_tensors OBJECTS ${tensor_objects} TESTS all_reduce ring_all_reduce pairwise_all_to_all tensors)
target_link_libraries(test_comm_mpi_tensors PRIVATE LibTorch::cpu)

# Whole jobs that end badly.
add_executable(mpi_job_under_test ${plain_objects} "${CMAKE_CURRENT_LIST_DIR}/job_under_test.cpp")
duet_compile_settings(mpi_job_under_test)
add_test(NAME comm_mpi_job COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/job_test.py")
set_tests_properties(comm_mpi_job PROPERTIES LABELS mpi PROCESSORS 2 TIMEOUT 300
  ENVIRONMENT "${DUET_MPI_ENVIRONMENT};DUET_MPIRUN=${MPIEXEC_EXECUTABLE};DUET_JOB=$<TARGET_FILE:mpi_job_under_test>")
