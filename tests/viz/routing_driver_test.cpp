// A person's hand on the routing panel and the inspector, without a display.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/viz/token_steps.h"
#include "trace/writer.h"
#include "viz/app/viewer.h"
#include "viz/panels/panels.h"
#include "viz/platform/fonts.h"

namespace duet::viz {
namespace {

class RoutingHand : public testing::Test {
 protected:
  RoutingHand() : context_(ImGui::CreateContext()), step_(test::two_ranks_with_tokens()) {
    auto& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {1000, 600};
    load_font(16);
    frame_.modes = {{"ep", &step_}};
    frame_.steps = 1;
  }
  ~RoutingHand() override { ImGui::DestroyContext(context_); }

  Commands draw(void (*panel)(const Frame&, Commands&) = routing_panel) {
    Commands commands;
    ImGui::GetIO().DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({1000, 600});
    ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration);
    panel(frame_, commands);
    ImGui::End();
    ImGui::Render();
    return commands;
  }

  template <typename Kind>
  static std::vector<Kind> only(const Commands& commands) {
    std::vector<Kind> found;
    for (const auto& command : commands) {
      if (const auto* const one = std::get_if<Kind>(&command)) found.push_back(*one);
    }
    return found;
  }

  // Goes to a place, presses, moves by `dy` and lets go; the commands of all frames.
  Commands press(float x, float y, float dy = 0) {
    Commands all;
    const auto add = [&] {
      for (const auto& command : draw()) all.push_back(command);
    };
    auto& io = ImGui::GetIO();
    io.MousePos = {x, y};
    add();
    add();
    io.MouseDown[0] = true;
    add();
    io.MousePos.y += dy;
    add();
    io.MouseDown[0] = false;
    add();
    add();
    return all;
  }

  ImGuiContext* context_;
  trace::StepRecord step_;
  Frame frame_;
};

TEST_F(RoutingHand, TheWheelZoomsRoundThePointerAndAsksForTokens) {
  EXPECT_TRUE(only<NeedTokens>(draw()).empty());
  ImGui::GetIO().MousePos = {500, 200};
  draw();
  ImGui::GetIO().MouseWheel = 1;
  const auto zooms = only<SetRoutingZoom>(draw());
  ASSERT_EQ(zooms.size(), 1U);
  frame_.routing_zoom = zooms[0].zoom;
  EXPECT_NEAR(frame_.routing_zoom.to - frame_.routing_zoom.from, 0.8F, 1e-5F);
  EXPECT_GT(frame_.routing_zoom.from, 0);
  EXPECT_EQ(only<NeedTokens>(draw()).size(), 1U);
}

TEST_F(RoutingHand, DraggingMovesAndPinsNothing) {
  frame_.routing_zoom = {0.2F, 0.6F};
  const auto commands = press(500, 300, -100);
  const auto zooms = only<SetRoutingZoom>(commands);
  ASSERT_EQ(zooms.size(), 1U);
  EXPECT_GT(zooms[0].zoom.from, 0.2F);
  EXPECT_TRUE(only<Pin>(commands).empty());
}

TEST_F(RoutingHand, ADoubleClickShowsAll) {
  frame_.routing_zoom = {0.2F, 0.6F};
  press(500, 300);
  const auto zooms = only<SetRoutingZoom>(press(500, 300));
  ASSERT_EQ(zooms.size(), 1U);
  EXPECT_TRUE(zooms[0].zoom.all());
}

TEST_F(RoutingHand, AClickOnASingleTokenPinsIt) {
  frame_.routing_zoom = {0, 0.999F};
  frame_.tokens = &step_;
  const auto pins = only<Pin>(press(260, 90));  // the uppermost band: rank 0's first pair
  ASSERT_EQ(pins.size(), 1U);
  EXPECT_EQ(pins[0].hit, (Hit{Thing::token, 0, 0}));
  frame_.pinned = pins[0].hit;
  EXPECT_EQ(only<Pin>(press(260, 90)).at(0).hit, Hit{});
}

TEST_F(RoutingHand, TheWhatIfBoxAsksForARuleAndTakesItBack) {
  const auto asked = only<SetWhatIf>(press(18, 18));
  ASSERT_EQ(asked.size(), 1U);
  ASSERT_TRUE(asked[0].rule.has_value());
  EXPECT_EQ(*asked[0].rule, WhatIf{});
  frame_.what_if = WhatIf{};
  const auto back = only<SetWhatIf>(press(18, 18));
  ASSERT_EQ(back.size(), 1U);
  EXPECT_FALSE(back[0].rule.has_value());
}

TEST_F(RoutingHand, AnotherFactorIsTyped) {
  frame_.what_if = WhatIf{};
  press(180, 18);  // the field
  ImGui::GetIO().AddInputCharacter('5');
  const auto rules = only<SetWhatIf>(draw());
  ASSERT_EQ(rules.size(), 1U);
  EXPECT_EQ(rules[0].rule->capacity_factor.size(), 4U);
  EXPECT_EQ(rules[0].rule->drop, "position");
}

TEST_F(RoutingHand, AFactorAndAPolicyAreChosenFromLists) {
  frame_.what_if = WhatIf{};
  press(218, 18);  // the list beside the field opens below it
  const auto factors = only<SetWhatIf>(press(225, 60));
  ASSERT_EQ(factors.size(), 1U);
  EXPECT_NE(factors[0].rule->capacity_factor, "1.0");
  press(350, 18);
  const auto policies = only<SetWhatIf>(press(320, 60));
  ASSERT_EQ(policies.size(), 1U);
  EXPECT_EQ(policies[0].rule->drop, "probability");
}

TEST_F(RoutingHand, ARunThatGoesOnAllowsNoRule) {
  frame_.live = LiveState{};
  EXPECT_TRUE(only<SetWhatIf>(press(18, 18)).empty());
  frame_.live->paused = true;
  EXPECT_EQ(only<SetWhatIf>(press(18, 18)).size(), 1U);
}

TEST_F(RoutingHand, TheInspectorAsksForTheTokenThatIsSelected) {
  EXPECT_TRUE(draw(inspector_panel).empty());
  frame_.pinned = {Thing::token, 0, 1};
  EXPECT_EQ(only<NeedTokens>(draw(inspector_panel)).size(), 1U);
}

TEST_F(RoutingHand, EverythingIsDrawnWithWhatIfAndATokenAndAtEverySize) {
  frame_.tokens = &step_;
  frame_.what_if = WhatIf{};
  frame_.recomputed = &step_;
  for (const Hit hit : {Hit{}, Hit{Thing::token, 0, 3}, Hit{Thing::expert, 0, 0}, Hit{Thing::phase, 0, 2}}) {
    frame_.pinned = hit;
    for (const RoutingZoom zoom : {RoutingZoom{}, RoutingZoom{0, 0.5F}}) {
      frame_.routing_zoom = zoom;
      draw();
      draw(inspector_panel);
    }
  }
}

// A panel that waits for tokens asks in each frame; a window that shows them sleeps all the same.
TEST_F(RoutingHand, AViewerWithASelectedTokenComesToRest) {
  namespace fs = std::filesystem;
  const auto path = fs::temp_directory_path() / fmt::format("duet_rest_{}.jsonl", ::getpid());
  {
    trace::TraceWriter writer(path, {});
    writer.write(step_);
    writer.finish(false);
  }
  std::ifstream in(path, std::ios::binary);
  TraceIndex index(std::string{std::istreambuf_iterator<char>(in), {}}, "text");
  fs::remove(path);
  TraceSet traces({&index}, {"text"});
  Viewer viewer(traces, "text");
  viewer.select({Thing::token, 0, 1});
  const auto draws = [&] {
    ImGui::GetIO().DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    const bool more = viewer.draw(1000, 600);
    ImGui::Render();
    return more;
  };
  EXPECT_TRUE(draws());
  EXPECT_NE(viewer.frame().tokens, nullptr);
  EXPECT_FALSE(draws());
  EXPECT_FALSE(draws());
}

}  // namespace
}  // namespace duet::viz
