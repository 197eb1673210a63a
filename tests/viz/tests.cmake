# The viewer: layouts, index, rasterizer, and a hand on the panels without a display.
if(TARGET duet_viz)
  foreach(test layout trace_index raster driver
      routing inspector routing_driver)
    duet_test(viz/${test} PLAIN)
    target_include_directories(test_object_viz_${test} SYSTEM PRIVATE "${DUET_IMGUI_INCLUDE_DIR}")
  endforeach()
  get_property(tests GLOBAL PROPERTY DUET_TESTS_viz)
  duet_link_test(test_viz "${tests}" "")
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
endif()
