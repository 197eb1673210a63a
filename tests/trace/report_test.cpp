#include "trace/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/trace/traces.h"
#include "trace/html.h"
#include "trace/line_chart.h"
#include "trace/report_page.h"

namespace duet::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// All texts that stand between `before` and the next `after`.
std::vector<std::string> between(const std::string& text, const std::string& before, const std::string& after) {
  std::vector<std::string> found;
  for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    at += before.size();
    found.push_back(text.substr(at, text.find(after, at) - at));
  }
  return found;
}

// Each opening tag has its end, inside the one around it.
void expect_balanced(const std::string& html) {
  std::vector<std::string> open;
  for (const auto& tag : between(html.substr(html.find("</style>") + 8), "<", ">")) {
    if (tag.back() == '/') continue;  // <path .../>
    if (tag.front() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    } else if (tag != "/head" && tag != "/html") {  // opened before the style
      ASSERT_FALSE(open.empty()) << tag;
      ASSERT_EQ("/" + open.back(), tag);
      open.pop_back();
    }
  }
  EXPECT_THAT(open, ElementsAre());
}

TEST(Report, HasAllSections) {
  const auto html = report_html(trace_of({"ep", "dp", "single"}, 4), {.table_text = "the table", .sentences = {}});
  EXPECT_THAT(between(html, "<h2>", "</h2>"), ElementsAre("Where the time of a step goes", "Loss", "Tokens per expert",
                                                          "Routing", "Drops", "Balance", "The table", "Configuration"));
  expect_balanced(html);
}

TEST(Report, LoadsNothing) {
  const auto html = report_html(trace_of({"ep", "dp", "single"}, 4), {.table_text = "the table", .sentences = {}});
  for (const auto* loads : {"http", "src=", "href", "@import", "<script", "url(//"}) {
    EXPECT_THAT(html, Not(HasSubstr(loads)));
  }
}

TEST(Report, HoldsTextAsTextOnly) {
  auto trace = trace_of({"<b>&\"'"}, 2);
  trace.header.config = R"({"out":"<script>alert(1)</script>"})";
  trace.header.device = "<img>";
  const auto html = report_html(trace, {.title = "</title><i>", .table_text = "a < b", .sentences = {"x & y"}});
  for (const auto* raw : {"<b>", "<script", "<img", "<i>", "a < b", "x & y"}) EXPECT_THAT(html, Not(HasSubstr(raw)));
  EXPECT_THAT(html, HasSubstr("a &lt; b"));
  expect_balanced(html);
}

TEST(Report, OfNoStepsSaysSo) {
  const auto html = report_html({}, {});
  EXPECT_EQ(between(html, "No step was recorded", "<").size(), 6U);
  EXPECT_THAT(html, HasSubstr("did not end in order"));
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  expect_balanced(html);
}

TEST(Report, OfStepsWithoutRanksOrEventsStands) {
  Trace trace;
  trace.steps.resize(2);
  trace.steps[1].ranks.resize(2);
  const auto html = report_html(trace, {});
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  expect_balanced(html);
}

TEST(Report, OfOneModeAndOneStepStands) {
  const auto html = report_html(trace_of({"ep"}, 1), {});
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  EXPECT_THAT(html, Not(HasSubstr("lie on each other")));
  expect_balanced(html);
}

TEST(Report, OfALossThatIsNoNumberSaysSo) {
  auto trace = trace_of({"ep"}, 5);
  trace.steps[3].loss = std::nan("");
  const auto html = report_html(trace, {});
  EXPECT_THAT(html, HasSubstr("From step 3 of ep on, the loss is not always a number"));
  for (const auto& path : between(html, " d=\"", "\"")) {
    EXPECT_EQ(path.find_first_not_of("MLHVhv-.0123456789 "), std::string::npos) << path;
  }
}

TEST(Report, SaysHowCloseTheModesAre) {
  auto trace = trace_of({"ep", "dp"}, 5);
  EXPECT_THAT(report_html(trace, {}), HasSubstr("the same to the last bit"));
  trace.steps[3].loss *= 1 + 1e-7;
  EXPECT_THAT(report_html(trace, {}), HasSubstr("differ by 1.0e-07 of their size at most"));
  trace.steps[3].loss *= 2;
  EXPECT_THAT(report_html(trace, {}), HasSubstr("differ by up to 50.0%"));
}

TEST(Report, DrawsWorkWaitAndTransferApart) {
  const auto html = report_html(trace_of({"ep"}, 1), {});
  // Rank 0 comes to dispatch at 12, rank 1 at 32, and it ends at 48.
  EXPECT_THAT(html, HasSubstr("<title>dispatch: wait 20 µs</title>"));
  EXPECT_THAT(html, HasSubstr("<title>dispatch: transfer 16 µs</title>"));
  EXPECT_THAT(html, HasSubstr("<title>expert: work 40 µs</title>"));
  EXPECT_THAT(html, HasSubstr("class=\"wait c3\" style=\"fill:url(#wait-c3)\""));
}

TEST(Report, LeavesTheWarmUpOutOfTimes) {
  auto trace = trace_of({"ep"}, 4);
  for (auto& event : trace.steps[0].ranks[0].events) event.end_ns += 1'000'000'000;
  trace.header.warm_up = 1;
  const auto html = report_html(trace, {});
  EXPECT_THAT(html, HasSubstr("a mean over the steps of each mode after the warm-up (ep 3)"));
  EXPECT_THAT(html, HasSubstr("<th>mean step</th><td>180</td>"));
}

TEST(Report, CountsRoutingByRankAndOverTheRun) {
  const auto html = report_html(trace_of({"ep"}, 100), {});
  EXPECT_THAT(html, HasSubstr("rank 1 to expert 0: 11 pairs, 68.8% of the row"));
  EXPECT_THAT(html, HasSubstr("rank 0 to expert 0: 1,000 pairs"));
  EXPECT_THAT(html, HasSubstr("all to expert 1: 1,100 pairs"));
}

TEST(Report, SaysWhatWasDropped) {
  auto trace = trace_of({"ep"}, 10);
  EXPECT_THAT(report_html(trace, {}),
              HasSubstr("10 of 320 pairs (3.12%) came to a full expert and were dropped: an expert takes 12 at most."));
  for (auto& step : trace.steps) {
    step.capacity = -1;
    step.ranks[1].layers[0].dropped_per_expert = {0, 0};
  }
  EXPECT_THAT(report_html(trace, {}), HasSubstr("No pair was dropped: an expert takes all that come."));
}

TEST(Report, OfManyExpertsDrawsTheirSpread) {
  auto trace = trace_of({"ep"}, 3);
  for (auto& step : trace.steps) {
    for (auto& rank : step.ranks) rank.layers[0].tokens_per_expert.assign(64, 5);
  }
  const auto html = report_html(trace, {});
  EXPECT_THAT(html, HasSubstr("the median expert"));
  EXPECT_THAT(html, HasSubstr("expert 63"));
}

TEST(Report, OfALongRunStaysSmall) {
  EXPECT_LT(report_html(trace_of({"ep", "dp", "single"}, 10'000), {}).size(), 200'000U);
}

TEST(LineChart, ThinsALineAndKeepsWhatStandsOut) {
  std::vector<Point> points(10'000);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {static_cast<double>(i), 1};
  points[4321].y = 9;
  points[8765].y = -9;
  points[1234].y = std::nan("");
  const auto kept = thin(points, 600);
  EXPECT_LE(kept.size(), 600U);
  const auto has = [&](double x) {
    return std::any_of(kept.begin(), kept.end(), [x](const Point& point) { return point.x == x; });
  };
  EXPECT_TRUE(has(4321) && has(8765) && has(1234) && has(0));
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), [](const Point& a, const Point& b) { return a.x < b.x; }));
}

TEST(Axis, HasRoundTicks) {
  EXPECT_THAT(linear_axis(0, 412, Ends::exact).ticks, ElementsAre(0, 100, 200, 300, 400));
  EXPECT_THAT(whole_axis(0, 3, Ends::round).ticks, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(whole_axis(7, 7, Ends::exact).ticks, ElementsAre(7, 8));
  EXPECT_THAT(logarithmic_axis(0.02, 3).ticks, ElementsAre(::testing::DoubleEq(0.01), ::testing::DoubleEq(0.1), 1, 10));
  EXPECT_THAT(linear_axis(std::nan(""), 1, Ends::round).ticks, ElementsAre(0, 1));
  EXPECT_EQ(tick_label(0.1 * 3), "0.3");
  EXPECT_EQ(tick_label(200), "200");
}

TEST(Html, WritesNumbersForPeople) {
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(-123), "-123");
  EXPECT_EQ(with_commas(100), "100");
  EXPECT_EQ(three_digits(1234.5), "1234");
  EXPECT_EQ(three_digits(0.012345), "0.0123");
}

// Relative luminance and contrast as in WCAG 2.1.
struct Color {
  double r, g, b;
};

Color color_of(const std::string& hex) {
  const auto part = [&](std::size_t at) { return std::stoi(hex.substr(at, 2), nullptr, 16) / 255.0; };
  return {part(1), part(3), part(5)};
}

double luminance(const Color& color) {
  const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b);
}

double contrast(const Color& a, const Color& b) {
  const double light = std::max(luminance(a), luminance(b));
  return (light + 0.05) / (std::min(luminance(a), luminance(b)) + 0.05);
}

Color half_way(const Color& a, const Color& b) { return {(a.r + b.r) / 2, (a.g + b.g) / 2, (a.b + b.b) / 2}; }

class Contrast : public ::testing::TestWithParam<std::size_t> {  // 0: light, 1: dark
 protected:
  static Color named(const std::string& name) {
    return color_of(between(page("", ""), "--" + name + ": ", ";").at(GetParam()));
  }
};

TEST_P(Contrast, OfTextIsEnoughToRead) {
  EXPECT_GE(contrast(named("ink"), named("paper")), 7);
  EXPECT_GE(contrast(named("ink"), named("card")), 7);
  EXPECT_GE(contrast(named("muted"), named("paper")), 4.5);
  EXPECT_GE(contrast(named("ink"), half_way(named("heat"), named("paper"))), 4.5);
}

TEST_P(Contrast, OfColoursIsEnoughToTellThemFromThePage) {
  const auto colors = between(page("", ""), "--c: ", ";");
  EXPECT_EQ(colors.size(), 14U);
  for (const auto& color : colors) EXPECT_GE(contrast(color_of(color), named("paper")), 3) << color;
}

INSTANTIATE_TEST_SUITE_P(LightAndDark, Contrast, ::testing::Values(0U, 1U));

}  // namespace
}  // namespace duet::trace
