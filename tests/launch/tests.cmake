# Processes that a launcher starts: torchrun's (from .venv-dev where it is there, or else out of LibTorch's own wheel, see
# light_torch.py), and two hosts made of network namespaces.
get_filename_component(launch_torch "${LibTorch_INCLUDE_DIR}/.." ABSOLUTE)
foreach(name torchrun two_hosts)
  add_test(NAME launch.${name} COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/${name}_test.py")
  set_tests_properties(launch.${name} PROPERTIES LABELS launch TIMEOUT 600 PROCESSORS 2
    ENVIRONMENT "DUET_PROGRAM=$<TARGET_FILE:duet>;DUET_TORCH=${launch_torch}")
endforeach()
