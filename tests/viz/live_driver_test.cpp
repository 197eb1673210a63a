// A person's hand on a run that goes on: the controls ask for what they say, and only what may be asked.
#include <gtest/gtest.h>
#include <imgui.h>

#include "viz/panels/panels.h"
#include "viz/platform/null_window.h"

namespace duet::viz {
namespace {

class LiveDriver : public testing::Test {
 protected:
  LiveDriver() : window_(1000, 600, 16) {
    frame_.live = LiveState{};
    frame_.live->folder = "runs/x";
  }

  Commands draw(void (*panel)(const Frame&, Commands&)) {
    Commands commands;
    window_.draw([&](float width, float height) {
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({width, height});
      ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration);
      panel(frame_, commands);
      ImGui::End();
    });
    return commands;
  }

  // Presses at (x, y) and lets go; all that was asked for meanwhile.
  Commands click(float x, float y) {
    Commands all;
    const auto add = [&] {
      for (auto& command : draw(live_panel)) all.push_back(command);
    };
    add();
    ImGui::GetIO().MousePos = {x, y};
    add();
    for (const bool down : {true, false}) {
      ImGui::GetIO().MouseDown[0] = down;
      add();
    }
    add();
    return all;
  }

  NullWindow window_;
  Frame frame_;
};

TEST_F(LiveDriver, ATraceHasNoControls) {
  frame_.live.reset();
  EXPECT_TRUE(click(30, 20).empty());
}

TEST_F(LiveDriver, AnIdleFrameAsksForNothing) {
  draw(live_panel);
  EXPECT_TRUE(draw(live_panel).empty());
}

TEST_F(LiveDriver, TheFirstButtonPausesAndGoesOn) {
  auto commands = click(30, 20);
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_TRUE(std::get<PauseRun>(commands[0]).on);
  frame_.live->paused = true;
  commands = click(30, 20);
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_FALSE(std::get<PauseRun>(commands[0]).on);
}

TEST_F(LiveDriver, ASliderAsksForOtherSettings) {
  const auto commands = click(120, 45);  // the right end of the tokens' slider
  ASSERT_FALSE(commands.empty());
  const auto wanted = std::get<ChangeRun>(commands.back()).settings;
  EXPECT_GT(wanted.tokens, 64);
  auto same = wanted;
  same.tokens = frame_.live->settings.tokens;
  EXPECT_EQ(same, frame_.live->settings);
}

TEST_F(LiveDriver, AnEndedRunCanOnlyStartAnew) {
  frame_.live->ended = true;
  frame_.live->error = "logits are NaN or infinite";
  std::size_t asked = 0;
  for (float x = 10; x < 500; x += 30) {
    for (const auto& command : click(x, 20)) {
      EXPECT_TRUE(std::holds_alternative<ResetRun>(command));
      ++asked;
    }
  }
  EXPECT_GE(asked, 1U);
}

TEST_F(LiveDriver, KeysPauseAndStep) {
  draw(keys);
  ImGui::GetIO().AddInputCharacter(' ');
  EXPECT_TRUE(std::get<PauseRun>(draw(keys).at(0)).on);
  ImGui::GetIO().AddInputCharacter('n');
  EXPECT_TRUE(std::holds_alternative<StepRun>(draw(keys).at(0)));
}

}  // namespace
}  // namespace duet::viz
