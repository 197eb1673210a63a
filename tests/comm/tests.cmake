# The core needs no torch; its program also runs under ThreadSanitizer.
foreach(test collectives messages split events disagreement failure run_ranks)
  duet_test(comm/${test} PLAIN PROGRAM comm_core)
endforeach()
duet_test_program(comm_core PLAIN)
