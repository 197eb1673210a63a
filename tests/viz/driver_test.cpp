// A person's hand on the panels, without a display: the pointer moves and clicks, and the commands are looked at.
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <set>

#include "tests/viz/steps.h"
#include "viz/panels/panels.h"
#include "viz/platform/fonts.h"

namespace duet::viz {
namespace {

class Driver : public testing::Test {
 protected:
  Driver() : context_(ImGui::CreateContext()), step_(test::two_ranks()) {
    auto& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {1000, 600};
    load_font(16);
    frame_.title = "test";
    frame_.modes = {{"ep", &step_}, {"dp", &step_}};
    frame_.step = 7;
    frame_.step_number = 2;
    frame_.steps = 9;
  }
  ~Driver() override { ImGui::DestroyContext(context_); }

  template <typename Panel>
  Commands draw(const Panel& panel) {
    Commands commands;
    ImGui::GetIO().DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({width_, 600});
    ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration);
    panel(frame_, commands);
    ImGui::End();
    ImGui::Render();
    return commands;
  }

  // Moves there, presses and lets go; the commands of all frames.
  template <typename Panel>
  Commands click(const Panel& panel, float x, float y) {
    Commands all;
    const auto add = [&] {
      for (const auto& command : draw(panel)) all.push_back(command);
    };
    add();
    ImGui::GetIO().MousePos = {x, y};
    add();
    ImGui::GetIO().MouseDown[0] = true;
    add();
    ImGui::GetIO().MouseDown[0] = false;
    add();
    add();
    return all;
  }

  // All that a hand can ask for, wherever in the top of the window it clicks.
  template <typename Panel>
  Commands click_everywhere(const Panel& panel, float height) {
    Commands all;
    for (float y = 12; y < height; y += 8) {
      for (float x = 10; x < width_; x += 10) {
        for (const float below : {28.0F, 44.0F}) {  // where a list that opened would have its lines
          for (const float at : {y, y + below}) {
            for (const auto& command : click(panel, x, at)) all.push_back(command);
          }
        }
      }
    }
    return all;
  }

  float width_ = 1000;
  ImGuiContext* context_;
  trace::StepRecord step_;
  Frame frame_;
};

TEST_F(Driver, AClickOnARibbonPinsIt) {
  const auto commands = click(routing_panel, 200, 120);  // right of rank 0's bar, its upper part: to expert 0
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(std::get<Pin>(commands[0]).hit, (Hit{Thing::ribbon, 0, 0}));
  frame_.pinned = {Thing::ribbon, 0, 0};
  const auto again = click(routing_panel, 200, 120);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(std::get<Pin>(again[0]).hit, Hit{});
}

TEST_F(Driver, TheWheelZoomsRoundThePointer) {
  draw(timeline_panel);
  ImGui::GetIO().MousePos = {500, 100};
  draw(timeline_panel);
  ImGui::GetIO().MouseWheel = 1;
  const auto commands = draw(timeline_panel);
  ASSERT_EQ(commands.size(), 1U);
  const auto window = std::get<SetWindow>(commands[0]).window;
  EXPECT_NEAR(window.to_us - window.from_us, 0.8 * 2.0, 1e-3);
  EXPECT_GT(window.from_us, 0);
  EXPECT_LT(window.to_us, 2.0);
}

TEST_F(Driver, KeysAskForWhatTheListSays) {
  draw(keys);
  ImGui::GetIO().AddInputCharacter(' ');
  EXPECT_TRUE(std::get<Play>(draw(keys).at(0)).on);
  ImGui::GetIO().AddInputCharacter('w');
  const auto zoomed = std::get<SetWindow>(draw(keys).at(0)).window;
  EXPECT_NEAR(zoomed.to_us - zoomed.from_us, 0.8 * 2.0, 1e-9);
  ImGui::GetIO().AddInputCharacter('f');
  EXPECT_EQ(std::get<SetWindow>(draw(keys).at(0)).window.to_us, 0);
  ImGui::GetIO().AddInputCharacter('?');
  EXPECT_TRUE(std::get<ShowHelp>(draw(keys).at(0)).on);
}

TEST_F(Driver, AnIdleFrameAsksForNothing) {
  draw(control_panel);
  EXPECT_TRUE(draw(control_panel).empty());
  EXPECT_TRUE(draw(routing_panel).empty());
  EXPECT_TRUE(draw(timeline_panel).empty());
}

template <typename Wanted>
std::size_t count_of(const Commands& commands) {
  return static_cast<std::size_t>(std::count_if(
      commands.begin(), commands.end(), [](const auto& command) { return std::holds_alternative<Wanted>(command); }));
}

TEST_F(Driver, EveryControlIsWithinReachInANarrowWindow) {
  for (auto& rank : step_.ranks) rank.layers.push_back(rank.layers.front());
  frame_.modes.clear();
  for (const char* const mode : {"a ep", "a dp", "a single", "b ep", "b dp", "b single"}) {
    frame_.modes.push_back({mode, &step_});
  }
  for (const float width : {320.0F, 800.0F}) {
    width_ = width;
    const auto all = click_everywhere(control_panel, 240);
    std::set<std::size_t> modes, layers;
    for (const auto& command : all) {
      if (const auto* const show = std::get_if<ShowMode>(&command)) modes.insert(show->mode);
      if (const auto* const show = std::get_if<ShowLayer>(&command)) layers.insert(show->layer);
    }
    EXPECT_EQ(modes.size(), 6U) << width;
    EXPECT_EQ(layers, (std::set<std::size_t>{0, 1})) << width;
    EXPECT_GT(count_of<Play>(all), 0U) << width;
    EXPECT_GT(count_of<ShowHelp>(all), 0U) << width;
    EXPECT_GT(count_of<SetDark>(all), 0U) << width;
  }
}

TEST_F(Driver, AStepOfOneLayerHasNoChoiceOfLayers) {
  EXPECT_EQ(count_of<ShowLayer>(click_everywhere(control_panel, 60)), 0U);
}

TEST_F(Driver, SaysThatAModeLacksTheStep) {
  frame_.modes[0].step = nullptr;
  EXPECT_TRUE(draw(routing_panel).empty());
}

}  // namespace
}  // namespace duet::viz
