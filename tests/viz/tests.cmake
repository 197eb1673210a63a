# The viewer: layouts, index, rasterizer, and a hand on the panels without a display.
if(TARGET duet_viz)
  foreach(test layout trace_index raster driver
      routing inspector routing_driver live_driver
      token_lists odd_traces pictures curves timeline
      flow flow_driver readable)
    duet_test(viz/${test} PLAIN)
    target_include_directories(test_object_viz_${test} SYSTEM PRIVATE "${DUET_IMGUI_INCLUDE_DIR}")
  endforeach()
  target_compile_definitions(test_object_viz_pictures PRIVATE
    DUET_ACCEPTED_PICTURES="${CMAKE_CURRENT_LIST_DIR}/golden" DUET_NEW_PICTURES="${PROJECT_BINARY_DIR}/pictures")
  find_package(PNG REQUIRED)
  add_library(viz_test_helpers OBJECT "${CMAKE_CURRENT_LIST_DIR}/made_trace.cpp" "${CMAKE_CURRENT_LIST_DIR}/pictures.cpp")
  duet_compile_settings(viz_test_helpers)
  target_include_directories(viz_test_helpers PRIVATE "${PROJECT_SOURCE_DIR}")
  target_include_directories(viz_test_helpers SYSTEM PRIVATE "${DUET_IMGUI_INCLUDE_DIR}")
  target_link_libraries(viz_test_helpers PRIVATE PNG::PNG)
  get_property(tests GLOBAL PROPERTY DUET_TESTS_viz)
  duet_link_test(test_viz "${tests}" "")
  target_sources(test_viz PRIVATE $<TARGET_OBJECTS:viz_test_helpers>)
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
  add_test(NAME viz.odd_inputs COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/odd_inputs_test.py")
  set_tests_properties(viz.odd_inputs PROPERTIES TIMEOUT 300
    ENVIRONMENT "DUET_VIEW=$<TARGET_FILE:duet_view>;DUET_PROGRAM=$<TARGET_FILE:duet>")
  if(DUET_SANITIZE)
    return()  # a graphics driver's own leaks would be found
  endif()
  add_test(NAME viz.window COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/window_test.py")
  set_tests_properties(viz.window PROPERTIES LABELS display TIMEOUT 600 SKIP_RETURN_CODE 77
    ENVIRONMENT "DUET_VIEW=$<TARGET_FILE:duet_view>;DUET_PROGRAM=$<TARGET_FILE:duet>")
endif()
