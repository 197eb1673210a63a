# The whole program, run as a person runs it.
foreach(name compare rules errors terminal resume mpi slow)
  add_test(NAME cli.${name} COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/${name}_test.py")
  set_tests_properties(cli.${name} PROPERTIES LABELS cli TIMEOUT 900 ENVIRONMENT "DUET_PROGRAM=$<TARGET_FILE:duet>")
endforeach()
set_tests_properties(cli.slow PROPERTIES LABELS "cli;slow" TIMEOUT 1800 PROCESSORS 2)
add_test(NAME cli.resume_slow COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/resume_test.py"
  Killed.test_at_random_moments_ends_as_one_never_killed)
set_tests_properties(cli.resume_slow PROPERTIES LABELS "cli;slow" TIMEOUT 1800 PROCESSORS 2
  ENVIRONMENT "DUET_PROGRAM=$<TARGET_FILE:duet>;DUET_KILLS=50")
duet_test(cli/conclusions)
duet_test_program(cli)
