# The viewer: layouts, index, rasterizer, and a hand on the panels without a display.
if(TARGET duet_viz)
  foreach(test layout trace_index raster driver
      routing inspector routing_driver live_driver
      token_lists)
    duet_test(viz/${test} PLAIN)
    target_include_directories(test_object_viz_${test} SYSTEM PRIVATE "${DUET_IMGUI_INCLUDE_DIR}")
  endforeach()
  add_library(viz_made_trace OBJECT "${CMAKE_CURRENT_LIST_DIR}/made_trace.cpp")
  duet_compile_settings(viz_made_trace)
  target_include_directories(viz_made_trace PRIVATE "${PROJECT_SOURCE_DIR}")
  get_property(tests GLOBAL PROPERTY DUET_TESTS_viz)
  duet_link_test(test_viz "${tests}" "")
  target_sources(test_viz PRIVATE $<TARGET_OBJECTS:viz_made_trace>)
  target_link_libraries(test_viz PRIVATE duet_viz)
  add_test(NAME viz COMMAND test_viz --gtest_output=xml:${PROJECT_BINARY_DIR}/results/viz.xml)

  # Live mode and what-if: with all of Duet.
  foreach(test live_training what_if)
    duet_test(viz/${test} PROGRAM viz_live)
  endforeach()
  get_property(tests GLOBAL PROPERTY DUET_TESTS_viz_live)
  duet_link_test(test_viz_live "${tests}" "")
  target_link_libraries(test_viz_live PRIVATE duet_viz_live)
  add_test(NAME viz.live COMMAND test_viz_live --gtest_output=xml:${PROJECT_BINARY_DIR}/results/viz_live.xml)
  if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/odd_inputs_test.py")
  add_test(NAME viz.odd_inputs COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/odd_inputs_test.py")
  set_tests_properties(viz.odd_inputs PROPERTIES TIMEOUT 300
    ENVIRONMENT "DUET_VIEW=$<TARGET_FILE:duet_view>;DUET_PROGRAM=$<TARGET_FILE:duet>")
  endif()
  add_test(NAME viz.window COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/window_test.py")
  set_tests_properties(viz.window PROPERTIES LABELS display TIMEOUT 600 SKIP_RETURN_CODE 77
    ENVIRONMENT "DUET_VIEW=$<TARGET_FILE:duet_view>;DUET_PROGRAM=$<TARGET_FILE:duet>")
endif()
