// send and receive between two ranks.
#include "core/clock.h"
#include "tests/comm/transports.h"

namespace duet::comm {

namespace {

using testing::Each;
using testing::Eq;
using testing::HasSubstr;

using Messages = OnRanks;
INSTANTIATE_TEST_SUITE_P(Comm, Messages, cases({2, 3, 4}), case_name);
using MessagesGoneWrong = Failing;
INSTANTIATE_TEST_SUITE_P(Comm, MessagesGoneWrong, testing::ValuesIn(checking_transports()), transport_name);

TEST_P(Messages, TravelRoundARing) {
  run([](Communicator& comm) {
    const int next = (comm.rank() + 1) % comm.size();
    const int previous = (comm.rank() + comm.size() - 1) % comm.size();
    for (int repetition = 0; repetition < 50; ++repetition) {
      const std::vector<std::int64_t> mine(6, comm.rank() * 1000 + repetition);
      std::vector<std::int64_t> theirs(6, -1);
      if (comm.rank() % 2 == 0) comm.send(rows(mine, 3), next);
      comm.receive(rows(theirs, 3), previous);
      if (comm.rank() % 2 == 1) comm.send(rows(mine, 3), next);
      ASSERT_THAT(theirs, Each(Eq(previous * 1000 + repetition)));
    }
  });
}

TEST_P(Messages, SendReturnsOnlyAfterTheReceive) {
  run([](Communicator& comm) {
    std::vector<float> value(1);
    std::int64_t time = 0;
    comm.barrier();
    if (comm.rank() == 0) {
      comm.send(rows(std::as_const(value)), 1);
      time = now_ns();
    } else if (comm.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      time = now_ns();
      comm.receive(rows(value), 0);
    }
    const auto times = gathered(comm, {time});
    ASSERT_GE(times[0][0], times[1][0]) << "the sender left before the receiver came";
  });
}

TEST_P(Messages, OfNoRowsArriveToo) {
  run([](Communicator& comm) {
    std::vector<float> empty;
    if (comm.rank() == 0) comm.send(rows(std::as_const(empty), 4), 1);
    if (comm.rank() == 1) comm.receive(rows(empty, 4), 0);
  });
}

TEST_P(MessagesGoneWrong, TwoSendsThatWaitForEachOtherAreToldByBothNames) {
  const auto outcome = run(
      2,
      [](Communicator& comm) {
        std::vector<float> value(1);
        for (int i = 0; i < 2; ++i) {
          if (comm.rank() == 0) comm.send(rows(std::as_const(value)), 1);
          if (comm.rank() == 1) comm.receive(rows(value), 0);
        }
        comm.send(rows(std::as_const(value)), 1 - comm.rank());
      },
      short_deadline);
  EXPECT_THAT(outcome.thrown,
              testing::AnyOf(HasSubstr("rank 0 waits in send #3 for rank 1, which waits in send #1 for rank 0"),
                             HasSubstr("rank 1 waits in send #1 for rank 0, which waits in send #3 for rank 1")));
  EXPECT_THAT(outcome.errors, Each(HasSubstr("send #3")));
}

TEST_P(MessagesGoneWrong, AThreeWayRingOfSendsIsToldToItsEnd) {
  const auto outcome = run(
      3, [](Communicator& comm) { comm.send(rows(std::vector<float>(1)), (comm.rank() + 1) % 3); }, short_deadline);
  for (const auto* part : {"rank 0", "rank 1", "rank 2", "which waits in send #1"}) {
    EXPECT_THAT(outcome.thrown, HasSubstr(part));
  }
}

TEST_P(MessagesGoneWrong, AReceiveOfOtherRowsFailsOnBothSides) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<float> values(comm.rank() == 0 ? 22 : 24);
    if (comm.rank() == 0) comm.send(rows(std::as_const(values), 2), 1);
    if (comm.rank() == 1) comm.receive(rows(values, 2), 0);
  });
  EXPECT_THAT(outcome.errors, Each(HasSubstr("rank 1 would receive 12 rows from rank 0, but rank 0 sends 11")));
  EXPECT_THAT(outcome.thrown, HasSubstr("message #1 from rank 0 to rank 1"));
}

TEST_P(MessagesGoneWrong, AReceiveOfAnotherTypeFailsOnBothSides) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<float> floats(4);
    std::vector<double> doubles(2);
    if (comm.rank() == 0) comm.send(rows(std::as_const(floats)), 1);
    if (comm.rank() == 1) comm.receive(rows(doubles), 0);
  });
  EXPECT_THAT(outcome.errors,
              Each(HasSubstr("rank 1 would receive float64 values from rank 0, but rank 0 sends float32")));
}

TEST_P(MessagesGoneWrong, AReceiveOfAnotherWidthFailsOnBothSides) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<float> values(12);
    if (comm.rank() == 0) comm.send(rows(std::as_const(values), 4), 1);
    if (comm.rank() == 1) comm.receive(rows(values, 3), 0);
  });
  EXPECT_THAT(outcome.errors,
              Each(HasSubstr("rank 1 would receive rows of 3 values from rank 0, but rank 0 sends rows of 4")));
}

TEST_P(MessagesGoneWrong, ARankThatDoesNotExistIsRefused) {
  for (const int peer : {-1, 2}) {
    const auto outcome = run(2, [&](Communicator& comm) { comm.send(rows(std::vector<float>(1)), peer); });
    EXPECT_TRUE(outcome.is_input_error);
    EXPECT_THAT(outcome.thrown, HasSubstr("there is no rank " + std::to_string(peer) + ": ranks are 0 to 1"));
  }
}

TEST_P(MessagesGoneWrong, AMessageToOneselfIsRefusedNotWaitedFor) {
  const auto outcome = run(2, [](Communicator& comm) { comm.send(rows(std::vector<float>(1)), comm.rank()); });
  EXPECT_TRUE(outcome.is_input_error);
  EXPECT_THAT(outcome.thrown, HasSubstr("itself"));
}

}  // namespace

}  // namespace duet::comm
