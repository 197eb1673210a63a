# The repository's own rules as tests (label `check`), and the tests of the tools that enforce them (label `tools`).
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(duet_check name)
  add_test(NAME check.${name} COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/checks/${name}.py" ${ARGN})
  set_tests_properties(check.${name} PROPERTIES LABELS check SKIP_RETURN_CODE 77)
endfunction()

function(duet_tool_test name file)
  add_test(NAME tools.${name} COMMAND Python3::Interpreter "${file}")
  set_tests_properties(tools.${name} PROPERTIES LABELS tools)
endfunction()

# One line a unit: its name, a tab, its object file.
function(duet_write_unit_list file)
  get_property(units GLOBAL PROPERTY DUET_UNITS)
  set(lines "")
  foreach(unit IN LISTS units)
    string(REPLACE "/" "_" target "unit_${unit}")
    string(APPEND lines "${unit}\t$<TARGET_OBJECTS:${target}>\n")
  endforeach()
  file(GENERATE OUTPUT "${file}" CONTENT "${lines}")
endfunction()

duet_write_unit_list("${PROJECT_BINARY_DIR}/units.txt")
duet_check(includes "${PROJECT_SOURCE_DIR}")
duet_check(file_length "${PROJECT_SOURCE_DIR}")
duet_check(format "${PROJECT_SOURCE_DIR}")
duet_check(exports "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/units.txt")
duet_tool_test(checks "${PROJECT_SOURCE_DIR}/tests/checks/checks_test.py")
duet_tool_test(launcher "${PROJECT_SOURCE_DIR}/tests/launcher/launcher_test.py")
duet_tool_test(shared "${PROJECT_SOURCE_DIR}/tests/launcher/shared_test.py")
duet_tool_test(shared_build "${PROJECT_SOURCE_DIR}/tests/course/shared_build_test.py")
duet_tool_test(summary "${PROJECT_SOURCE_DIR}/tests/launcher/summary_test.py")
duet_tool_test(doctor "${PROJECT_SOURCE_DIR}/tests/launcher/doctor_test.py")

# Minutes, so only with ./duet test --all.
duet_check(tidy "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/compile_commands.json")
set_tests_properties(check.tidy PROPERTIES LABELS "check;slow" TIMEOUT 3600 PROCESSORS 2)
