// Steps that no run writes: each panel draws them, and nothing that the pointer does there ends the program.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/viz/made_trace.h"
#include "viz/app/panel_names.h"
#include "viz/panels/palette.h"
#include "viz/platform/null_window.h"

namespace duet::viz {
namespace {

using json = nlohmann::ordered_json;

// Anywhere in the value: numbers become odd ones, lists lose, gain or mix up elements, keys go. Words stay, for the
// reader leaves out what has a word that it does not know.
void spoil(json& value, std::mt19937& random) {
  constexpr double share = 0.03;
  const auto often = [&](double s) { return std::uniform_real_distribution<>(0, 1)(random) < s; };
  if (value.is_number() && often(share)) {
    const std::vector<json> odd{-1, 0, 1, 7, 63, 1'000'000, std::int64_t{1} << 53, -(std::int64_t{1} << 53)};
    value = odd[random() % odd.size()];
  } else if (value.is_array() && !value.empty() && often(share)) {
    const auto at = random() % value.size();
    if (often(0.3)) {
      value.clear();
    } else if (often(0.5)) {
      value.erase(at);
    } else {
      const auto copy = value[at];
      value.push_back(copy);
    }
  } else if (value.is_structured()) {
    for (auto& one : value) spoil(one, random);
  }
}

std::string spoiled(const std::string& text, std::mt19937& random) {
  std::istringstream lines(text);
  std::string line, all;
  std::getline(lines, line);
  all = line + "\n";
  while (std::getline(lines, line)) {
    auto step = json::parse(line);
    const auto number = step.value("step", 0);
    for (auto& [key, value] : step.items()) {
      if (key == "footer" || key == "step") continue;
      spoil(value, random);
    }
    if (step.contains("step")) step["step"] = number;
    all += step.dump() + "\n";
  }
  return all;
}

// Moves, clicks, turns the wheel, drags and types, here and there.
void fumble(std::mt19937& random) {
  auto& io = ImGui::GetIO();
  io.MousePos = {static_cast<float>(random() % 640), static_cast<float>(random() % 400)};
  io.MouseDown[0] = random() % 3 == 0;
  io.MouseWheel = random() % 3 == 0 ? static_cast<float>(random() % 5) - 2 : 0;
  constexpr std::string_view typed = " wasdfl?nbxtr[]+-0";
  if (random() % 4 == 0) io.AddInputCharacter(static_cast<unsigned>(typed[random() % typed.size()]));
}

class OddTraces : public testing::TestWithParam<int> {};

TEST_P(OddTraces, AreDrawnByEveryPanel) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const test::MadeRun run{.ranks = 3, .experts = 6, .layers = 2, .tokens = 24};
  const auto text = spoiled(test::made_trace(run, {"ep", "dp", "single"}, 4), random);
  TraceIndex index(text, "odd");
  TraceSet traces({&index}, {"odd"});
  Viewer viewer(traces, "odd");
  NullWindow window(640, 400, 11);
  for (const auto& [name, panels] : panel_names()) {
    SCOPED_TRACE(fmt::format("{}, seed {}", name, GetParam()));
    viewer.panels = panels;
    viewer.select({static_cast<Thing>(random() % 10), static_cast<std::int64_t>(random() % 70) - 2,
                   static_cast<std::int64_t>(random() % 70) - 2});
    for (int i = 0; i < 30; ++i) {
      if (i % 5 == 0) viewer.go_to_place(random() % 4);
      fumble(random);
      window.draw([&](float width, float height) {
        apply_style(viewer.dark, 1);
        viewer.draw(width, height);
      });
      ASSERT_LT(ImGui::GetDrawData()->TotalVtxCount, 400'000);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, OddTraces, testing::Range(0, 24));

TEST(OddTraces, AStepThatCannotBeReadIsToldAndTheOthersAreShown) {
  auto text = test::made_trace({.tokens = 8}, {"ep"}, 3);
  text.replace(text.find("\"loss\"", text.find("{\"step\":1")), 6, "\"lost\"");
  TraceIndex index(text, "odd");
  TraceSet traces({&index}, {"odd"});
  Viewer viewer(traces, "odd");
  viewer.go_to_step(1);
  EXPECT_EQ(viewer.frame().modes.at(0).step, nullptr);
  EXPECT_NE(viewer.frame().note.find("cannot be read"), std::string::npos);
  viewer.go_to_step(2);
  EXPECT_NE(viewer.frame().modes.at(0).step, nullptr);
  EXPECT_EQ(viewer.frame().note, "");
}

}  // namespace
}  // namespace duet::viz
