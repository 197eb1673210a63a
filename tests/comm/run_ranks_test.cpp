// The threads themselves: how many, what comes back, and what happens to one that cannot be ended.
#include "comm/threads/run_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "core/error.h"

namespace duet::comm {

namespace {

using std::chrono::milliseconds;

TEST(RunRanks, CallsTheBodyOnceForEachRankInAThreadOfItsOwn) {
  std::vector<std::thread::id> threads(3);
  run_ranks(3, {}, [&](Communicator& comm) {
    EXPECT_EQ(comm.size(), 3);
    EXPECT_EQ(comm.transport(), "threads");
    threads.at(static_cast<std::size_t>(comm.rank())) = std::this_thread::get_id();
  });
  EXPECT_EQ(std::set(threads.begin(), threads.end()).size(), 3U);
}

TEST(RunRanks, ThirtyTwoRanksOnFewCoresWork) {
  std::atomic<int> sum{0};
  run_ranks(32, {}, [&](Communicator& comm) {
    std::vector<std::int64_t> value{1};
    for (int i = 0; i < 5; ++i) comm.all_reduce({std::as_writable_bytes(std::span(value)), DType::i64, 1});
    sum += static_cast<int>(value[0] == 33'554'432);
  });
  EXPECT_EQ(sum.load(), 32);
}

TEST(RunRanks, NoRanksAreRefused) {
  for (const int ranks : {0, -1}) EXPECT_THROW(run_ranks(ranks, {}, [](Communicator&) {}), InputError);
}

TEST(RunRanks, MayRunInsideARank) {
  std::atomic<int> ran{0};
  run_ranks(2, {}, [&](Communicator& outer) {
    run_ranks(2, {}, [&](Communicator& inner) {
      inner.barrier();
      ++ran;
    });
    outer.barrier();
  });
  EXPECT_EQ(ran.load(), 4);
}

TEST(RunRanks, ThrowsARankErrorWithExitCodeThree) {
  try {
    run_ranks(2, {}, [](Communicator& comm) {
      if (comm.rank() == 1) throw std::bad_alloc();
      comm.barrier();
    });
    FAIL() << "nothing was thrown";
  } catch (const RankError& error) {
    EXPECT_EQ(error.code(), ExitCode::rank_failed);
    EXPECT_THAT(error.text().what, testing::HasSubstr("rank 1 failed: std::bad_alloc"));
  }
}

using RunRanksDeathTest = testing::Test;

const RunOptions hasty{.deadline = milliseconds(200), .grace = milliseconds(100)};

TEST(RunRanksDeathTest, ASleepingRankEndsTheProcessWithTheReasonAndCodeThree) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto asleep = [] {
    run_ranks(2, hasty, [](Communicator& comm) {
      if (comm.rank() == 1) std::this_thread::sleep_for(std::chrono::minutes(5));
      comm.barrier();
    });
  };
  EXPECT_EXIT(asleep(), testing::ExitedWithCode(3),
              "rank 0 waits in barrier #1 for rank 1, which is in no communication(.|\n)*rank 1 cannot be ended");
}

TEST(RunRanksDeathTest, AnEndlessLoopEndsTheProcessAfterAnotherRanksError) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto loops = [] {
    run_ranks(2, hasty, [](Communicator& comm) {
      std::atomic<bool> forever{true};
      while (comm.rank() == 1 && forever) {
      }
      throw std::runtime_error("out of luck");
    });
  };
  EXPECT_EXIT(loops(), testing::ExitedWithCode(3), "error: out of luck(.|\n)*rank 1 cannot be ended");
}

}  // namespace

}  // namespace duet::comm
