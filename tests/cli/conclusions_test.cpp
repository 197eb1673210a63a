// The words under the table follow from the figures: made-up figures turn them round.
#include "cli/conclusions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/compare_table.h"
#include "cli/sweep.h"
#include "cli/text_table.h"

namespace duet::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using trace::Direction;
using trace::Phase;

trace::Spread all(double us) { return {.median = us, .p10 = us, .p90 = us, .min = us, .mean = us}; }

/// A mode that computes, exchanges and synchronises for so many microseconds, and sends so many bytes.
ModeSummary mode(double computing, double exchanging, double synchronising, double bytes) {
  ModeSummary summary;
  summary.breakdown.steps = 100;
  summary.breakdown.step_us = all(computing + exchanging + synchronising);
  summary.breakdown.rows = {
      {{Phase::expert, Direction::forward, false}, all(computing), all(0), all(0)},
      {{Phase::dispatch, Direction::forward, false}, all(0), all(exchanging / 2), all(exchanging / 2)},
      {{Phase::grad_sync, Direction::backward, false}, all(0), all(0), all(synchronising)}};
  summary.bytes = {bytes, bytes};
  summary.losses = {1.0, 0.5};
  return summary;
}

CompareResult result_of(ModeSummary ep, ModeSummary dp) {
  CompareResult result;
  result.steps = 100;
  result.ep = std::move(ep);
  result.dp = std::move(dp);
  result.single = mode(1000, 0, 0, 0);
  result.tokens_per_expert = {64, 64};
  result.equal = true;
  return result;
}

std::string all_of(const CompareResult& result) { return fmt::format("{}", fmt::join(conclusions(result, 2), "\n")); }

TEST(Conclusions, NameTheFasterOneAndByHowMuch) {
  EXPECT_THAT(conclusions(result_of(mode(400, 100, 0, 1), mode(900, 0, 100, 2)), 2)[0],
              AllOf(StartsWith("Expert parallelism was faster"), HasSubstr("2.00 times")));
  EXPECT_THAT(conclusions(result_of(mode(900, 600, 0, 1), mode(900, 0, 100, 2)), 2)[0],
              AllOf(StartsWith("Data parallelism was faster"), HasSubstr("1.50 times")));
  EXPECT_THAT(conclusions(result_of(mode(900, 110, 0, 1), mode(900, 0, 100, 2)), 2)[0],
              StartsWith("Both ways took about"));
}

TEST(Conclusions, SayWhenOneDeviceBeatsBoth) {
  auto result = result_of(mode(400, 100, 0, 1), mode(900, 0, 100, 2));
  EXPECT_THAT(conclusions(result, 2)[0], Not(HasSubstr("less than either")));
  result.single = mode(300, 0, 0, 0);
  EXPECT_THAT(conclusions(result, 2)[0], HasSubstr("less than either"));
}

TEST(Conclusions, NameWhereTheFasterOneGains) {
  EXPECT_THAT(conclusions(result_of(mode(400, 100, 0, 1), mode(900, 0, 100, 2)), 2)[1],
              AllOf(StartsWith("It gains most in computing"), HasSubstr("400 us"), HasSubstr("900 us"),
                    HasSubstr("the largest part is expert"), HasSubstr("1 expert instead of 2")));
  EXPECT_THAT(conclusions(result_of(mode(900, 600, 0, 1), mode(900, 0, 100, 2)), 2)[1],
              AllOf(StartsWith("It gains most in exchanging tokens"), HasSubstr("300 us of it waiting")));
  EXPECT_THAT(conclusions(result_of(mode(900, 10, 5, 1), mode(900, 0, 400, 2)), 2)[1],
              AllOf(StartsWith("It gains most in synchronising gradients"), HasSubstr("33,800"),
                    HasSubstr("0.0 us of it waiting")));
}

TEST(Conclusions, TellWhereItLosesOnlyWhenThatIsMuchOfTheGain) {
  EXPECT_THAT(all_of(result_of(mode(400, 200, 0, 1), mode(900, 0, 100, 2))),
              HasSubstr("It loses some of that in exchanging tokens"));
  EXPECT_THAT(all_of(result_of(mode(400, 50, 0, 1), mode(900, 0, 100, 2))), Not(HasSubstr("It loses")));
}

TEST(Conclusions, NameTheLargestDifferenceWhenNoneIsFaster) {
  EXPECT_THAT(conclusions(result_of(mode(900, 110, 0, 1), mode(900, 0, 100, 2)), 2)[1],
              StartsWith("They differ most in exchanging tokens"));
  auto odd = result_of(mode(400, 100, 0, 1), mode(900, 0, 100, 2));
  odd.ep.breakdown.step_us.median = 2000;  // every part's mean says the contrary
  odd.ep.breakdown.rows[1] = {{Phase::dispatch, Direction::forward, false}, all(0), all(0), all(0)};
  EXPECT_THAT(conclusions(odd, 2)[1], StartsWith("They differ most in computing"));
}

TEST(Conclusions, BlameUnevenRoutingOnlyWhereItIsUneven) {
  auto result = result_of(mode(1500, 0, 0, 1), mode(900, 0, 100, 2));
  EXPECT_THAT(all_of(result), Not(HasSubstr("even share")));
  result.tokens_per_expert = {120, 8};
  EXPECT_THAT(all_of(result),
              HasSubstr("the busiest experts' rank had 120 rows in the last step, an even share is 64"));
}

TEST(Conclusions, SayWhoSendsMoreAndWhereThatTurns) {
  const auto fewer = all_of(result_of(mode(1, 1, 1, 1000), mode(1, 1, 1, 2000)));
  EXPECT_THAT(fewer, AllOf(HasSubstr("data parallelism sends 2.0 times"), HasSubstr("131 tokens")));
  const auto more = all_of(result_of(mode(1, 1, 1, 6000), mode(1, 1, 1, 2000)));
  EXPECT_THAT(more, HasSubstr("expert parallelism sends 3.0 times"));
}

TEST(Conclusions, AreModestAboutFewStepsAndFewCoresAndSilentAboutOneRank) {
  auto result = result_of(mode(1, 1, 1, 1), mode(1, 1, 1, 1));
  EXPECT_EQ(conclusions(result, 2).size(), 3U);
  EXPECT_EQ(conclusions(result, 0).size(), 3U);
  EXPECT_THAT(conclusions(result, 1).back(), HasSubstr("2 ranks share 1 core here"));
  result.ep.breakdown.steps = 5;
  EXPECT_THAT(conclusions(result, 2).back(), HasSubstr("Only 5 steps were timed"));
  result.config.layout.ranks = 1;
  EXPECT_EQ(conclusions(result, 2).size(), 1U);
}

TEST(CompareTable, SaysWhetherTheyAreEqualAndWhichTokenPartedThem) {
  auto result = result_of(mode(400, 100, 0, 1), mode(900, 0, 100, 2));
  EXPECT_THAT(compare_table(result), AllOf(HasSubstr(": equal\n"), HasSubstr("every token took the same way")));
  result.equal = false;
  result.difference_f64 = {.ep = 0.5, .dp = 0, .first = RouteDifference{3, 17, Mode::ep, {1}, {0}}};
  EXPECT_THAT(compare_table(result),
              AllOf(HasSubstr("NOT EQUAL"), HasSubstr("step 3, token 17, EP chose 1, one device 0")));
}

TEST(Sweep, FindsTheCrossingBetweenNeighboursInLogarithms) {
  const std::vector<SweepPoint> crossing{{64, 100, 200}, {256, 200, 200.0001}, {1024, 400, 200}};
  ASSERT_TRUE(crossing_of(crossing).has_value());
  EXPECT_NEAR(*crossing_of(crossing), 256, 1);
  const std::vector<SweepPoint> between{{100, 100, 200}, {400, 200, 100}};
  EXPECT_NEAR(*crossing_of(between), 200, 1e-9);
  const std::vector<SweepPoint> never{{64, 100, 200}, {256, 150, 200}};
  EXPECT_FALSE(crossing_of(never).has_value());
}

TEST(TextTable, LinesCellsUpByCharactersAndDrawsCurves) {
  TextTable table;
  table.add({"", "a"});
  table.add({"curve", "█▁"});
  table.add({"a heading that is longer than any column"});
  EXPECT_EQ(table.text(), "        a\ncurve  █▁\na heading that is longer than any column\n");
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("", 7), "");
  EXPECT_EQ(sparkline(std::vector<double>{3, 2, 1}), "█▅▁");
  EXPECT_EQ(sparkline(std::vector<double>{1, 1}), "▁▁");
  EXPECT_EQ(sparkline({}), "");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(99.94), "99.9");
  EXPECT_EQ(grouped(-1234), "-1,234");
}

}  // namespace
}  // namespace duet::cli
