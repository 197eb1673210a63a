#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/viz/steps.h"
#include "viz/model/curves_layout.h"
#include "viz/model/load_layout.h"
#include "viz/model/panel_csv.h"
#include "viz/model/routing_layout.h"
#include "viz/model/traffic_layout.h"
#include "viz/model/waterfall.h"

namespace duet::viz {
namespace {

using test::two_ranks;
using ::testing::HasSubstr;

constexpr Rect rect{10, 20, 800, 400};
constexpr float line = 16;

std::vector<Shape> with(const Shapes& shapes, Form form, Thing thing) {
  std::vector<Shape> found;
  for (const auto& shape : shapes) {
    if (shape.form == form && shape.hit.thing == thing) found.push_back(shape);
  }
  return found;
}

Point middle(const Rect& r) { return {r.x + r.width / 2, r.y + r.height / 2}; }

TEST(RoutingLayout, RibbonsAreAsThickAsTheirPairs) {
  const auto ribbons = with(lay_out_routing(two_ranks(), {}, rect, line), Form::band, Thing::ribbon);
  ASSERT_EQ(ribbons.size(), 4U);  // what arrives: 2 of 3, 1, 2, 2
  const float one = ribbons[1].box.height;
  EXPECT_NEAR(ribbons[0].box.height, 2 * one, 1e-3);
  EXPECT_NEAR(ribbons[2].box.height, 2 * one, 1e-3);
  EXPECT_NEAR(ribbons[3].box.height, 2 * one, 1e-3);
}

TEST(RoutingLayout, DroppedPairsStopBeforeTheExpertAndSayHowMany) {
  const auto shapes = lay_out_routing(two_ranks(), {}, rect, line);
  const auto drops = with(shapes, Form::band, Thing::drop);
  ASSERT_EQ(drops.size(), 1U);
  const auto ribbon = with(shapes, Form::band, Thing::ribbon)[0];
  EXPECT_LT(drops[0].box.right(), ribbon.box.right() - 100);
  EXPECT_EQ(with(shapes, Form::cross, Thing::drop).size(), 1U);
  bool told = false;
  for (const auto& shape : shapes) told = told || shape.text == "1 dropped: over capacity";
  EXPECT_TRUE(told);
}

TEST(RoutingLayout, EverythingLiesInsideItsRectangle) {
  for (const float height : {60.0F, 400.0F, 2000.0F}) {
    const Rect room{10, 20, 500, height};
    for (const auto& shape : lay_out_routing(two_ranks(), {}, room, line)) {
      if (shape.form == Form::text) continue;
      EXPECT_GE(shape.box.x, room.x);
      EXPECT_LE(shape.box.right(), room.right() + 0.01F);
      EXPECT_GE(shape.box.y, room.y - 0.01F);
      EXPECT_LE(shape.box.bottom(), room.bottom() + 0.01F);
    }
  }
}

TEST(RoutingLayout, ThePointerFindsTheRibbonThatIsSeenThere) {
  const auto shapes = lay_out_routing(two_ranks(), {}, rect, line);
  for (const auto& shape : with(shapes, Form::box, Thing::expert))
    EXPECT_EQ(hit_at(shapes, middle(shape.box)), shape.hit);
  const auto ribbon = with(shapes, Form::band, Thing::ribbon)[3];
  const Point near_its_left_end{ribbon.box.x + 2, ribbon.box.y + ribbon.box.height / 2};
  EXPECT_EQ(hit_at(shapes, near_its_left_end), (Hit{Thing::ribbon, 1, 1}));
  EXPECT_EQ(hit_at(shapes, {-5, -5}), Hit{});
  EXPECT_THAT(tell_routing(two_ranks(), 0, {Thing::drop, 0, 0}), HasSubstr("3 times; 1 dropped: over capacity"));
  EXPECT_THAT(tell_routing(two_ranks(), 0, {Thing::rank, 1, 0}), HasSubstr("4 pairs"));
}

TEST(RoutingLayout, FadesWhatIsNotPinned) {
  const auto ribbons =
      with(lay_out_routing(two_ranks(), {0, {Thing::expert, 0, 0}}, rect, line), Form::band, Thing::ribbon);
  EXPECT_GT(ribbons[0].colour.alpha, 0.5F);
  EXPECT_LT(ribbons[1].colour.alpha, 0.2F);
}

TEST(RoutingLayout, KeepsRibbonsOnTheirRankUnderDataParallelism) {
  auto step = two_ranks();
  for (auto& rank : step.ranks) rank.layers[0].expert_grad_norm = {0.5, 0.5};
  EXPECT_EQ(owner_of(step, 0, 1, 0), 1);
  EXPECT_EQ(with(lay_out_routing(step, {}, rect, line), Form::box, Thing::expert).size(), 4U);
}

TEST(RoutingLayout, FindsTheOwnerInsideTheExpertParallelGroupOfAHybrid) {
  auto step = two_ranks();
  step.ranks.push_back(step.ranks[0]);
  step.ranks.push_back(step.ranks[1]);  // dp 2 x ep 2
  EXPECT_EQ(owner_of(step, 0, 0, 1), 1);
  EXPECT_EQ(owner_of(step, 0, 3, 0), 2);
}

TEST(RoutingLayout, DrawsAStepWithoutTokensOrLayers) {
  auto step = two_ranks();
  for (auto& rank : step.ranks) rank.layers[0].tokens_per_expert = {0, 0};
  EXPECT_FALSE(lay_out_routing(step, {}, rect, line).empty());
  for (auto& rank : step.ranks) rank.layers.clear();
  lay_out_routing(step, {}, rect, line);
  lay_out_routing({}, {}, rect, line);
}

TEST(TimelineLayout, DividesAnExchangeIntoWaitingAndTransfer) {
  const auto step = two_ranks();
  const auto shapes = lay_out_timeline({{"ep", &step}}, {}, {}, rect, line);
  const auto waits = with(shapes, Form::hatched, Thing::phase);
  ASSERT_EQ(waits.size(), 1U);  // rank 1 came last: it did not wait
  EXPECT_EQ(waits[0].hit, (Hit{Thing::phase, 0, 2}));
  const auto phases = with(shapes, Form::box, Thing::phase);
  EXPECT_NEAR(waits[0].box.width / phases[0].box.width, 300.0F / 400.0F, 1e-3);  // against rank 0's route
  EXPECT_THAT(tell_timeline({{"ep", &step}}, waits[0].hit), HasSubstr("0.3 us waiting for rank 1"));
}

TEST(TimelineLayout, CutsWhatIsOutOfSight) {
  const auto step = two_ranks();
  const auto all = lay_out_timeline({{"ep", &step}}, {}, {}, rect, line);
  const auto part = lay_out_timeline({{"ep", &step}}, {0.0, 0.3}, {}, rect, line);
  EXPECT_EQ(with(part, Form::box, Thing::phase).size(), 2U);  // route, on both ranks
  EXPECT_GT(with(part, Form::box, Thing::phase)[0].box.width, with(all, Form::box, Thing::phase)[0].box.width);
}

TEST(TimelineLayout, NamesNothingForAHitThatIsGone) {
  const auto step = two_ranks();
  EXPECT_EQ(tell_timeline({{"ep", &step}}, {Thing::phase, 9, 0}), "");
  EXPECT_EQ(tell_timeline({{"ep", &step}}, {Thing::phase, 0, 99}), "");
  EXPECT_EQ(tell_timeline({{"ep", nullptr}}, {Thing::phase, 0, 0}), "");
}

std::vector<StepSummary> summaries(std::int64_t steps) {
  std::vector<StepSummary> all(static_cast<std::size_t>(steps));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].step = static_cast<std::int64_t>(i);
    all[i].loss = 1.0 / (1.0 + static_cast<double>(i));
    all[i].tokens_per_expert = {30, 34};
    all[i].dropped_per_expert = {0, 2};
  }
  return all;
}

TEST(CurvesLayout, HasAsManyShapesForAMillionStepsAsForAThousand) {
  const auto few = summaries(2000), many = summaries(200'000);
  const auto shapes_of = [&](const auto& all) {
    return lay_out_curve({&all, {"ep"}, 5}, Metric::loss, rect, line).size() +
           lay_out_load({&all, {"ep"}, 5}, 0, {}, rect, line).size();
  };
  EXPECT_LE(shapes_of(many), shapes_of(few) * 1.2);
}

TEST(CurvesLayout, FindsTheStepUnderThePointerAndTellsIt) {
  const auto all = summaries(11);
  const Curves curves{&all, {"ep"}, 0};
  EXPECT_EQ(nearest_point(curves, Metric::loss, rect, line, {rect.x, rect.y}).summary->step, 0);
  EXPECT_EQ(nearest_point(curves, Metric::loss, rect, line, {rect.right(), rect.y}).summary->step, 10);
  EXPECT_EQ(tell_curve(curves, Metric::loss, 1), "step 1:  ep 0.5");
  EXPECT_EQ(tell_load(curves, 0, {Thing::cell, 3, 1}), "step 3, expert 1: 34 pairs, 2 of them dropped; no limit");
}

TEST(CurvesLayout, DrawsNothingAndOneStep) {
  const auto none = summaries(0), one = summaries(1);
  for (const auto* all : {&none, &one}) {
    const Curves curves{all, {"ep"}, 0};
    EXPECT_FALSE(lay_out_curve(curves, Metric::std, rect, line).empty());
    lay_out_load(curves, 0, {}, rect, line);
  }
  EXPECT_EQ(nearest_point({&none, {}, 0}, Metric::loss, rect, line, {5, 5}).summary, nullptr);
}

TEST(TrafficLayout, CountsRowsByDestinationAndBytesOnlyOfThoseThatLeave) {
  auto step = two_ranks();
  for (std::size_t rank = 0; rank < 2; ++rank) {
    step.ranks[rank].events[2].rows_to = {2 + static_cast<std::int64_t>(rank), 1};
  }
  const auto traffic = traffic_of(step, trace::Direction::forward);
  EXPECT_EQ(traffic.rows, (std::vector<std::vector<std::int64_t>>{{2, 1}, {3, 1}}));
  EXPECT_EQ(traffic.bytes, (std::vector<std::vector<std::int64_t>>{{0, 256}, {256, 0}}));
  EXPECT_EQ(traffic_of(step, trace::Direction::backward).rows[0][1], 0);
  lay_out_traffic({}, {}, rect, line);
}

TEST(PanelCsv, HoldsWhatThePanelsDraw) {
  const auto step = two_ranks();
  EXPECT_EQ(routing_csv(step, 0), "rank,expert,owner,pairs,dropped\n0,0,0,3,1\n0,1,1,1,0\n1,0,0,2,0\n1,1,1,2,0\n");
  EXPECT_THAT(timeline_csv({{"ep", &step}, {"dp", nullptr}}),
              HasSubstr("\nep,0,dispatch,forward,all_to_all,0.450,0.880,0.300,256\n"));
  EXPECT_THAT(traffic_csv(step), HasSubstr("\nbackward,1,0,0,0\n"));
  const auto all = summaries(2);
  EXPECT_THAT(curves_csv({&all, {"ep"}, 0}), HasSubstr("\nep,1,0.5,0,"));
  EXPECT_THAT(load_csv({&all, {"ep"}, 0}), HasSubstr("\nep,1,1,34,2,\n"));
}

TEST(Waterfall, AddsUpFromOneStepToTheOther) {
  auto from = two_ranks(), to = two_ranks();
  for (auto& rank : to.ranks) rank.events.back().end_ns = 2600;
  to.ranks[0].events[0].end_ns = 350;
  to.step_ns = 2600;
  double sum = static_cast<double>(from.step_ns) / 1e3;
  for (const auto& part : differences(from, to)) sum += part.us;
  EXPECT_NEAR(sum, 2.6, 1e-9);
  EXPECT_TRUE(differences(from, from).empty());
}

}  // namespace
}  // namespace duet::viz
