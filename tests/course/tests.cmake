# The course from outside. Both build inside this build folder, so they take turns.
add_test(NAME course.verify COMMAND ${CMAKE_COMMAND} -E env "DUET_BUILD=${PROJECT_BINARY_DIR}"
  "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/course" verify)
add_test(NAME course.student COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_LIST_DIR}/student_test.py"
  "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
set_tests_properties(course.verify course.student PROPERTIES LABELS course RESOURCE_LOCK build PROCESSORS 2 TIMEOUT 1500)
