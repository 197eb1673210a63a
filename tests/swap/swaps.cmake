# Proof that a unit can be swapped: ours passes its own test, a file that lacks it does not link and says so, and a
# wrong one fails. Each case builds when it runs, in this build folder, so only one runs at a time.

# duet_swap_case(unit name FILE file EXPECT passes | does_not_link | fails [TEXT text])
function(duet_swap_case unit name)
  cmake_parse_arguments(ARG "" "FILE;EXPECT;TEXT" "" ${ARGN})
  duet_swap_test(${unit} "${ARG_FILE}" NAME ${name})
  string(REPLACE "/" "_" flat ${unit})
  set(target swap_${flat}_${name})
  add_test(NAME swap.${flat}.${name}
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tests/swap/swap_case.py" ${ARG_EXPECT} "${ARG_TEXT}"
      $<TARGET_FILE:${target}>
      "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/swap_build.py" --cmake "${CMAKE_COMMAND}"
      "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}" ${target} ${unit} "${ARG_FILE}")
  set_tests_properties(swap.${flat}.${name} PROPERTIES LABELS swap RESOURCE_LOCK build PROCESSORS 2 TIMEOUT 300)
endfunction()

# duet_swap_proof(unit function wrong_name failing_test): the three cases of a unit
function(duet_swap_proof unit function wrong failing_test)
  set(here "${PROJECT_SOURCE_DIR}/tests/swap")
  duet_swap_case(${unit} ours FILE "${PROJECT_SOURCE_DIR}/src/${unit}.cpp" EXPECT passes)
  duet_swap_case(${unit} empty FILE "${here}/empty.cpp" EXPECT does_not_link
    TEXT "your file does not define `${function}`, declared in src/${unit}.h")
  duet_swap_case(${unit} ${wrong} FILE "${here}/${wrong}.cpp" EXPECT fails TEXT ${failing_test})
endfunction()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
duet_swap_proof(moe/expert expert_forward expert_without_bias Expert.AddsBothBiases)
duet_swap_proof(moe/plan make_plan plan_keeps_dropped_rows Plan.LeavesDroppedPairsOut)
duet_swap_proof(comm/all_reduce all_reduce_naive all_reduce_adds_its_own_twice Comm/NaiveAllReduce.AddsEachRankOnce)
