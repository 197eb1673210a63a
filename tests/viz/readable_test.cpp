// What is crowded stays readable: words lie on nothing, small parts become one, noise does not hide a line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/viz/flow_steps.h"
#include "tests/viz/steps.h"
#include "viz/model/curves_layout.h"
#include "viz/model/frame_words.h"
#include "viz/model/load_layout.h"
#include "viz/model/routing_labels.h"
#include "viz/model/routing_layout.h"
#include "viz/model/traffic_layout.h"
#include "viz/model/waterfall.h"

namespace duet::viz {
namespace {

constexpr float line = 16;

std::vector<std::string> texts_of(const Shapes& shapes) {
  std::vector<std::string> texts;
  for (const auto& shape : shapes) {
    if (shape.form == Form::text) texts.push_back(shape.text);
  }
  return texts;
}

bool says(const Shapes& shapes, const std::string& words) {
  const auto texts = texts_of(shapes);
  return std::any_of(texts.begin(), texts.end(), [&](const auto& t) { return t.find(words) != std::string::npos; });
}

// A step whose parts all last, some of them hardly.
trace::StepRecord slow_step() {
  auto step = test::two_ranks();
  for (auto& rank : step.ranks) {
    rank.events.clear();
    std::int64_t at = 0;
    for (int phase = 0; phase <= static_cast<int>(trace::Phase::optimizer); ++phase) {
      rank.events.push_back(test::event(static_cast<trace::Phase>(phase), at, at + 10'000 * (phase + 1)));
      at += 10'000 * (phase + 1);
    }
    step.step_ns = at;
  }
  return step;
}

TEST(ReadableWaterfall, FoldsTheSmallestPartsAndStillAddsUp) {
  const auto from = test::two_ranks(), to = slow_step();
  const auto all = differences(from, to);
  ASSERT_GT(all.size(), 8U);
  const auto shapes = lay_out_waterfall({"dp", &from}, {"ep", &to}, {0, 0, 600, 100}, line);
  const auto texts = texts_of(shapes);
  double sum = 0;
  std::size_t rows = 0;
  for (std::size_t i = 0; i + 1 < texts.size(); i += 2, ++rows) {
    if (i > 0 && i + 2 < texts.size()) sum += std::stod(texts[i + 1]);
  }
  EXPECT_LT(rows, all.size());
  EXPECT_TRUE(says(shapes, "smaller parts"));
  EXPECT_NEAR(sum, static_cast<double>(to.step_ns - from.step_ns) / 1e3, 0.05 * static_cast<double>(rows));
  for (const auto& shape : shapes) {
    if (shape.form == Form::text) {
      EXPECT_GE(shape.size, 0.69F) << shape.text;
    }
    EXPECT_LE(shape.box.y + (shape.form == Form::text ? shape.size * line : shape.box.height), 101);
  }
  const auto wide = lay_out_waterfall({"dp", &from}, {"ep", &to}, {0, 0, 600, 400}, line);
  EXPECT_FALSE(says(wide, "smaller parts"));
}

TEST(ReadableWaterfall, HasNoSignWhereNothingIsLeft) {
  const auto from = test::two_ranks();
  auto to = from;
  to.ranks[0].events[0].end_ns -= 10;
  to.ranks[1].events[0].end_ns -= 10;
  const auto shapes = lay_out_waterfall({"dp", &from}, {"ep", &to}, {0, 0, 600, 400}, line);
  EXPECT_TRUE(says(shapes, "0.0 us"));
  EXPECT_FALSE(says(shapes, "-0.0"));
}

// The name of a phase is not where its exchange is drawn, whatever the lane's height.
TEST(ReadableTimeline, NamesLieOnNothing) {
  const auto step = test::two_ranks();
  for (float height = 60; height < 500; height += 20) {
    const auto shapes = lay_out_timeline({{"ep", &step}}, {}, {}, {0, 0, 2000, height}, line);
    for (const auto& text : shapes) {
      if (text.form != Form::text || text.text != "dispatch") continue;
      const float width = text_width(text.text, text.size * line), left = text.box.x - width / 2;
      for (const auto& over : shapes) {
        const bool exchange = over.hit.thing == Thing::phase && over.hit.b == 2;
        if (!exchange || over.box.right() <= left || over.box.x >= left + width) continue;
        const bool other_lane = over.box.y > text.box.y + 4 * line || over.box.bottom() < text.box.y;
        if (!other_lane) {
          EXPECT_LE(text.box.y + text.size * line, over.box.y + 0.5F) << height;
        }
      }
    }
  }
  EXPECT_TRUE(says(lay_out_timeline({{"ep", &step}}, {}, {}, {0, 0, 2000, 400}, line), "dispatch"));
}

TEST(ReadableTimeline, TheLastTickIsNotCutOff) {
  auto step = test::two_ranks();
  step.step_ns = 80'000'100;
  const auto shapes = lay_out_timeline({{"ep", &step}}, {}, {}, {0, 0, 700, 300}, line);
  EXPECT_TRUE(says(shapes, "80000"));
  for (const auto& shape : shapes) {
    if (shape.form != Form::text || shape.align != Align::middle) continue;
    EXPECT_LE(shape.box.x + text_width(shape.text, line) / 2, 700) << shape.text;
  }
}

TEST(ReadableTraffic, CellsHaveTheirNumbersWhereTheseFit) {
  auto step = test::two_ranks();
  const auto rank = step.ranks.front();
  step.ranks.assign(16, rank);
  for (auto& one : step.ranks) one.events[2].rows_to.assign(16, 128);
  const auto count = [&](float size) {
    const auto texts = texts_of(lay_out_traffic(step, {}, {0, 0, size, size / 2}, line));
    return std::count(texts.begin(), texts.end(), "128");
  };
  EXPECT_EQ(count(1280), 256);  // forward; nothing goes back here
  EXPECT_EQ(count(640), 0);
  EXPECT_TRUE(says(lay_out_traffic(step, {}, {0, 0, 1280, 640}, line), "to"));
}

TEST(ReadableCurves, NoiseIsAPaleBandRoundTheMean) {
  std::vector<StepSummary> all(10'000);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].step = static_cast<std::int64_t>(i);
    all[i].loss = i % 2 == 0 ? 1 : 3;
  }
  const auto shapes = lay_out_curve({&all, {"ep"}, 0}, Metric::loss, {0, 0, 600, 300}, line);
  std::size_t bands = 0;
  std::vector<float> heights;
  for (const auto& shape : shapes) {
    if (shape.colour.ink != Ink::expert) continue;
    if (shape.form == Form::box) {
      ++bands;
      EXPECT_LT(shape.colour.alpha, 0.5F);
      EXPECT_EQ(shape.box.width, 1);
      EXPECT_GT(shape.box.height, 10);
    } else if (shape.form == Form::line) {
      heights.push_back(shape.box.y + shape.box.height);
    }
  }
  EXPECT_GT(bands, 400U);
  ASSERT_GT(heights.size(), 400U);
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end() - 1);  // the last column has one step
  EXPECT_LT(*high - *low, 10);
}

TEST(ReadableLoad, SaysWhatAnExpertTakes) {
  std::vector<StepSummary> all(2);
  for (std::size_t i = 0; i < 2; ++i) {
    all[i].step = static_cast<std::int64_t>(i);
    all[i].capacity = i == 0 ? -1 : 12;
    all[i].tokens_per_expert = {20, 4};
  }
  EXPECT_TRUE(says(lay_out_load({&all, {"ep"}, 0}, 0, {}, {0, 0, 600, 300}, line), "no limit"));
  EXPECT_TRUE(says(lay_out_load({&all, {"ep"}, 1}, 0, {}, {0, 0, 600, 300}, line), "at step 1 an expert takes 12"));
}

TEST(ReadableRouting, TheHeadingSaysWhyNumbersAreLargerThanTheTokens) {
  EXPECT_TRUE(says(lay_out_routing(test::two_by_two(), {}, {0, 0, 1000, 500}, line), "tokens of rank"));
  EXPECT_FALSE(says(lay_out_routing(test::two_by_two(), {}, {0, 0, 1000, 500}, line), "choices"));
  const auto two = test::tokens_step({{{1, 0}, {0, 1}}, {{0, 1}}}, 2);
  EXPECT_TRUE(says(lay_out_routing(two, {}, {0, 0, 1000, 500}, line), "tokens of rank x 2 choices"));
  EXPECT_TRUE(says(lay_out_routing(two, {}, {0, 0, 400, 500}, line), "tokens x 2"));
}

TEST(ReadableFlow, TakesFewerTokensWhereEachHasManyRows) {
  const test::Choices many(20, {0, 1, 2, 3});
  const test::Choices few(20, {0, 1});
  EXPECT_EQ(flow_batch(test::tokens_step({few, few}, 4), 0).tokens_shown.front(), 8);
  EXPECT_EQ(flow_batch(test::tokens_step({many, many}, 4), 0).tokens_shown.front(), 4);
  EXPECT_EQ(flow_batch(test::tokens_step({many, many}, 4), 0, {}, FlowSize::all()).tokens_shown.front(), 20);
  const Hit last{Thing::token, 1, 39};
  const auto pinned = flow_batch(test::tokens_step({many, many}, 4), 0, last);
  EXPECT_TRUE(std::any_of(pinned.rows.begin(), pinned.rows.end(), [](const FlowRow& row) { return row.token == 39; }));
}

TEST(ReadableFrame, SaysWhatAModeIs) {
  for (const char* const mode : {"ep", "b ep"}) EXPECT_EQ(std::string(mode_in_words(mode)).find("expert par"), 0U);
  EXPECT_EQ(std::string(mode_in_words("a dp")).find("data par"), 0U);
  EXPECT_EQ(std::string(mode_in_words("single")).find("all of it"), 0U);
}

TEST(ReadableFrame, SaysWhatIsMissing) {
  const auto step = test::two_ranks();
  Frame frame;
  frame.title = "run";
  EXPECT_EQ(no_step_words(frame).find("run holds no step yet"), 0U);
  frame.live = LiveState{};
  EXPECT_EQ(no_step_words(frame), "The first step is on its way.");
  frame.live->ended = true;
  EXPECT_EQ(no_step_words(frame), "The run ended before its first step was done.");
  frame.modes = {{"a ep", &step}, {"b ep", nullptr}, {"b dp", nullptr}};
  EXPECT_EQ(modes_missing(frame), "without this step: b ep, b dp");
  frame.modes.resize(1);
  EXPECT_EQ(modes_missing(frame), "");
}

}  // namespace
}  // namespace duet::viz
