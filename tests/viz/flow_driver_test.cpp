// A person's hand on the flow panel, without a display.
#include <gtest/gtest.h>
#include <imgui.h>

#include "tests/viz/flow_steps.h"
#include "viz/model/flow_layout.h"
#include "viz/panels/panels.h"
#include "viz/platform/fonts.h"

namespace duet::viz {
namespace {

class FlowDriver : public testing::Test {
 protected:
  FlowDriver() : context_(ImGui::CreateContext()), step_(test::two_by_two()) {
    auto& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {1280, 720};
    load_font(16);
    frame_.modes = {{"ep", &step_}};
    frame_.tokens = &step_;
    frame_.steps = 1;
    frame_.flow = {3, 1};
  }
  ~FlowDriver() override { ImGui::DestroyContext(context_); }

  // The commands of a frame, but for the standing wish for tokens.
  template <typename Panel>
  Commands draw(const Panel& panel) {
    Commands commands;
    ImGui::GetIO().DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({1280, 720});
    ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration);
    panel(frame_, commands);
    ImGui::End();
    ImGui::Render();
    asked_ = std::erase_if(commands, [](const Command& c) { return std::holds_alternative<NeedTokens>(c); }) > 0;
    return commands;
  }

  Commands click(float x, float y) {
    Commands all;
    const auto add = [&](bool down) {
      ImGui::GetIO().MouseDown[0] = down;
      for (const auto& command : draw(flow_panel)) all.push_back(command);
    };
    add(false);
    ImGui::GetIO().MousePos = {x, y};
    for (const bool down : {false, true, false, false}) add(down);
    return all;
  }

  ImGuiContext* context_;
  trace::StepRecord step_;
  Frame frame_;
  bool asked_ = false;
};

TEST_F(FlowDriver, ButtonsGoBackAndOn) {
  const auto back = click(24, 16), next = click(74, 16);
  ASSERT_EQ(back.size(), 1U);
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(std::get<GoToStage>(back[0]).stage, 2);
  EXPECT_EQ(std::get<GoToStage>(next[0]).stage, 4);
}

TEST_F(FlowDriver, ButtonsStopAtBothEnds) {
  frame_.flow = {0, 1};
  EXPECT_TRUE(click(24, 16).empty());
  frame_.flow = {14, 1};
  EXPECT_TRUE(click(74, 16).empty());
}

TEST_F(FlowDriver, AStagesNameLeadsToIt) {
  const auto commands = click(30, 40);
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(std::get<GoToStage>(commands[0]).stage, 0);
}

TEST_F(FlowDriver, KeysGoBackAndOn) {
  draw(keys);
  ImGui::GetIO().AddInputCharacter('[');
  EXPECT_EQ(std::get<GoToStage>(draw(keys).at(0)).stage, 2);
  ImGui::GetIO().AddInputCharacter(']');
  EXPECT_EQ(std::get<GoToStage>(draw(keys).at(0)).stage, 4);
  frame_.flow = {0, 1};
  ImGui::GetIO().AddInputCharacter('[');
  EXPECT_TRUE(draw(keys).empty());
}

TEST_F(FlowDriver, AClickOnARowPinsItsTokenAndAnotherUnpinsIt) {
  // Below the sentences the picture begins somewhere: go down the middle of the first column of boxes until one is hit.
  frame_.flow = {1, 1};
  Commands commands;
  float y = 100;
  for (; y < 300 && (commands.empty() || std::get<Pin>(commands[0]).hit.thing != Thing::token); y += 8) {
    commands = click(45, y);
  }
  ASSERT_FALSE(commands.empty());
  const auto hit = std::get<Pin>(commands[0]).hit;
  EXPECT_EQ(hit, (Hit{Thing::token, 0, 0}));
  frame_.pinned = hit;
  commands = click(45, y - 8);
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(std::get<Pin>(commands[0]).hit, Hit{});
}

TEST_F(FlowDriver, AsksForTokensInEveryFrameAndForNothingElse) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(draw(flow_panel).empty());
    EXPECT_TRUE(asked_);
  }
}

TEST_F(FlowDriver, SaysWhatIsMissing) {
  for (auto& rank : step_.ranks) rank.layers[0].tokens.clear();
  EXPECT_TRUE(click(74, 16).empty());
  frame_.tokens = nullptr;
  EXPECT_TRUE(draw(flow_panel).empty());
  EXPECT_TRUE(asked_);
  frame_.modes[0].step = nullptr;
  EXPECT_TRUE(draw(flow_panel).empty());
}

}  // namespace
}  // namespace duet::viz
