// The timeline and the traffic beyond their first pictures: many lanes, the selection, the legend, the words.
#include "viz/model/timeline_layout.h"

#include <gtest/gtest.h>

#include "tests/viz/steps.h"
#include "viz/model/traffic_layout.h"

namespace duet::viz {
namespace {

constexpr Rect rect{0, 0, 600, 240};
constexpr float line = 16;

trace::StepRecord many_ranks(std::size_t ranks) {
  auto step = test::two_ranks();
  const auto one = step.ranks.front();
  step.ranks.assign(ranks, one);
  return step;
}

TEST(TimelineTest, ManyLanesStayInsideAndTheirNamesApart) {
  const auto step = many_ranks(16);
  const auto shapes = lay_out_timeline({{"ep", &step}, {"dp", &step}, {"single", &step}}, {}, {}, rect, line);
  float last_name = -line;
  for (const auto& shape : shapes) {
    EXPECT_LE(shape.box.y + shape.box.height, rect.bottom() + 1);
    if (shape.form != Form::text || shape.text.find("rank") == std::string::npos) continue;
    EXPECT_GE(shape.box.y - last_name, line - 0.01F) << shape.text;
    last_name = shape.box.y;
  }
  EXPECT_GT(last_name, rect.height / 2);
}

TEST(TimelineTest, TheSelectedBlockIsFramedAndAHitAsBefore) {
  const auto step = test::two_ranks();
  const Hit hit{Thing::phase, 1, 3};
  const auto shapes = lay_out_timeline({{"ep", &step}}, {}, hit, rect, line);
  const auto framed =
      std::find_if(shapes.begin(), shapes.end(), [](const Shape& s) { return s.form == Form::outline; });
  ASSERT_NE(framed, shapes.end());
  EXPECT_EQ(hit_at(shapes, {framed->box.x + framed->box.width / 2, framed->box.y + framed->box.height - 1}), hit);
}

TEST(TimelineTest, LanesOfOtherRanksFade) {
  const auto step = test::two_ranks();
  for (const Hit pinned : {Hit{Thing::rank, 1, 0}, Hit{Thing::expert, 1, 1}, Hit{Thing::token, 1, 6}}) {
    for (const auto& shape : lay_out_timeline({{"ep", &step}}, {}, pinned, rect, line)) {
      if (shape.hit.thing != Thing::phase || shape.form != Form::box) continue;
      EXPECT_EQ(shape.colour.alpha < 0.5F, shape.hit.a == 0);
    }
  }
}

TEST(TimelineTest, TheLegendNamesEveryPhaseAndWraps) {
  float wide = 0, narrow = 0;
  const auto shapes = lay_out_phases({0, 0}, 2000, line, wide);
  const auto wrapped = lay_out_phases({0, 0}, 300, line, narrow);
  EXPECT_EQ(shapes.size(), wrapped.size());
  EXPECT_EQ(std::count_if(shapes.begin(), shapes.end(), [](const Shape& s) { return s.form == Form::text; }), 12);
  EXPECT_GT(narrow, 2 * wide);
  for (const auto& shape : wrapped) EXPECT_LT(shape.box.x, 300);
}

TEST(TrafficTest, WordsForACellAndTheSelectedRanksFrames) {
  auto step = test::two_ranks();
  for (auto& rank : step.ranks) rank.events[2].rows_to = {3, 1};
  EXPECT_EQ(tell_traffic(step, {Thing::cell, 0, 1}),
            "rank 0 to rank 1: 1 rows, 256 bytes forward (dispatch and combine); 0 rows, 0 bytes backward");
  EXPECT_EQ(tell_traffic(step, {Thing::cell, 1, 1}), "rank 1: 1 rows stay forward, 0 backward");
  EXPECT_EQ(tell_traffic(step, {Thing::cell, 5, 1}), "");
  const auto framed = [&](Hit pinned) {
    const auto shapes = lay_out_traffic(step, pinned, rect, line);
    return std::count_if(shapes.begin(), shapes.end(), [](const Shape& s) { return s.form == Form::outline; });
  };
  EXPECT_EQ(framed({}), 0);
  EXPECT_EQ(framed({Thing::rank, 1, 0}), 4);  // a row and a column, twice
  EXPECT_EQ(framed({Thing::rank, 9, 0}), 0);  // of another step or mode
}

}  // namespace
}  // namespace duet::viz
