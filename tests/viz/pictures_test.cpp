// Each panel, as it was accepted: tests/viz/golden. CONTRIBUTING.md says how to look at a difference and accept it.
#include "tests/viz/pictures.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "tests/viz/made_trace.h"
#include "viz/app/panel_names.h"
#include "viz/panels/draw_shapes.h"
#include "viz/panels/palette.h"
#include "viz/platform/null_window.h"

namespace duet::viz {
namespace {

namespace fs = std::filesystem;
constexpr int width = 640, height = 400;
constexpr float font_size = 11;

// What is looked at.
struct Scene {
  std::string trace;
  bool dark = false;
  bool at_the_pointer = false;  ///< zoomed in by the wheel over the picture, and what lies there pinned
};

const std::string& trace_named(const std::string& name) {
  static const std::vector<std::string> modes{"ep", "dp", "single"};
  static const std::map<std::string, std::string> traces{
      {"crowded", test::made_trace({.ranks = 16, .experts = 64, .tokens = 512}, modes, 16)},
      {"small", test::made_trace({.ranks = 2, .experts = 4, .layers = 2, .tokens = 24}, modes, 12)},
      {"empty", test::made_trace({.experts = 4, .tokens = 0, .record_tokens = false}, {"ep"}, 1)}};
  return traces.at(name);
}

class Pictures : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = test::why_not_comparable(); !why.empty()) GTEST_SKIP() << why;
  }

  // The panel as a person sees it who has just done what the scene says.
  static Image draw(Panels panels, const Scene& scene) {
    TraceIndex index(trace_named(scene.trace), scene.trace);
    TraceSet traces({&index}, {scene.trace});
    Viewer viewer(traces, scene.trace);
    viewer.panels = panels;
    viewer.dark = scene.dark;
    viewer.go_to_step(7);
    NullWindow window(width, height, font_size);
    const auto frames = [&](int count) {
      for (int i = 0; i < count; ++i) {
        window.draw([&](float w, float h) {
          apply_style(viewer.dark, font_size / 16);
          viewer.draw(w, h);
        });
      }
    };
    frames(3);
    if (scene.at_the_pointer) {
      auto& io = ImGui::GetIO();
      io.MousePos = {width * 0.3F, height * 0.4F};
      for (int turn = 0; turn < 12; ++turn) {
        io.MouseWheel = 1;
        frames(1);
      }
      io.MouseWheel = 0;
      for (const bool down : {true, false}) {
        io.MouseDown[0] = down;
        frames(2);
      }
    }
    frames(60);  // what moves has arrived
    return window.picture(value_of({Ink::paper}, viewer.dark));
  }

  static void compare(const std::string& name, const Image& picture) {
    const auto accepted = fs::path(DUET_ACCEPTED_PICTURES) / (name + ".png");
    if (std::getenv("DUET_ACCEPT_PICTURES") != nullptr) {
      fs::create_directories(accepted.parent_path());
      write_png(test::coarse(picture), accepted);
      return;
    }
    const fs::path folder = DUET_NEW_PICTURES;
    const auto now = folder / (name + ".png"), difference = folder / (name + "_difference.png");
    std::error_code ignored;
    for (const auto& path : {now, difference}) fs::remove(path, ignored);
    const bool known = fs::exists(accepted);
    const auto before = known ? test::read_png(accepted) : picture;
    const auto how = known ? test::difference(before, picture) : "no picture of it was accepted yet";
    if (how.empty()) return;
    fs::create_directories(folder);
    write_png(picture, now);
    if (known) write_png(test::marked(before, picture), difference);
    ADD_FAILURE() << name << ": " << how << "\n  now        " << now.string() << "\n  accepted   " << accepted.string()
                  << (known ? "\n  difference " + difference.string() : "")
                  << "\n  fix        look at them; if they are right: ./duet test --accept-pictures";
  }
};

TEST_P(Pictures, LookAsAccepted) {
  const std::map<std::string, Scene> scenes{{"crowded", {"crowded"}},
                                            {"small", {"small"}},
                                            {"small_dark_pointed", {"small", true, true}},
                                            {"empty_dark", {"empty", true}}};
  for (const auto& [name, scene] : scenes) compare(GetParam() + "_" + name, draw(panel_names().at(GetParam()), scene));
}

std::vector<std::string> names_of_panels() {
  std::vector<std::string> names;
  for (const auto& [name, panels] : panel_names()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Panels, Pictures, testing::ValuesIn(names_of_panels()),
                         [](const auto& test) { return test.param; });

// What the comparison lets pass, and what not.
class Comparison : public testing::Test {
 protected:
  struct Changes {
    float label_x = 0, line_y = 0, edge_x = 0;
    int expert = 0;
    bool cross = true;
    const char* words = "E3: 69 on rank 1";
  };

  static Image draw(const Changes& changes) {
    const Shapes shapes{
        {.form = Form::band,
         .box = {20, 20, 100, 30},
         .end = {120, 60, 0, 10},
         .colour = {Ink::expert, changes.expert, 0.55F}},
        {.box = {20 + changes.edge_x, 60.3F, 8, 30}, .colour = {Ink::muted}},
        {.form = Form::line, .box = {10, 100 + changes.line_y, 120, 0}, .colour = {Ink::rule}},
        {.form = Form::text, .box = {20 + changes.label_x, 104}, .colour = {Ink::text}, .text = changes.words},
        {.form = Form::cross,
         .box = {130, 20, changes.cross ? 8.0F : 0.0F, changes.cross ? 8.0F : 0.0F},
         .colour = {Ink::dropped},
         .size = 2}};
    NullWindow window(160, 128, font_size);
    window.draw([&](float, float) { draw_shapes(*ImGui::GetForegroundDrawList(), shapes, false); });
    return window.picture(value_of({Ink::paper}, false));
  }
};

TEST_F(Comparison, PassesWhatCompilersRoundDifferently) {
  EXPECT_EQ(test::difference(draw({}), draw({.label_x = 0.02F, .line_y = 0.02F, .edge_x = 0.02F})), "");
}

TEST_F(Comparison, FindsALabelThatMovedByAPixel) { EXPECT_NE(test::difference(draw({}), draw({.label_x = 1})), ""); }
TEST_F(Comparison, FindsAnotherDigit) {
  EXPECT_NE(test::difference(draw({}), draw({.words = "E3: 68 on rank 1"})), "");
}
TEST_F(Comparison, FindsAnotherColour) { EXPECT_NE(test::difference(draw({}), draw({.expert = 1})), ""); }
TEST_F(Comparison, FindsALineThatMovedByAPixel) { EXPECT_NE(test::difference(draw({}), draw({.line_y = 1})), ""); }
TEST_F(Comparison, FindsAMissingCross) { EXPECT_NE(test::difference(draw({}), draw({.cross = false})), ""); }

TEST_F(Comparison, FindsAnotherSize) {
  EXPECT_EQ(test::difference({2, 1, std::vector<std::uint8_t>(8)}, {1, 1, std::vector<std::uint8_t>(4)}),
            "1x1 instead of 2x1");
}

TEST_F(Comparison, MarksWhatDiffersInRed) {
  const auto picture = test::marked(draw({}), draw({.expert = 1}));
  const auto* const inside = &picture.rgba[static_cast<std::size_t>(30 * picture.width + 25) * 4];
  EXPECT_EQ(inside[0], 220);
  EXPECT_EQ(inside[1], 0);
}

}  // namespace
}  // namespace duet::viz
