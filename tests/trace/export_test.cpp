#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/trace/traces.h"
#include "trace/chrome.h"
#include "trace/csv.h"

namespace duet::trace {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::StartsWith;

std::vector<json> events_of(const Trace& trace, const std::string& kind) {
  std::vector<json> events;
  const auto file = json::parse(chrome_json(trace));
  for (const auto& event : file.at("traceEvents")) {
    if (event["ph"] == kind) events.push_back(event);
  }
  return events;
}

std::int64_t ns(const json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

bool disjoint_or_nested(const json& a, const json& b) {
  const auto start_a = ns(a["ts"]), end_a = start_a + ns(a["dur"]);
  const auto start_b = ns(b["ts"]), end_b = start_b + ns(b["dur"]);
  const bool disjoint = end_a <= start_b || end_b <= start_a;
  return disjoint || (start_a <= start_b && end_b <= end_a) || (start_b <= start_a && end_a <= end_b);
}

TEST(Chrome, NamesRanksAndTracks) {
  std::vector<std::string> names;
  for (const auto& tag : events_of(trace_of({"ep"}, 1), "M")) names.push_back(tag["args"]["name"]);
  EXPECT_THAT(names, ElementsAre("rank 0", "phases", "communication", "rank 1", "phases", "communication"));
}

TEST(Chrome, NestsTheEventsOfATrack) {
  const auto events = events_of(trace_of({"ep", "dp"}, 2), "X");
  for (const auto& a : events) {
    for (const auto& b : events) {
      const bool same_track = a["pid"] == b["pid"] && a["tid"] == b["tid"];
      EXPECT_TRUE(!same_track || disjoint_or_nested(a, b)) << a << b;
    }
  }
}

TEST(Chrome, PutsCommunicationOnATrackOfItsOwn) {
  for (const auto& event : events_of(trace_of({"ep"}, 1), "X")) {
    EXPECT_EQ(event["tid"] == 2, event["cat"] == "communication") << event;
  }
}

TEST(Chrome, TellsWhatAnExchangeMoved) {
  for (const auto& event : events_of(trace_of({"ep"}, 1), "X")) {
    if (event["name"] != "all_to_all" || event["pid"] != 1 || event["args"]["direction"] != "forward") continue;
    EXPECT_EQ(event["ts"], 282.0);
    EXPECT_EQ(event["dur"], 16.0);
    EXPECT_EQ(event["args"], json::parse(R"({"mode":"ep","step":0,"direction":"forward","phase":"dispatch",
                                            "bytes":4096,"rows_to":[7,9]})"));
    return;
  }
  FAIL() << "no exchange";
}

TEST(Chrome, OfNoStepsIsAnEmptyList) { EXPECT_TRUE(json::parse(chrome_json({}))["traceEvents"].empty()); }

TEST(Csv, HasALineForEachEvent) {
  std::istringstream lines(events_csv(trace_of({"ep"}, 1)));
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), 15U);
  EXPECT_THAT(rows[0], StartsWith("mode,step,rank,phase,direction,start_ns,end_ns,operation,"));
  EXPECT_EQ(rows[1], "ep,0,0,route,forward,250000,260000,,,,,,,,");
  EXPECT_EQ(rows[3], "ep,0,0,dispatch,forward,262000,298000,all_to_all,4096,0,7 9,3,0,,");
  for (const auto& row : rows) EXPECT_EQ(std::count(row.begin(), row.end(), ','), 14) << row;
}

TEST(DeviceTime, HasColumnsAndATrackOfItsOwn) {
  auto trace = trace_of({"ep"}, 1);
  EXPECT_THAT(chrome_json(trace), ::testing::Not(::testing::HasSubstr("\"device\"")));
  auto& event = trace.steps[0].ranks[0].events[0];
  event.device_start_ns = 251'000;
  event.device_end_ns = 262'000;
  EXPECT_THAT(events_csv(trace), ::testing::HasSubstr("ep,0,0,route,forward,250000,260000,,,,,,,251000,262000\n"));
  int on_device = 0;
  const auto exported = json::parse(chrome_json(trace));
  for (const auto& one : exported["traceEvents"]) {
    if (one.value("cat", "") != "device") continue;
    ++on_device;
    EXPECT_EQ(one["ts"], 251.0);
    EXPECT_EQ(one["dur"], 11.0);
  }
  EXPECT_EQ(on_device, 1);
}

TEST(Csv, QuotesWhatWouldBreakTheTable) {
  EXPECT_THAT(events_csv(trace_of({"a,\"b\""}, 1)), ::testing::HasSubstr("\n\"a,\"\"b\"\"\",0,0,route"));
}

}  // namespace
}  // namespace duet::trace
