// What the inspector tells of each kind of thing.
#include "viz/model/inspector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/viz/token_steps.h"
#include "viz/model/what_if_words.h"

namespace duet::viz {
namespace {

using test::two_ranks_with_tokens;
using ::testing::HasSubstr;

class Inspector : public testing::Test {
 protected:
  Inspector() {
    frame_.modes = {{"ep", &step_}};
    frame_.tokens = &step_;
    frame_.step = 7;
  }

  // All words of the rows of that name, one a line.
  std::string words(Hit hit, const std::string& name) const {
    std::string all;
    for (const auto& row : inspect(frame_, hit).rows) {
      if (row.name == name) all += row.words + "\n";
    }
    return all;
  }

  trace::StepRecord step_ = two_ranks_with_tokens();
  Frame frame_;
};

TEST_F(Inspector, FollowsAKeptToken) {
  const Hit hit{Thing::token, 0, 1};
  EXPECT_EQ(inspect(frame_, hit).title, "token 1 of rank 0 (ep, step 7)");
  EXPECT_THAT(words(hit, "route"), HasSubstr("choice 1: expert 1, gate 0.800"));
  EXPECT_THAT(words(hit, "plan"), HasSubstr("row 0 of the 1 for expert 1, row 2 of all that rank 0 sends"));
  EXPECT_THAT(words(hit, "dispatch"), HasSubstr("travels from rank 0 to rank 1"));
  EXPECT_THAT(words(hit, "expert"), HasSubstr("on rank 1 computes it, among 3 rows"));
  EXPECT_THAT(words(hit, "combine"), HasSubstr("back to rank 0: 0.800 times"));
  EXPECT_THAT(words({Thing::token, 0, 0}, "dispatch"), HasSubstr("stays"));
}

TEST_F(Inspector, TellsThatADroppedTokenAddsNothing) {
  const Hit hit{Thing::token, 0, 3};
  EXPECT_THAT(words(hit, "plan"), HasSubstr("dropped, over capacity: expert 0 takes 2"));
  EXPECT_THAT(words(hit, "combine"), HasSubstr("contributes zero"));
  EXPECT_EQ(words(hit, "dispatch"), "");
}

TEST_F(Inspector, SaysWhatIsMissingForATokenItCannotFollow) {
  const auto bare = test::two_ranks();
  frame_.tokens = nullptr;
  EXPECT_THAT(words({Thing::token, 0, 1}, ""), HasSubstr("being read"));
  frame_.tokens = &bare;
  EXPECT_THAT(words({Thing::token, 0, 1}, ""), HasSubstr("--record-tokens"));
  frame_.tokens = &step_;
  EXPECT_THAT(inspect(frame_, {Thing::token, 0, 99}).title, HasSubstr("not in this step"));
}

TEST_F(Inspector, TellsOfAnExpertWhoChoseIt) {
  const Hit hit{Thing::expert, 0, 0};
  EXPECT_THAT(words(hit, "chosen"), HasSubstr("5 of 8 (62.5 %)"));
  EXPECT_EQ(words(hit, "by"), "rank 0: 3 (1 dropped), rank 1: 2\n");
  EXPECT_THAT(words(hit, "dropped"), HasSubstr("1 of 5 (20.0 %), over capacity"));
  EXPECT_THAT(words(hit, "capacity"), HasSubstr("2 of a rank's pairs"));
  EXPECT_EQ(words(hit, "computes"), "4 rows\n");
  EXPECT_EQ(words(hit, "gradient"), "norm 0.5\n");
}

TEST_F(Inspector, TellsOfARankWhatLeavesAndComes) {
  const Hit hit{Thing::rank, 1, 0};
  EXPECT_EQ(words(hit, "tokens"), "4, 4 pairs (token, choice)\n");
  EXPECT_EQ(words(hit, "dispatch"), "2 rows leave, 2 stay, 1 come\n");
  EXPECT_EQ(words(hit, "experts"), "E1\n");
  EXPECT_EQ(words(hit, "dropped"), "none\n");
}

TEST_F(Inspector, TellsOfARibbonAndItsDrops) {
  for (const auto thing : {Thing::ribbon, Thing::drop}) {
    EXPECT_THAT(words({thing, 0, 0}, "dropped"), HasSubstr("1 of 3"));
    EXPECT_THAT(words({thing, 1, 0}, "dispatch"), HasSubstr("2 rows travel to rank 0"));
  }
}

TEST_F(Inspector, TellsOfAnExchangeHowLongItWaitedAndWhereItsRowsWent) {
  step_.ranks[0].events[2].rows_to = {2, 1};
  const Hit hit{Thing::phase, 0, 2};
  EXPECT_EQ(inspect(frame_, hit).title, "dispatch on ep rank 0");
  EXPECT_THAT(words(hit, "wait"), HasSubstr("0.3 us, for rank 1"));
  EXPECT_THAT(words(hit, "bytes"), HasSubstr("256"));
  EXPECT_EQ(words(hit, "rows to"), "rank 0 2, rank 1 1\n");
  EXPECT_EQ(words({Thing::phase, 0, 0}, "share"), "20.0 % of the step\n");
  EXPECT_THAT(inspect(frame_, {Thing::phase, 9, 0}).title, HasSubstr("not in this step"));
  EXPECT_THAT(inspect(frame_, {Thing::phase, 0, 99}).title, HasSubstr("not in this step"));
}

TEST_F(Inspector, HintsWhatToClickWhereNothingIsSelected) {
  EXPECT_THAT(words({}, "click"), HasSubstr("rank"));
  EXPECT_EQ(inspect(frame_, {Thing::rank, 9, 0}).title, "what is selected is not in this mode");
  frame_.modes[0].step = nullptr;
  EXPECT_EQ(inspect(frame_, {Thing::rank, 0, 0}).title, "nothing is selected");
}

TEST_F(Inspector, ReadsTheStepAsARuleMadeIt) {
  auto other = step_;
  other.capacity = 3;
  other.ranks[0].layers[0].dropped_per_expert = {0, 0};
  other.ranks[0].layers[0].tokens[3].reason = {trace::DropReason::kept};
  frame_.what_if = WhatIf{"1.5", "position"};
  frame_.recomputed = &other;
  EXPECT_THAT(words({Thing::token, 0, 3}, "plan"), HasSubstr("row 2 of the 3"));
  EXPECT_EQ(words({Thing::expert, 0, 0}, "dropped"), "none\n");
  EXPECT_EQ(tell_what_if(frame_), "what if 1.5 by position: 0 dropped instead of 1 (outlined)");
  frame_.what_if_error = "capacity factor is 'x'";
  EXPECT_EQ(tell_what_if(frame_), "capacity factor is 'x'");
}

TEST_F(Inspector, WhatIfSaysWhyNot) {
  EXPECT_EQ(tell_what_if(frame_), "");
  EXPECT_EQ(what_if_refused(frame_), "");
  const auto bare = test::two_ranks();
  frame_.what_if = WhatIf{};
  frame_.tokens = &bare;
  EXPECT_THAT(tell_what_if(frame_), HasSubstr("--record-tokens"));
  frame_.live = LiveState{};
  EXPECT_THAT(what_if_refused(frame_), HasSubstr("pause"));
  frame_.live->paused = true;
  EXPECT_EQ(what_if_refused(frame_), "");
}

}  // namespace
}  // namespace duet::viz
