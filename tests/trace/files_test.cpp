#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "tests/trace/traces.h"
#include "trace/json_step.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace duet::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// What `call` throws, as a person reads it; "" when it does not throw.
template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void write_trace(const std::filesystem::path& path, const Trace& trace) {
  TraceWriter writer(path, trace.header);
  for (const auto& step : trace.steps) writer.write(step);
  writer.finish(trace.interrupted);
}

std::string lines_of(const Trace& trace) {
  std::string text;
  for (const auto& step : trace.steps) text += step_to_json(step, 0).dump() + "\n";
  return text;
}

// The trace that the file would be with `text` in it.
Trace read_text(const std::string& text) {
  std::istringstream in(text);
  return read_trace(in, "trace.jsonl");
}

std::string written(const Trace& trace) {
  const Folder folder;
  write_trace(folder / "trace.jsonl", trace);
  return text_of(folder / "trace.jsonl");
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(TraceFile, ReadsBackWhatWasWritten) {
  auto trace = trace_of({"ep", "dp"}, 3);
  trace.header.warm_up = 1;
  const Folder folder;
  write_trace(folder / "trace.jsonl", trace);
  const auto read = read_trace(folder / "trace.jsonl");
  EXPECT_EQ(read.header, trace.header);
  EXPECT_EQ(lines_of(read), lines_of(trace));
  EXPECT_TRUE(read.complete);
  EXPECT_FALSE(read.interrupted);
  EXPECT_FALSE(read.torn);
}

TEST(TraceFile, KeepsEveryFieldOfAnEvent) {
  Trace trace;
  trace.steps = {two_rank_step("ep", 4, 100)};
  auto& event = trace.steps[0].ranks[1].events[6];
  event.modelled = true;
  event.layer = 2;
  trace.steps[0].ranks[1].layers[0].drop_reason = DropReason::random;
  event.sequence = std::numeric_limits<std::uint64_t>::max() - 5;
  const auto read = read_text(written(trace)).steps.at(0);
  EXPECT_EQ(read.mode, "ep");
  EXPECT_EQ(read.step, 4);
  EXPECT_EQ(read.loss, 0.2);
  ASSERT_EQ(read.aux.size(), 1U);
  EXPECT_EQ(read.aux[0].kind, "std");
  EXPECT_EQ(read.aux[0].value, 0.25);
  EXPECT_EQ(read.aux[0].weight, 0.001);
  EXPECT_EQ(read.grad_norm, 5);
  EXPECT_EQ(read.capacity, 12);
  EXPECT_EQ(read.step_ns, 200'000);
  ASSERT_EQ(read.ranks.size(), 2U);
  EXPECT_EQ(read.ranks[1].rank, 1);
  ASSERT_EQ(read.ranks[1].layers.size(), 1U);
  const auto& layer = read.ranks[1].layers[0];
  EXPECT_THAT(layer.tokens_per_expert, ElementsAre(11, 5));
  EXPECT_THAT(layer.dropped_per_expert, ElementsAre(1, 0));
  EXPECT_EQ(layer.drop_reason, DropReason::random);
  EXPECT_EQ(layer.token_count, 16);
  EXPECT_EQ(layer.entropy_sum, 8);
  EXPECT_EQ(layer.first_expert, 1);
  EXPECT_THAT(layer.expert_grad_norm, ElementsAre(4));
  const auto& last = read.ranks[1].events.at(6);
  EXPECT_EQ(last.phase, Phase::combine);
  EXPECT_EQ(last.direction, Direction::backward);
  EXPECT_EQ(last.operation, Operation::all_to_all);
  EXPECT_EQ(last.layer, 2);
  EXPECT_EQ(last.start_ns, 221'000);
  EXPECT_EQ(last.end_ns, 239'000);
  EXPECT_EQ(last.bytes, 4096);
  EXPECT_TRUE(last.modelled);
  EXPECT_THAT(last.rows_to, ElementsAre(7, 9));
  EXPECT_EQ(last.group, 3U);
  EXPECT_EQ(last.sequence, event.sequence);
}

TEST(TraceFile, KeepsTheRoutingOfTokensWhenItWasRecorded) {
  Trace trace;
  trace.steps = {two_rank_step("single", 0, 0)};
  trace.steps[0].ranks[0].layers[0].tokens = {{.token = 17,
                                               .logits = {0.1F, -std::numeric_limits<float>::infinity(), 3e-38F},
                                               .expert = {2, 0},
                                               .gate = {0.7F, 0.3F},
                                               .reason = {DropReason::kept, DropReason::over_capacity}}};
  const auto text = written(trace);
  EXPECT_THAT(text, HasSubstr("[0.1,"));  // not 0.10000000149011612
  const auto token = read_text(text).steps.at(0).ranks.at(0).layers.at(0).tokens.at(0);
  EXPECT_EQ(token.token, 17);
  EXPECT_THAT(token.logits, ElementsAre(0.1F, -std::numeric_limits<float>::infinity(), 3e-38F));
  EXPECT_THAT(token.expert, ElementsAre(2, 0));
  EXPECT_THAT(token.gate, ElementsAre(0.7F, 0.3F));
  EXPECT_THAT(token.reason, ElementsAre(DropReason::kept, DropReason::over_capacity));
}

TEST(TraceFile, KeepsLossesThatAreNoNumbers) {
  Trace trace;
  for (const double loss : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    trace.steps.push_back(two_rank_step("ep", 0, 0));
    trace.steps.back().loss = loss;
  }
  const auto read = read_text(written(trace));
  EXPECT_TRUE(std::isnan(read.steps.at(0).loss));
  EXPECT_EQ(read.steps.at(1).loss, HUGE_VAL);
  EXPECT_EQ(read.steps.at(2).loss, -HUGE_VAL);
}

TEST(TraceFile, KeepsNoLimitAsNull) {
  Trace trace;
  trace.steps = {two_rank_step("ep", 0, 0)};
  trace.steps[0].capacity = -1;
  const auto text = written(trace);
  EXPECT_THAT(text, HasSubstr("\"capacity\":null"));
  EXPECT_EQ(read_text(text).steps.at(0).capacity, -1);
}

TEST(TraceFile, CountsTimeFromTheStartOfTheRun) {
  Trace trace;
  trace.header.start_ns = 1'000'000;
  trace.steps = {two_rank_step("ep", 0, 1'500)};
  const auto read = read_text(written(trace));
  EXPECT_EQ(read.header.start_ns, 0);
  EXPECT_EQ(read.steps.at(0).ranks.at(0).events.at(0).start_ns, 500'000);
}

TEST(TraceFile, StampsTheDateWhenNoneIsGiven) {
  auto trace = trace_of({"ep"}, 1);
  trace.header.created.clear();
  EXPECT_THAT(read_text(written(trace)).header.created, ::testing::MatchesRegex("20..-..-..T..:..:..Z"));
}

TEST(TraceFile, ReplacesBytesThatAreNotText) {
  auto trace = trace_of({"e\xffp"}, 1);
  EXPECT_EQ(read_text(written(trace)).steps.at(0).mode, "e\xef\xbf\xbdp");
}

TEST(TraceFile, RefusesAConfigurationThatIsNoObject) {
  const Folder folder;
  Header header;
  header.config = "tokens = 64";
  EXPECT_THAT(error_of([&] { TraceWriter(folder / "trace.jsonl", header); }), HasSubstr("tokens = 64"));
}

TEST(TraceFile, IsAPartialOneUntilItIsFinished) {
  const Folder folder;
  {
    TraceWriter writer(folder / "trace.jsonl", {});
    writer.write(two_rank_step("ep", 0, 0));
    EXPECT_FALSE(std::filesystem::exists(folder / "trace.jsonl"));
  }
  const auto read = read_trace(folder.path());  // the folder stands for its trace
  EXPECT_EQ(read.steps.size(), 1U);
  EXPECT_FALSE(read.complete);
  EXPECT_FALSE(read.torn);
}

TEST(TraceFile, SaysThatARunWasInterrupted) {
  auto trace = trace_of({"ep"}, 1);
  trace.interrupted = true;
  const auto read = read_text(written(trace));
  EXPECT_TRUE(read.complete);
  EXPECT_TRUE(read.interrupted);
}

TEST(TraceFile, IsNeverWrittenOver) {
  const Folder folder;
  write_trace(folder / "trace.jsonl", trace_of({"ep"}, 1));
  EXPECT_THAT(error_of([&] { TraceWriter(folder / "trace.jsonl", {}); }), HasSubstr("trace.jsonl"));
  { TraceWriter cut_off(folder / "other.jsonl", {}); }
  EXPECT_THAT(error_of([&] { TraceWriter(folder / "other.jsonl", {}); }), HasSubstr("other.jsonl.partial"));
}

TEST(TraceFile, SaysThatTheDiskIsFull) {
  const auto text = error_of([] { TraceWriter("/dev/full", {}); });
  EXPECT_THAT(text, HasSubstr("/dev/full"));
  EXPECT_THAT(text, HasSubstr("the disk is full"));
  EXPECT_THAT(text, HasSubstr("free some space"));
}

TEST(TraceFile, KeepsTheWholeLinesWhenTheDiskFillsUp) {
  const Folder folder;
  {
    TraceWriter writer(folder / "trace.jsonl", {});
    writer.write(two_rank_step("ep", 0, 0));
    const SizeLimit limit(std::filesystem::file_size(folder / "trace.jsonl.partial") + 100);
    EXPECT_THROW(writer.write(two_rank_step("ep", 1, 0)), InputError);
  }
  const auto read = read_trace(folder.path());
  EXPECT_EQ(read.steps.size(), 1U);
  EXPECT_TRUE(read.torn);
}

TEST(TraceFile, SaysThatItsFolderIsAFile) {
  const Folder folder;
  write_text(folder / "file", "");
  const auto text = error_of([&] { TraceWriter(folder / "file/trace.jsonl", {}); });
  EXPECT_THAT(text, HasSubstr("file/trace.jsonl"));
  EXPECT_THAT(text, HasSubstr("not a folder"));
}

TEST(TraceReader, ReadsUpToATornLine) {
  const auto text = written(trace_of({"ep"}, 3));
  const auto read = read_text(text.substr(0, text.rfind("\"mode\"")));
  EXPECT_EQ(read.steps.size(), 2U);
  EXPECT_TRUE(read.torn);
  EXPECT_FALSE(read.complete);
}

TEST(TraceReader, LosesNoWholeLineWhereverTheFileIsCut) {
  const auto trace = trace_of({"ep"}, 3);
  const auto text = written(trace);
  const auto header_end = text.find('\n');
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const auto cut = text.substr(0, length);
    if (length < header_end) {
      EXPECT_THAT(error_of([&] { read_text(cut); }), Not(IsEmpty())) << length;
      continue;
    }
    const auto read = read_text(cut);
    const auto newlines = std::count(cut.begin(), cut.end(), '\n');
    const auto whole_lines = static_cast<std::size_t>(newlines) + (cut.back() == '}' && text[length] == '\n' ? 1 : 0);
    EXPECT_EQ(read.steps.size(), std::min<std::size_t>(whole_lines - 1, 3)) << length;
    EXPECT_EQ(read.complete, whole_lines == 5) << length;
    EXPECT_EQ(read.torn, cut.back() != '\n' && text[length] != '\n' && length < text.size()) << length;
  }
}

TEST(TraceReader, SurvivesAnyWrongByte) {
  const auto text = written(trace_of({"ep"}, 1));
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char wrong : {'\0', '"', '{', '9', '-', 'e', '\n', '\xff'}) {
      auto damaged = text;
      damaged[at] = wrong;
      error_of([&] { read_text(damaged); });  // any other exception fails the test
    }
  }
}

TEST(TraceReader, NamesABadLine) {
  const auto text = written(trace_of({"ep"}, 2));
  EXPECT_THAT(error_of([&] { read_text(replaced(text, "\"step\":1", "\"step\":\"x\"")); }), HasSubstr("line 3"));
  EXPECT_THAT(error_of([&] { read_text(replaced(text, "\"loss\"", "\"los\"")); }), HasSubstr("'loss' not found"));
  EXPECT_THAT(error_of([&] { read_text(replaced(text, "{\"step\":0", "{\"step\":0,,")); }), HasSubstr("line 2"));
  EXPECT_THAT(error_of([&] { read_text(text + "{}\n"); }), HasSubstr("after the footer"));
  EXPECT_THAT(error_of([&] { read_text(replaced(text, "\"steps\":2", "\"steps\":3")); }), HasSubstr("counts 3 steps"));
}

TEST(TraceReader, RefusesNumbersThatAreNone) {
  const auto text = written(trace_of({"ep"}, 1));
  for (const auto* wrong : {"1.5", "1e300", "99999999999999999999", "-9223372036854775808", "true", "[]"}) {
    const auto step = replaced(text, "\"step_ns\":200000", std::string("\"step_ns\":") + wrong);
    EXPECT_THAT(error_of([&] { read_text(step); }), HasSubstr("whole number")) << wrong;
  }
}

TEST(TraceReader, RefusesANewerMajorVersion) {
  const auto text = error_of([] { read_text(replaced(written({}), "\"major\":2", "\"major\":3")); });
  EXPECT_THAT(text, HasSubstr("version 3.2"));
  EXPECT_THAT(text, HasSubstr("newer Duet"));
}

TEST(TraceReader, TakesANewerMinorVersionWithoutWhatItDoesNotKnow) {
  auto text = replaced(written(trace_of({"ep"}, 1)), "\"minor\":2", "\"minor\":7");
  text = replaced(text, "{\"step\":0", "{\"mood\":\"good\",\"step\":0");
  text = replaced(text, "\"phase\":\"expert\"", "\"phase\":\"dream\"");
  const auto read = read_text(text);
  EXPECT_EQ(read.header.minor, 7);
  EXPECT_EQ(read.steps.at(0).ranks.at(0).events.size(), 6U);
  const auto same_version = replaced(text, "\"minor\":7", "\"minor\":2");
  EXPECT_THAT(error_of([&] { read_text(same_version); }), HasSubstr("a phase"));
}

TEST(TraceReader, KeepsDeviceTimeApartFromTheHosts) {
  auto trace = trace_of({"ep"}, 1);
  auto& event = trace.steps[0].ranks[0].events[2];
  event.device_start_ns = event.start_ns + 500;
  event.device_end_ns = event.end_ns + 700;
  const auto read = read_text(written(trace));
  const auto& before = trace.steps[0].ranks[0].events[2];
  const auto& after = read.steps.at(0).ranks.at(0).events.at(2);
  EXPECT_EQ(after.device_end_ns - after.start_ns, before.device_end_ns - before.start_ns);
  EXPECT_EQ(after.device_start_ns - after.start_ns, 500);
  EXPECT_FALSE(read.steps.at(0).ranks.at(0).events.at(1).on_device());
}

TEST(TraceReader, RefusesWhatIsNoTrace) {
  EXPECT_THAT(error_of([] { read_text(""); }), HasSubstr("empty"));
  EXPECT_THAT(error_of([] { read_text("{\"a\":1}\n"); }), HasSubstr("not a Duet trace"));
  EXPECT_THAT(error_of([] {
                read_text(
                    "\x7f"
                    "ELF");
              }),
              HasSubstr("not a Duet trace"));
  EXPECT_THAT(error_of([] { read_text("{\"duet_trace\":3}\n"); }), HasSubstr("line 1"));
  const Folder folder;
  EXPECT_THAT(error_of([&] { read_trace(folder / "none.jsonl"); }), HasSubstr("none.jsonl"));
  EXPECT_THAT(error_of([&] { read_trace(folder.path()); }), HasSubstr("holds no trace.jsonl"));
}

}  // namespace
}  // namespace duet::trace
