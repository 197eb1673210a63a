#include "viz/model/trace_index.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/error.h"
#include "tests/viz/steps.h"
#include "trace/modes.h"
#include "trace/writer.h"

namespace duet::viz {
namespace {

using ::testing::ElementsAre;
namespace fs = std::filesystem;

class Index : public testing::Test {
 protected:
  Index() { fs::create_directories(folder_); }
  ~Index() override { fs::remove_all(folder_); }

  // `steps` steps of two modes, as the writer writes them.
  std::string text_of(int steps) {
    const auto path = folder_ / fmt::format("{}.jsonl", ++files_);
    {
      trace::TraceWriter writer(path, {});
      for (int i = 0; i < steps; ++i) {
        for (const auto* mode : {"ep", "dp"}) {
          auto step = test::two_ranks();
          step.step = i;
          step.mode = mode;
          step.loss = i + 0.5;
          writer.write(step);
        }
      }
      writer.finish(false);
    }
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_ = fs::temp_directory_path() / fmt::format("duet_index_{}", ::getpid());
  int files_ = 0;
};

TEST_F(Index, FindsEveryStepOfEveryMode) {
  const TraceIndex index(text_of(30), "text");
  EXPECT_THAT(index.modes(), ElementsAre("ep", "dp"));
  ASSERT_EQ(index.steps().size(), 30U);
  EXPECT_TRUE(index.complete());
  for (const std::int64_t step : {0, 17, 29, 3}) {
    EXPECT_EQ(index.find(1, step)->loss, static_cast<double>(step) + 0.5);
    EXPECT_EQ(index.find(1, step)->mode, "dp");
  }
  EXPECT_EQ(index.find(0, 30), nullptr);
  EXPECT_EQ(index.find(2, 0), nullptr);
}

TEST_F(Index, SummarizesEveryStepAsTheWholeRecordTells) {
  const TraceIndex index(text_of(5), "text");
  ASSERT_EQ(index.summaries().size(), 10U);
  for (const auto& one : index.summaries()) {
    const auto& step = *index.find(one.mode, one.step);
    EXPECT_EQ(one.loss, step.loss);
    EXPECT_EQ(one.step_us, 2.0);
    EXPECT_EQ(one.capacity, step.capacity);
    EXPECT_EQ(one.tokens_per_expert, trace::tokens_per_expert(step));
    EXPECT_EQ(one.dropped_per_expert, trace::dropped_per_expert(step));
    EXPECT_NEAR(one.dropped(), 1.0 / 8, 1e-12);
  }
}

TEST(Summary, TakesWhatALineHasAndNoMore) {
  EXPECT_EQ(summarize("").loss, 0);
  EXPECT_EQ(summarize("{\"loss\":").loss, 0);
  EXPECT_EQ(summarize("{\"loss\":nan,\"capacity\":null}").capacity, -1);
  const auto one = summarize(
      R"({"step":3,"mode":"ep","loss":0.25,"aux":[{"kind":"std","value":4,"weight":0.5},{"kind":"z","value":1,"weight":2}],)"
      R"("ranks":[{"layers":[{"tokens_per_expert":[1,2],"dropped_per_expert":{}}]},)"
      R"({"layers":[{"tokens_per_expert":[3,4],"dropped_per_expert":{"random":[0,1]}}]}]})");
  EXPECT_EQ(one.aux, 4);
  EXPECT_EQ(one.tokens_per_expert, (std::vector<std::int64_t>{4, 6}));
  EXPECT_EQ(one.dropped_per_expert, (std::vector<std::int64_t>{0, 1}));
}

TEST_F(Index, LeavesATornLastLineOutAndSaysSo) {
  auto text = text_of(3);
  text.resize(text.rfind("{\"step\":2,\"mode\":\"dp\"") + 40);
  const TraceIndex index(text, "text");
  EXPECT_TRUE(index.torn());
  EXPECT_FALSE(index.complete());
  EXPECT_NE(index.find(0, 2), nullptr);
  EXPECT_EQ(index.find(1, 2), nullptr);
}

TEST_F(Index, FollowsAFileThatIsBeingWritten) {
  const auto text = text_of(4);
  const auto cut = text.find("{\"step\":2");
  const auto path = folder_ / "growing.jsonl";
  std::ofstream(path, std::ios::binary) << text.substr(0, cut + 10);
  TraceIndex index(path);
  EXPECT_EQ(index.steps().size(), 2U);
  EXPECT_FALSE(index.refresh());
  std::ofstream(path, std::ios::binary | std::ios::app) << text.substr(cut + 10);
  EXPECT_TRUE(index.refresh());
  EXPECT_EQ(index.steps().size(), 4U);
  EXPECT_EQ(index.find(0, 3)->loss, 3.5);
}

TEST_F(Index, ReadsATraceWithoutSteps) {
  const TraceIndex index(text_of(0), "text");
  EXPECT_TRUE(index.steps().empty());
}

TEST_F(Index, RefusesWhatIsNoTrace) {
  EXPECT_THROW(TraceIndex("", "text"), InputError);
  EXPECT_THROW(TraceIndex("not a trace\n", "text"), InputError);
  EXPECT_THROW(TraceIndex(folder_ / "none.jsonl"), InputError);
}

}  // namespace
}  // namespace duet::viz
