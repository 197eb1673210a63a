// A run behind the window: it pauses, steps, takes changes, refuses bad ones, and leaves a whole folder.
#include "viz/app/live_training.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "trace/reader.h"
#include "viz/app/live_settings.h"
#include "viz/app/session.h"

namespace duet::viz {
namespace {

using namespace std::chrono_literals;

class Live : public testing::Test {
 protected:
  Live() : folder_(std::filesystem::temp_directory_path() / ("duet-live-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    config_.out = (folder_ / "run").string();
    config_.steps = 0;
  }
  ~Live() override { std::filesystem::remove_all(folder_); }

  // Waits for something that the run's thread does; false after ten seconds.
  template <typename Condition>
  static bool soon(const Condition& condition) {
    for (int i = 0; i < 10'000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }

  trace::Trace written(const std::string& name = "run") const { return trace::read_trace(folder_ / name); }

  std::filesystem::path folder_;
  RunConfig config_;
};

TEST_F(Live, EndsByItselfAfterItsStepsAndLeavesAWholeFolder) {
  config_.steps = 4;
  {
    LiveTraining run(config_, 0, [] {});
    run.wait();
    EXPECT_TRUE(run.state().ended);
    EXPECT_EQ(run.state().error, "");
    EXPECT_EQ(run.state().steps, 4);
  }
  const auto trace = written();
  EXPECT_EQ(trace.steps.size(), 12U);
  EXPECT_TRUE(trace.complete);
  EXPECT_FALSE(trace.interrupted);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run" / "report.html"));
}

TEST_F(Live, PausesAndTakesSingleSteps) {
  LiveTraining run(config_, 0, [] {});
  ASSERT_TRUE(soon([&] { return run.state().steps > 2; }));
  run.pause(true);
  std::this_thread::sleep_for(50ms);  // the step that was under way
  const auto before = run.state().steps;
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(run.state().steps, before);
  run.step_once();
  EXPECT_TRUE(soon([&] { return run.state().steps == before + 1; }));
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(run.state().steps, before + 1);
  EXPECT_TRUE(run.state().paused);
  run.pause(false);
  EXPECT_TRUE(soon([&] { return run.state().steps > before + 2; }));
}

TEST_F(Live, AChangeHoldsFromTheNextStepOnAndABadOneIsRefused) {
  {
    LiveTraining run(config_, 0, [] {});
    run.pause(true);
    auto wanted = run.state().settings;
    wanted.tokens = 80;
    wanted.capacity_factor = "0.5";
    wanted.aux = "z";
    run.change(wanted);
    EXPECT_EQ(run.state().settings, wanted);
    auto wrong = wanted;
    wrong.capacity_factor = "-1";
    run.change(wrong);
    EXPECT_NE(run.state().refused, "");
    EXPECT_EQ(run.state().settings, wanted);
    const auto before = run.state().steps;
    run.step_once();
    ASSERT_TRUE(soon([&] { return run.state().steps > before; }));
  }
  const auto last = written().steps.back();
  EXPECT_EQ(last.ranks.front().layers.front().token_count, 160);  // one device has both shards
  EXPECT_EQ(last.capacity, 20);
  EXPECT_EQ(last.aux.front().kind, "z");
}

TEST_F(Live, AFailureIsToldAndWhatWasWrittenStays) {
  config_.optimizer.lr = 1e38;
  {
    LiveTraining run(config_, 0, [] {});
    run.wait();
    EXPECT_NE(run.state().error.find("NaN or infinite"), std::string::npos) << run.state().error;
    EXPECT_NE(run.state().error.find("step "), std::string::npos) << run.state().error;
  }
  const auto trace = written();
  EXPECT_FALSE(trace.steps.empty());
  EXPECT_TRUE(trace.interrupted);
}

TEST_F(Live, KeepsItsPace) {
  LiveTraining run(config_, 50, [] {});
  ASSERT_TRUE(soon([&] { return run.state().steps >= 1; }));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(soon([&] { return run.state().steps >= 11; }));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 150ms);  // ten steps at fifty a second, and never faster
}

TEST_F(Live, AResetBeginsAnotherRunInAFolderOfItsOwn) {
  {
    LiveSession session(config_, 0, [] {});
    Viewer viewer(session.trace().traces(), "");
    show_live(viewer, session);
    ASSERT_TRUE(soon([&] { return session.training().state().steps > 3; }));
    viewer.reset_live();
    ASSERT_TRUE(soon([&] { return session.training().state().steps > 1; }));
    viewer.refresh();
    EXPECT_EQ(viewer.frame().live->folder, (folder_ / "run-2").string());
    EXPECT_GT(viewer.frame().steps, 0U);
  }
  EXPECT_TRUE(written().complete);
  EXPECT_TRUE(written("run-2").complete);
}

TEST_F(Live, TheViewerFollowsTheRunAndKeepsAStepThatAPersonWentBackTo) {
  LiveSession session(config_, 0, [] {});
  Viewer viewer(session.trace().traces(), "");
  show_live(viewer, session);
  ASSERT_TRUE(soon([&] {
    viewer.refresh();
    return viewer.frame().steps > 5;
  }));
  EXPECT_EQ(viewer.place() + 1, viewer.frame().steps);
  viewer.go_to_place(2);
  ASSERT_TRUE(soon([&] { return viewer.refresh(); }));
  EXPECT_EQ(viewer.place(), 2U);
}

TEST(LiveSettingsTest, WhatTheControlsDoNotShowStays) {
  RunConfig config;
  config.data.tokens = {10, 20};
  config.model.aux = {{AuxKind::std, 0.001}, {AuxKind::z, 0.002}};
  const auto shown = settings_of(config, 5);
  auto wanted = shown;
  wanted.lr = 0.5;
  const auto changed = with_settings(config, shown, wanted);
  EXPECT_EQ(changed.optimizer.lr, 0.5);
  EXPECT_EQ(changed.data.tokens, config.data.tokens);
  EXPECT_EQ(changed.model.aux.size(), 2U);
}

}  // namespace
}  // namespace duet::viz
