# The whole program, run as a person runs it.
foreach(name compare errors)
  add_test(NAME cli.${name} COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/${name}_test.py")
  set_tests_properties(cli.${name} PROPERTIES LABELS cli TIMEOUT 900 ENVIRONMENT "DUET_PROGRAM=$<TARGET_FILE:duet>")
endforeach()
duet_test(cli/conclusions)
duet_test_program(cli)
