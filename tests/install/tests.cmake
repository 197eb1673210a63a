# Installs this build folder into a temporary prefix and builds two projects against it.
add_test(NAME install COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tests/install/install_test.py")
set_tests_properties(install PROPERTIES LABELS install TIMEOUT 600
  ENVIRONMENT "DUET_BUILD=${PROJECT_BINARY_DIR};DUET_CMAKE=${CMAKE_COMMAND}")
