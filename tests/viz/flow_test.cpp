// The walk through one layer: where rows stand at every stage, and what is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/viz/flow_steps.h"
#include "viz/model/flow_layout.h"
#include "viz/model/flow_places.h"
#include "viz/model/flow_words.h"
#include "viz/model/panel_csv.h"

namespace duet::viz {
namespace {

using test::Choices;
using test::tokens_step;
using test::two_by_two;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Rect rect{10, 20, 1200, 560};
constexpr float line = 16;

trace::StepRecord random_step(int ranks, int experts, int choices, int tokens, bool copies = false) {
  std::mt19937 generator(7);
  std::vector<Choices> all;
  for (int rank = 0; rank < ranks; ++rank) {
    auto& of_rank = all.emplace_back();
    for (int token = 0; token < tokens; ++token) {
      std::vector<int> order(static_cast<std::size_t>(experts));
      for (int e = 0; e < experts; ++e) order[static_cast<std::size_t>(e)] = generator() % 5 == 0 ? -e - 1 : e;
      std::shuffle(order.begin(), order.end(), generator);
      of_rank.emplace_back(order.begin(), order.begin() + choices);
    }
  }
  return tokens_step(all, experts, copies);
}

// Tokens whose boxes stand there, read as a person reads: line by line. Kept rows only.
std::vector<std::int64_t> read(const FlowBatch& batch, const FlowPlaces& places, Stage stage, const Rect& within) {
  std::vector<std::pair<std::pair<float, float>, std::int64_t>> found;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const auto box = place_at(places, batch, i, stage);
    if (batch.rows[i].kept() && within.contains({box.x, box.y})) found.push_back({{box.y, box.x}, batch.rows[i].token});
  }
  std::sort(found.begin(), found.end());
  std::vector<std::int64_t> tokens;
  for (const auto& [at, token] : found) tokens.push_back(token);
  return tokens;
}

void expect_sound(const trace::StepRecord& step, Rect room, const Hit& pinned = {}) {
  const auto batch = flow_batch(step, 0, pinned);
  const auto places = place_flow(batch, room, line);
  for (int number = 0; number < stage_count; ++number) {
    std::map<std::pair<float, float>, int> taken;
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const auto box = place_on_the_way(places, batch, i, {number, 1});
      EXPECT_GE(box.x, room.x);
      EXPECT_GE(box.y, room.y);
      EXPECT_LE(box.right(), room.right() + 0.5F);
      EXPECT_LE(box.bottom(), room.bottom() + 0.5F);
      const int before = ++taken[{box.x, box.y}];
      EXPECT_EQ(before, 1) << "stage " << number + 1 << ", token " << batch.rows[i].token;
    }
    for (const float progress : {0.0F, 0.3F, 0.8F, 1.0F}) {
      for (const auto& shape : lay_out_flow(step, {0, {number, progress}, pinned}, room, line)) {
        EXPECT_GE(std::min(shape.box.x, shape.box.right()), room.x - 0.5F);
        EXPECT_LE(std::max(shape.box.x, shape.box.right()), room.right() + 0.5F);
        EXPECT_LE(std::max(shape.box.y, shape.box.bottom()), room.bottom() + 0.5F);
      }
    }
  }
}

TEST(FlowPlaces, NoTwoRowsStandAtOnePlaceAndAllLieInside) {
  for (const int ranks : {1, 2, 3, 4}) {
    for (const int local : {1, 2}) {
      for (const int choices : {1, 2, 4}) {
        const int experts = ranks * local;
        if (choices > experts) continue;
        SCOPED_TRACE(testing::Message() << ranks << " ranks, " << experts << " experts, k " << choices);
        expect_sound(random_step(ranks, experts, choices, 12), rect);
        expect_sound(random_step(ranks, experts, choices, 12, true), {0, 0, 640, 400});
      }
    }
  }
}

TEST(FlowPlaces, FitsIntoRoomsOfAnySize) {
  for (const Rect room : {Rect{0, 0, 200, 100}, Rect{5, 5, 300, 900}, Rect{0, 0, 2500, 1200}, Rect{0, 0, 20, 20}}) {
    SCOPED_TRACE(room.width);
    expect_sound(random_step(4, 8, 2, 16), room);
    expect_sound(random_step(16, 64, 4, 16), room);
    expect_sound(random_step(16, 64, 4, 16, true), room);
    expect_sound(random_step(1, 8, 4, 16), room);
  }
}

// By hand: rank 0 keeps 0:E1 1:E0 2:E1, so it sends 1 | 0 2; rank 1 keeps 4:E0 5:E1 6:E0 and sends 4 6 | 5.
TEST(FlowPlaces, AgreesWithAPlanMadeByHand) {
  const auto batch = flow_batch(two_by_two(), 0);
  const auto places = place_flow(batch, rect, line);
  const auto rank0 = places.columns[0].frame, rank1 = places.columns[1].frame;
  EXPECT_THAT(read(batch, places, Stage::tokens, rank0), ElementsAre(0, 1, 2));
  EXPECT_THAT(read(batch, places, Stage::plan, rank0), ElementsAre(1, 0, 2));
  EXPECT_THAT(read(batch, places, Stage::plan, rank1), ElementsAre(4, 6, 5));
  EXPECT_THAT(read(batch, places, Stage::dispatch, rank0), ElementsAre(1, 4, 6));  // by source, then in its order
  EXPECT_THAT(read(batch, places, Stage::dispatch, rank1), ElementsAre(0, 2, 5));
  EXPECT_THAT(read(batch, places, Stage::expert, rank1), ElementsAre(0, 2, 5));
  EXPECT_THAT(read(batch, places, Stage::combine, rank0), ElementsAre(1, 0, 2));
  EXPECT_THAT(read(batch, places, Stage::sum, rank1), ElementsAre(4, 5, 6));
  EXPECT_THAT(read(batch, places, Stage::combine_back, rank0), ElementsAre(1, 4, 6));
  EXPECT_THAT(read(batch, places, Stage::dispatch_back, rank0), ElementsAre(0, 1, 2));
}

// The plan made anew from the record, without the code under test: kept pairs by expert, then in pair order.
TEST(FlowPlaces, AgreesWithAPlanFromTheRecordOfManyExpertsAndChoices) {
  const auto step = random_step(4, 8, 2, 8);
  const auto batch = flow_batch(step, 0);
  const auto places = place_flow(batch, {0, 0, 4000, 1200}, line);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    std::vector<std::int64_t> sent, arrived;
    const auto keep = [&](std::size_t source, int expert, auto& to) {
      for (const auto& token : step.ranks[source].layers[0].tokens) {
        for (std::size_t j = 0; j < 2; ++j) {
          if (token.expert[j] == expert && token.reason[j] == trace::DropReason::kept) to.push_back(token.token);
        }
      }
    };
    for (int expert = 0; expert < 8; ++expert) keep(rank, expert, sent);
    for (int local = 0; local < 2; ++local) {
      for (std::size_t source = 0; source < 4; ++source) keep(source, static_cast<int>(rank) * 2 + local, arrived);
    }
    EXPECT_EQ(read(batch, places, Stage::plan, places.columns[rank].frame), sent);
    EXPECT_EQ(read(batch, places, Stage::dispatch, places.columns[rank].frame), arrived);
  }
}

TEST(FlowPlaces, ADroppedRowFallsOutAndStays) {
  const auto batch = flow_batch(two_by_two(), 0);
  const auto places = place_flow(batch, rect, line);
  ASSERT_EQ(batch.rows[3].token, 3);
  const auto home = place_at(places, batch, 3, Stage::route), lost = place_at(places, batch, 3, Stage::capacity);
  EXPECT_GT(lost.y, home.bottom());
  EXPECT_EQ(lost.x, home.x);  // straight down
  for (int stage = static_cast<int>(Stage::capacity); stage < stage_count; ++stage) {
    EXPECT_EQ(place_at(places, batch, 3, stage_of(stage)).y, lost.y);
  }
  EXPECT_EQ(batch.rows[3].position, -1);
}

TEST(FlowPlaces, RowsNeverLeaveTheirRankWhereAllExpertsAreThere) {
  const auto step = random_step(2, 4, 2, 8, true);
  const auto batch = flow_batch(step, 0);
  const auto places = place_flow(batch, rect, line);
  EXPECT_EQ(batch.spread, Spread::copies);
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const auto& frame = places.columns[static_cast<std::size_t>(batch.rows[i].rank)].frame;
    for (int stage = 0; stage < stage_count; ++stage) {
      const auto box = place_at(places, batch, i, stage_of(stage));
      EXPECT_TRUE(frame.contains({box.x, box.y}));
    }
  }
  EXPECT_THAT(tell_stage(batch, step, Stage::dispatch), HasSubstr("nothing leaves a rank"));
  EXPECT_THAT(tell_stage(batch, step, Stage::grad_sync), HasSubstr("every expert's"));
  EXPECT_TRUE(places.counts.empty());
}

TEST(FlowPlaces, RowsForRanksThatAreNotDrawnLeaveAtTheRight) {
  const auto step = random_step(6, 6, 1, 8);
  const auto batch = flow_batch(step, 0);
  const auto places = place_flow(batch, rect, line);
  ASSERT_EQ(places.columns.size(), 5U);
  EXPECT_EQ(places.columns[4].rank, -1);
  std::int64_t gone = 0;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    if (!batch.rows[i].kept() || batch.rows[i].owner < 4) continue;
    ++gone;
    EXPECT_GT(place_at(places, batch, i, Stage::dispatch).x, places.columns[4].frame.x);
  }
  ASSERT_GT(gone, 0);
  EXPECT_THAT(tell_batch(batch), HasSubstr("Of 6 ranks, 4 are drawn"));
}

TEST(FlowPlaces, TheWayBackPassesThePlansOrder) {
  const auto batch = flow_batch(two_by_two(), 0);
  const auto places = place_flow(batch, rect, line);
  const int stage = static_cast<int>(Stage::combine_back);
  EXPECT_EQ(place_on_the_way(places, batch, 0, {stage, 0.5F}).y, places.queue[0].y);
  EXPECT_EQ(place_on_the_way(places, batch, 0, {stage, 0}).y, places.home[0].y);
  const auto half = place_on_the_way(places, batch, 0, {static_cast<int>(Stage::dispatch), 0.5F});
  EXPECT_NEAR(half.y, (places.queue[0].y + places.in[0].y) / 2, 0.01F);
}

TEST(FlowPlaces, TheTableOfCountsSaysWhatWillArrive) {
  const auto batch = flow_batch(two_by_two(), 0);
  const auto places = place_flow(batch, rect, line);
  std::vector<std::int64_t> counts;  // rank 0 from 0 and 1, rank 1 from 0 and 1
  for (const auto& count : places.counts) counts.push_back(count.rows);
  EXPECT_THAT(counts, ElementsAre(1, 2, 2, 1));
}

TEST(FlowBatch, TakesADroppedTokenWhereTheFirstOnesHaveNone) {
  Choices many(20, {0});
  many[15] = {-1};
  const auto step = tokens_step({many}, 1);
  const auto shown = [&](const Hit& pinned) {
    std::vector<std::int64_t> tokens;
    for (const auto& row : flow_batch(step, 0, pinned).rows) tokens.push_back(row.token);
    return tokens;
  };
  EXPECT_THAT(shown({}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 15));
  EXPECT_THAT(shown({Thing::token, 0, 18}), ElementsAre(0, 1, 2, 3, 4, 5, 15, 18));
  EXPECT_THAT(shown({Thing::token, 0, 6}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 15));  // a click does not change it
}

TEST(FlowBatch, DrawsEmptyRanksZeroTokensAndNoLayer) {
  expect_sound(tokens_step({{{1}, {0}}, {}}, 2), rect);
  expect_sound(tokens_step({{}, {}}, 2), rect);
  EXPECT_FALSE(lacks_tokens(tokens_step({{}, {}}, 2), 0));
  auto step = two_by_two();
  for (auto& rank : step.ranks) rank.layers[0].tokens.clear();
  EXPECT_TRUE(lacks_tokens(step, 0));
  expect_sound(step, rect);
  for (auto& rank : step.ranks) rank.layers.clear();
  expect_sound(step, rect);
  expect_sound({}, rect);
  for (int stage = 0; stage < stage_count; ++stage) {
    tell_stage(flow_batch(step, 0), step, stage_of(stage));
    tell_stage(flow_batch({}, 0), {}, stage_of(stage));
  }
}

TEST(FlowWords, SayTheBatchsOwnNumbers) {
  const auto step = two_by_two();
  const auto batch = flow_batch(step, 0);
  EXPECT_THAT(tell_stage(batch, step, Stage::dispatch),
              HasSubstr("rank 0 sends 2 rows to rank 1 and keeps 1; rank 1 sends 2 rows to rank 0 and keeps 1."));
  EXPECT_THAT(tell_stage(batch, step, Stage::capacity), HasSubstr("Of the 7 rows drawn, 1 is dropped"));
  EXPECT_THAT(tell_stage(batch, step, Stage::counts), HasSubstr("Rank 0 will get 1 from itself, 2 from rank 1"));
  EXPECT_THAT(tell_stage(batch, step, Stage::combine_back), HasSubstr("gradient of combine is a dispatch"));
  EXPECT_THAT(tell_stage(batch, step, Stage::dispatch_back), HasSubstr("gradient of dispatch is a combine"));
  EXPECT_THAT(tell_flow(batch, {Thing::token, 0, 3}), HasSubstr("E1 on rank 1, gate 0.500, dropped"));
  EXPECT_EQ(tell_flow(batch, {Thing::token, 0, 99}), "");
  const auto one = tokens_step({{{0}, {0}}}, 1);
  EXPECT_THAT(tell_stage(flow_batch(one, 0), one, Stage::dispatch), HasSubstr("one rank, with all experts"));
}

TEST(FlowWords, SayWhoseRowsTheCapacityLimits) {
  const auto told = [](const trace::StepRecord& step) {
    return tell_stage(flow_batch(step, 0), step, Stage::capacity);
  };
  // Rank 0 keeps two rows for E1, as many as the capacity; with a capacity of three only both ranks together do.
  EXPECT_THAT(told(two_by_two()), HasSubstr("at most 2 rows from each rank"));
  auto global = two_by_two();
  global.capacity = 3;
  EXPECT_THAT(told(global), HasSubstr("at most 3 rows in all"));
  EXPECT_THAT(told(tokens_step({{{0}, {1}}}, 2)), HasSubstr("of the rows drawn, none is dropped"));
  global.capacity = -1;
  EXPECT_THAT(told(global), HasSubstr("No capacity limit"));
}

TEST(FlowLayout, KeepsAnExpertsNameAboveTheWaysThroughIt) {
  const auto shapes = lay_out_flow(two_by_two(), {0, {static_cast<int>(Stage::expert), 1}, {}}, rect, line);
  std::size_t last_way = 0, first_bar = shapes.size();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].form == Form::line && shapes[i].colour.ink == Ink::expert) last_way = i;
    if (shapes[i].hit.thing == Thing::expert) first_bar = std::min(first_bar, i);
  }
  EXPECT_GT(last_way, 0U);
  EXPECT_LT(last_way, first_bar);
}

// The sentences name stages by number.
TEST(FlowWords, NameTheStageThatTheyMean) {
  EXPECT_EQ(static_cast<int>(Stage::dispatch) + 1, 6);
  EXPECT_EQ(static_cast<int>(Stage::combine) + 1, 8);
  EXPECT_EQ(static_cast<int>(Stage::optimizer) + 1, stage_count);
  EXPECT_EQ(twin_of(twin_of(Stage::combine)), Stage::combine);
}

TEST(FlowLayout, OutlinesWhatIsPinnedAndFadesTheRest) {
  const auto step = random_step(2, 4, 2, 8);
  const auto shapes = lay_out_flow(step, {0, {5, 1}, {Thing::token, 0, 2}}, rect, line);
  int outlined = 0, rows = 0;
  for (const auto& shape : shapes) {
    if (shape.hit.thing != Thing::token) continue;
    ++rows;
    const bool pinned = shape.hit == Hit{Thing::token, 0, 2};
    EXPECT_EQ(shape.colour.alpha > 0.5F, pinned);
    outlined += pinned ? 1 : 0;
  }
  EXPECT_EQ(rows, 32);
  EXPECT_EQ(outlined, 2);  // a row for each choice
}

TEST(FlowCsv, HasEveryPairWithItsPlaceInThePlan) {
  const auto text = flow_csv(two_by_two(), 0);
  EXPECT_THAT(text,
              HasSubstr("token,rank,choice,expert,owner,gate,kept,row\n0,0,0,1,1,0.5,kept,1\n1,0,0,0,0,0.5,kept,0\n"));
  EXPECT_THAT(text, HasSubstr("\n3,0,0,1,1,0.5,over_capacity,\n4,1,0,0,0,0.5,kept,0\n"));
}

}  // namespace
}  // namespace duet::viz
