# The readers of files on made-up bytes. Every build replays the files of corpus/; with DUET_FUZZ (preset `fuzz`, clang)
# there is also a program fuzz_NAME for each target, to look for new ones:
#
#   cmake --preset fuzz && cmake --build build/fuzz --target fuzz_trace_reader
#   build/fuzz/tests/fuzz_trace_reader -max_total_time=600 build/fuzz/found tests/fuzz/corpus/trace_reader
option(DUET_FUZZ "build the libFuzzer programs (clang only)" OFF)
if(DUET_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "DUET_FUZZ needs clang: cmake --preset fuzz")
endif()

# duet_fuzz_target(name)   from name.cpp over the objects that are free of torch, and corpus/name
function(duet_fuzz_target name)
  set(here "${PROJECT_SOURCE_DIR}/tests/fuzz")
  duet_objects(objects PLAIN)
  add_library(fuzz_object_${name} OBJECT "${here}/${name}.cpp")
  set(programs replay_${name})
  add_executable(replay_${name} "${here}/replay.cpp" $<TARGET_OBJECTS:fuzz_object_${name}> ${objects})
  if(DUET_FUZZ)
    add_executable(fuzz_${name} EXCLUDE_FROM_ALL "${here}/libfuzzer.cpp" $<TARGET_OBJECTS:fuzz_object_${name}> ${objects})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    list(APPEND programs fuzz_${name})
  endif()
  foreach(target fuzz_object_${name} ${programs})
    duet_compile_settings(${target})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  endforeach()
  add_test(NAME fuzz.${name} COMMAND replay_${name} "${here}/corpus/${name}")
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 120)
endfunction()

duet_fuzz_target(trace_reader)
duet_fuzz_target(config_file)
duet_fuzz_target(checkpoint)
