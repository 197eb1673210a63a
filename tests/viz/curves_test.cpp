// Curves and the load map: equal lines stay apart, odd values do not count, one selection.
#include "viz/model/curves_layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "viz/model/load_layout.h"

namespace duet::viz {
namespace {

constexpr Rect rect{100, 50, 600, 300};
constexpr float line = 16;

std::vector<StepSummary> summaries(const std::vector<double>& losses, int modes = 1) {
  std::vector<StepSummary> all;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    for (int mode = 0; mode < modes; ++mode) {
      all.push_back({.step = static_cast<std::int64_t>(i),
                     .mode = mode,
                     .loss = losses[i],
                     .aux = 0,
                     .grad_norm = 1,
                     .step_us = 100.0 + mode,
                     .capacity = 8,
                     .tokens_per_expert = {6, 2},
                     .dropped_per_expert = {1, 0}});
    }
  }
  return all;
}

// Lines of a mode's colour.
std::vector<Shape> lines_of(const Shapes& shapes, int mode) {
  std::vector<Shape> lines;
  for (const auto& shape : shapes) {
    if (shape.form == Form::line && shape.colour.ink == Ink::expert && shape.colour.index == mode)
      lines.push_back(shape);
  }
  return lines;
}

TEST(CurvesTest, EqualLinesAreStripesOfOneAnother) {
  const auto all = summaries({3, 2, 1}, 3);
  const auto shapes = lay_out_curve({&all, {"ep", "dp", "single"}, 0}, Metric::loss, rect, line);
  EXPECT_GT(lines_of(shapes, 0).front().size, lines_of(shapes, 1).front().size + 1);
  EXPECT_GT(lines_of(shapes, 1).front().size, lines_of(shapes, 2).front().size + 1);
  std::size_t last_wide = 0, first_thin = shapes.size();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].form != Form::line || shapes[i].colour.ink != Ink::expert) continue;
    if (shapes[i].colour.index == 0) last_wide = i;
    if (shapes[i].colour.index == 2) first_thin = std::min(first_thin, i);
  }
  EXPECT_LT(last_wide, first_thin);  // the thin one is above
}

TEST(CurvesTest, TheLegendHasTheLinesWidths) {
  const auto all = summaries({3, 2}, 2);
  const auto shapes = lay_out_curve({&all, {"ep", "dp"}, 0}, Metric::loss, rect, line);
  const auto legend = lay_out_legend({"ep", "dp"}, {0, 0, 500, 20}, line);
  for (const int mode : {0, 1}) EXPECT_EQ(lines_of(legend, mode).front().size, lines_of(shapes, mode).front().size);
}

TEST(CurvesTest, OneStepIsAPoint) {
  const auto all = summaries({3});
  const auto shapes = lay_out_curve({&all, {"ep"}, 0}, Metric::loss, rect, line);
  EXPECT_TRUE(std::any_of(shapes.begin(), shapes.end(), [](const Shape& s) {
    return s.form == Form::box && s.colour.ink == Ink::expert && s.box.width >= 4;
  }));
}

TEST(CurvesTest, WhatIsNotFiniteLeavesAGapAndIsNeverNearest) {
  const auto all = summaries({1, NAN, INFINITY, 2});
  const Curves curves{&all, {"ep"}, 0};
  for (const auto& shape : lay_out_curve(curves, Metric::loss, rect, line)) {
    EXPECT_TRUE(std::isfinite(shape.box.y) && std::isfinite(shape.box.height));
  }
  EXPECT_EQ(nearest_point(curves, Metric::loss, rect, line, {350, 60}).summary->step, 0);
  const auto none = summaries({NAN});
  EXPECT_EQ(nearest_point({&none, {"ep"}, 0}, Metric::loss, rect, line, {350, 60}).summary, nullptr);
}

TEST(CurvesTest, ZerosAreALineAtTheBottom) {
  const auto all = summaries({0, 0, 0});
  const auto lines = lines_of(lay_out_curve({&all, {"ep"}, 0}, Metric::aux, rect, line), 0);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.front().box.height, 0);
  EXPECT_GT(lines.front().box.y, rect.y + rect.height / 2);
}

TEST(CurvesTest, TheNearestPointIsTheOneUnderThePointerAmongModes) {
  auto all = summaries({1, 1}, 2);
  all[1].loss = 9;
  const Curves curves{&all, {"ep", "dp"}, 0};
  EXPECT_EQ(nearest_point(curves, Metric::loss, rect, line, {rect.x, rect.y}).summary->mode, 1);
  EXPECT_EQ(nearest_point(curves, Metric::loss, rect, line, {rect.x, rect.bottom()}).summary->mode, 0);
}

TEST(LoadTest, TheSelectedExpertsRowIsFramed) {
  const auto all = summaries({1, 1, 1});
  const auto framed = [&](Hit pinned) {
    const auto shapes = lay_out_load({&all, {"ep"}, 1}, 0, pinned, rect, line);
    return std::count_if(shapes.begin(), shapes.end(), [](const Shape& s) { return s.form == Form::outline; });
  };
  EXPECT_EQ(framed({}), 1);  // the step in sight
  EXPECT_EQ(framed({Thing::expert, 0, 1}), 2);
  EXPECT_EQ(framed({Thing::expert, 0, 7}), 1);  // an expert that this trace does not have
}

TEST(LoadTest, SixtyFourExpertsAndTenThousandStepsStayWithinThePixels) {
  std::vector<StepSummary> all;
  for (std::int64_t step = 0; step < 10'000; ++step) {
    all.push_back({.step = step,
                   .tokens_per_expert = std::vector<std::int64_t>(64, 4),
                   .dropped_per_expert = std::vector<std::int64_t>(64, 0)});
  }
  const auto shapes = lay_out_load({&all, {"ep"}, 9000}, 0, {}, rect, line);
  EXPECT_LT(shapes.size(), 64U * 620);
  std::set<float> names;
  for (const auto& shape : shapes) {
    if (shape.form == Form::text && shape.text.starts_with("E")) names.insert(shape.box.y);
  }
  ASSERT_GT(names.size(), 4U);
  for (auto it = std::next(names.begin()); it != names.end(); ++it) EXPECT_GE(*it - *std::prev(it), 0.9F * line);
}

TEST(LoadTest, WithoutCountsItSaysSo) {
  const std::vector<StepSummary> all(1);
  const auto shapes = lay_out_load({&all, {"ep"}, 0}, 0, {}, rect, line);
  EXPECT_NE(shapes.back().text.find("does not say"), std::string::npos);
}

}  // namespace
}  // namespace duet::viz
