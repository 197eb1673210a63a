#include "viz/model/token_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "tests/viz/made_trace.h"
#include "trace/json_step.h"
#include "viz/model/trace_index.h"

namespace duet::viz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using trace::DropReason;

// One step of a trace whose line is `line`, with its single tokens.
trace::StepRecord read(const std::string& text) {
  const TraceIndex index(text, "text");
  return *index.find_with_tokens(0, index.steps().at(0));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(TokenLists, ReadWhatTheGeneralReaderReads) {
  const test::MadeRun run{.ranks = 3, .experts = 6, .layers = 2, .tokens = 40};
  const auto text = test::made_trace(run, {"ep"}, 1);
  const auto line = text.substr(text.find('\n') + 1, text.find("\n{\"footer") - text.find('\n') - 1);
  const auto slow = trace::step_from_json(nlohmann::ordered_json::parse(line), trace::UnknownWords::refuse);
  EXPECT_EQ(trace::step_to_json(read(text), 0), trace::step_to_json(slow, 0));
  ASSERT_EQ(slow.ranks[2].layers[1].tokens.size(), 14U);
  EXPECT_EQ(cut_tokens(line).lists.size(), 6U);
}

TEST(TokenLists, LeaveTheRestAsItIsWithoutThem) {
  const TraceIndex index(test::made_trace({.tokens = 16}, {"ep"}, 1), "text");
  const auto& step = *index.find(0, 0);
  EXPECT_TRUE(step.ranks[0].layers[0].tokens.empty());
  EXPECT_EQ(step.ranks[0].layers[0].token_count, 8);
  EXPECT_EQ(step.ranks[1].events.size(), index.find_with_tokens(0, 0)->ranks[1].events.size());
}

TEST(TokenLists, GiveWayToTheGeneralReaderWhereTheFormIsAnother) {
  const auto text = test::made_trace({.experts = 2, .top_k = 1, .tokens = 4, .capacity_factor = 9}, {"ep"}, 1);
  const auto tokens_of = [](const std::string& changed) { return read(changed).ranks[0].layers[0].tokens; };
  const auto usual = tokens_of(text);
  ASSERT_EQ(usual.size(), 2U);

  const auto spaced = tokens_of(replaced(text, "{\"token\":0,", "{ \"token\" : 0, "));
  ASSERT_EQ(spaced.size(), 2U);
  EXPECT_EQ(spaced[0].logits, usual[0].logits);

  const auto more = tokens_of(replaced(text, "{\"token\":0,", R"({"new key":["]}",1],"token":0,)"));
  ASSERT_EQ(more.size(), 2U);
  EXPECT_EQ(more[0].logits, usual[0].logits);

  const auto not_a_number = tokens_of(replaced(text, "\"gate\":[", "\"gate\":[\"nan\",")).at(0).gate;
  EXPECT_TRUE(std::isnan(not_a_number.at(0)));

  const auto word = tokens_of(replaced(text, "[\"kept\"]", "[\"of a newer version\"]"));
  EXPECT_EQ(word.size(), 1U);  // a token with an unknown word is left out
}

TEST(TokenLists, RefuseWhatIsNoList) {
  EXPECT_FALSE(read_tokens(R"([{"token":1)"));
  EXPECT_FALSE(read_tokens(R"([{"token":1.5,"logits":[],"expert":[],"gate":[],"reason":[]}])"));
  EXPECT_FALSE(read_tokens(R"([{"token":1,"logits":[],"expert":[99999999999],"gate":[],"reason":[]}])"));
  EXPECT_FALSE(read_tokens("[] "));
  EXPECT_TRUE(read_tokens("[]")->empty());
  EXPECT_THAT(read_tokens(R"([{"token":1,"logits":[],"expert":[],"gate":[],"reason":["random"]}])")->at(0).reason,
              ElementsAre(DropReason::random));
}

TEST(TokenLists, SayWhatIsWrongWithALineThatCannotBeRead) {
  const auto text = test::made_trace({.tokens = 4}, {"ep"}, 1);
  for (const auto& wrong :
       {replaced(text, "\"tokens\":[", "\"tokens\":5,\"x\":["), replaced(text, "\"tokens\":[", "\"tokens\":[[["),
        replaced(text, "\"gate\":[", "\"gate\":[{"),
        replaced(text, "\"ranks\":[", "\"x\":" + std::string(100'000, '[') + ",\"ranks\":[")}) {
    try {
      read(wrong);
      FAIL() << "it was read";
    } catch (const InputError& error) {
      EXPECT_THAT(error.text().what, HasSubstr("a step of the trace cannot be read"));
    }
  }
}

}  // namespace
}  // namespace duet::viz
