// A rank that throws, leaves, sleeps or forgets: the others end in time, and know why.
#include <array>

#include "tests/comm/transports.h"

namespace duet::comm {

namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

using Failures = Failing;
INSTANTIATE_TEST_SUITE_P(Comm, Failures, testing::ValuesIn(checking_transports()), transport_name);

// Far under any deadline of a test that uses the long one, also on a loaded machine.
constexpr milliseconds soon{10'000};

void all_reduce_something(Communicator& comm) {
  std::vector<float> values(1000);
  comm.all_reduce(rows(values));
}

// NCCL moves a started operation's data whether or not a peer ever waits for it, so the others may come through.
testing::Matcher<std::string> told_unless_through(const TestedTransport& transport, const char* text) {
  if (transport.name == "nccl") return testing::AnyOf(testing::IsEmpty(), HasSubstr(text));
  return HasSubstr(text);
}

TEST_P(Failures, ARankThatThrowsWakesTheOthersWithItsReason) {
  const auto outcome = run(4, [](Communicator& comm) {
    if (comm.rank() == 1) throw std::runtime_error("the disk is full");
    all_reduce_something(comm);
  });
  EXPECT_THAT(outcome.thrown, HasSubstr("rank 1 failed: the disk is full"));
  for (const int rank : {0, 2, 3}) {
    const auto i = static_cast<std::size_t>(rank);
    EXPECT_THAT(outcome.errors[i], AllOf(HasSubstr("rank 1 failed: the disk is full"), HasSubstr("all_reduce #1")));
    EXPECT_LT(outcome.ended[i], soon);
  }
}

TEST_P(Failures, AnInputErrorKeepsItsTypeAndText) {
  const auto outcome = run(2, [](Communicator& comm) {
    if (comm.rank() == 1) throw InputError("5 experts on 2 ranks");
    comm.barrier();
  });
  EXPECT_TRUE(outcome.is_input_error);
  EXPECT_EQ(outcome.thrown, "5 experts on 2 ranks");
  EXPECT_THAT(outcome.errors[0], HasSubstr("rank 1 failed: 5 experts on 2 ranks"));
}

TEST_P(Failures, SomethingThrownThatIsNoExceptionIsToldToo) {
  const auto outcome = run(2, [](Communicator& comm) {
    if (comm.rank() == 1) throw 42;  // NOLINT
    comm.barrier();
  });
  EXPECT_THAT(outcome.thrown, HasSubstr("rank 1 failed: something was thrown that is no std::exception"));
}

TEST_P(Failures, ARankThatReturnedEarlyIsNamed) {
  for (int gone = 0; gone < 3; ++gone) {
    const auto outcome = run(3, [&](Communicator& comm) {
      comm.barrier();
      if (comm.rank() != gone) all_reduce_something(comm);
    });
    const auto told = "rank " + std::to_string(gone) + " returned early";
    EXPECT_THAT(outcome.thrown, AllOf(HasSubstr(told), HasSubstr("all_reduce #2")));
    for (int rank = 0; rank < 3; ++rank) {
      const auto i = static_cast<std::size_t>(rank);
      EXPECT_THAT(outcome.errors[i],
                  rank == gone ? testing::IsEmpty() : testing::Matcher<std::string>(HasSubstr(told)));
      EXPECT_LT(outcome.ended[i], soon);
    }
  }
}

TEST_P(Failures, ARankThatReturnedEarlyIsNamedByWhoWouldReceiveFromIt) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<float> values(4);
    if (comm.rank() == 0) comm.receive(rows(values), 1);
  });
  EXPECT_THAT(outcome.thrown, AllOf(HasSubstr("rank 1 returned early"), HasSubstr("receive #1")));
}

TEST_P(Failures, ARankThatSleepsPastTheDeadlineIsNamedByTheOthersInTime) {
  const auto outcome = run(
      3,
      [](Communicator& comm) {
        comm.barrier();
        if (comm.rank() == 1) std::this_thread::sleep_for(milliseconds(2500));
        all_reduce_something(comm);
      },
      short_deadline);
  EXPECT_THAT(outcome.thrown, AllOf(HasSubstr("waits in all_reduce #2 for rank 1, which is in no communication"),
                                    HasSubstr("deadline of 0.3 s")));
  for (const int rank : {0, 2}) {
    const auto i = static_cast<std::size_t>(rank);
    EXPECT_THAT(outcome.errors[i], HasSubstr("for rank 1"));
    EXPECT_GE(outcome.ended[i], milliseconds(290));
    EXPECT_LT(outcome.ended[i], milliseconds(2000)) << "the sleeper was waited for";
  }
  EXPECT_THAT(outcome.errors[1], HasSubstr("failed: "));
}

TEST_P(Failures, ARankThatIsLateButInTimeIsWaitedFor) {
  const auto outcome = run(
      2,
      [](Communicator& comm) {
        if (comm.rank() == 1) std::this_thread::sleep_for(milliseconds(600));
        all_reduce_something(comm);
      },
      milliseconds(15'000));
  EXPECT_EQ(outcome.thrown, "");
}

TEST_P(Failures, ABarrierMayHaveADeadlineOfItsOwn) {
  const auto late = [](Communicator& comm, std::optional<Deadline> deadline) {
    if (comm.rank() == 1) std::this_thread::sleep_for(milliseconds(900));
    comm.barrier(deadline);
  };
  const auto none = run(
      2, [&](Communicator& comm) { late(comm, milliseconds(0)); }, short_deadline);
  EXPECT_EQ(none.thrown, "");
  const auto shorter = run(2, [&](Communicator& comm) { late(comm, milliseconds(100)); });
  EXPECT_THAT(shorter.thrown, HasSubstr("deadline of 0.1 s"));
}

TEST_P(Failures, RanksInDifferentOperationsOfDifferentGroupsAreToldApart) {
  const auto outcome = run(
      2,
      [](Communicator& comm) {
        const auto other = comm.split(0, 0);
        if (comm.rank() == 0) other->barrier();
        if (comm.rank() == 1) comm.barrier();
      },
      short_deadline);
  EXPECT_THAT(outcome.thrown, AllOf(HasSubstr("barrier #1"), HasSubstr("barrier #2"), HasSubstr("which waits in")));
}

TEST_P(Failures, AFailureReachesRanksThatWaitInAnotherGroup) {
  const auto outcome = run(4, [](Communicator& comm) {
    const auto pair = comm.split(comm.rank() / 2, 0);
    if (comm.rank() == 3) throw std::runtime_error("out of luck");
    for (int i = 0; i < 100; ++i) all_reduce_something(*pair);
    comm.barrier();
  });
  EXPECT_THAT(outcome.thrown, HasSubstr("rank 3 failed: out of luck"));
  for (const auto i : {0U, 1U, 2U}) EXPECT_THAT(outcome.errors[i], HasSubstr("rank 3 failed: out of luck"));
}

TEST_P(Failures, AStartedOperationThatIsDroppedIsNamed) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<float> values(8);
    auto started = comm.start_all_reduce(rows(values));
    if (comm.rank() == 0) started->wait();
  });
  EXPECT_THAT(outcome.thrown, HasSubstr("rank 1 started all_reduce #1 but never waited for it"));
  EXPECT_THAT(outcome.errors[0], told_unless_through(GetParam(), "rank 1"));
}

// Its buffers die while it unwinds; the other rank may come to read them at any moment. The sanitizers watch.
TEST_P(Failures, ARankThatThrowsWithAStartedOperationGivesItsOwnReason) {
  for (int delay = 0; delay < 20; ++delay) {
    const auto outcome = run(2, [&](Communicator& comm) {
      std::vector<float> values(20'000, 1);
      auto started = comm.start_all_reduce(rows(values));
      if (comm.rank() == 1) {
        std::this_thread::sleep_for(std::chrono::microseconds(delay * 5));
        throw std::runtime_error("out of luck");
      }
      started->wait();
    });
    ASSERT_THAT(outcome.thrown, HasSubstr("rank 1 failed: out of luck"));
    ASSERT_THAT(outcome.errors[0], told_unless_through(GetParam(), "rank 1 failed: out of luck"));
  }
}

TEST_P(Failures, ARankThatLeavesAnOperationAndSaysNothingIsNoHang) {
  const auto outcome = run(2, [&](Communicator& comm) {
    std::vector<float> values(8);
    try {
      auto started = comm.start_all_reduce(rows(values));
      if (comm.rank() == 1) throw std::runtime_error("kept to itself");
      started->wait();
    } catch (const std::runtime_error&) {
      if (comm.rank() == 0) throw;
    }
  });
  EXPECT_THAT(outcome.thrown,
              testing::AnyOf(HasSubstr("left all_reduce #1 before"), HasSubstr("rank 1 returned early")));
}

TEST_P(Failures, TooManyOutstandingOperationsAreRefused) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<std::vector<float>> values(40, std::vector<float>(4));
    std::vector<std::unique_ptr<Started>> started;
    for (auto& each : values) started.push_back(comm.start_all_reduce(rows(each)));
  });
  EXPECT_TRUE(outcome.is_input_error);
  EXPECT_THAT(outcome.thrown, HasSubstr("operations and waited for none of them"));
}

TEST_P(Failures, ARunAfterAFailedRunIsFine) {
  const auto failed = run(2, [](Communicator& comm) {
    if (comm.rank() == 0) comm.barrier();
  });
  EXPECT_NE(failed.thrown, "");
  const auto fine = run(2, [](Communicator& comm) { all_reduce_something(comm); });
  EXPECT_EQ(fine.thrown, "");
}

}  // namespace

}  // namespace duet::comm
