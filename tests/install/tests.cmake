# Installs this build folder into a temporary prefix and builds two projects against it.
add_test(NAME install COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tests/install/install_test.py")
set_tests_properties(install PROPERTIES LABELS install TIMEOUT 600
  ENVIRONMENT "DUET_BUILD=${PROJECT_BINARY_DIR};DUET_CMAKE=${CMAKE_COMMAND}")

# Installs a copy for all users into a temporary folder (it builds everything) and works with it as another user.
add_test(NAME install.shared COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/shared_test.py")
set_tests_properties(install.shared PROPERTIES LABELS "install;slow" TIMEOUT 5400 PROCESSORS 2 SKIP_RETURN_CODE 77
  ENVIRONMENT "DUET_LIBTORCH=${LibTorch_INCLUDE_DIR}/..;DUET_CMAKE=${CMAKE_COMMAND}")
