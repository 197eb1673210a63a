// What communication leaves in the step record.
#include "core/clock.h"
#include "tests/comm/transports.h"

namespace duet::comm {

namespace {

using testing::ElementsAre;
using trace::Operation;

using Events = OnRanks;
INSTANTIATE_TEST_SUITE_P(Comm, Events, cases({1, 2, 3, 4}), case_name);

// The events of `body` on this rank.
std::vector<trace::Event> recorded(Communicator& comm, const std::function<void()>& body) {
  trace::Recorder recorder;
  comm.set_recorder(&recorder);
  body();
  comm.set_recorder(nullptr);
  return recorder.events();
}

TEST_P(Events, AllToAllCountsTheBytesThatLeaveTheRank) {
  run([](Communicator& comm) {
    const auto ranks = static_cast<std::size_t>(comm.size());
    const std::vector<std::int64_t> two_each(ranks, 2);
    std::vector<float> send(ranks * 2 * 5), receive(ranks * 2 * 5);
    const auto events =
        recorded(comm, [&] { comm.all_to_all(rows(std::as_const(send), 5), two_each, rows(receive, 5), two_each); });
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].operation, Operation::all_to_all);
    EXPECT_EQ(events[0].bytes, (comm.size() - 1) * 2 * 5 * 4);
    EXPECT_FALSE(events[0].modelled);
    EXPECT_EQ(events[0].rows_to, two_each);
  });
}

TEST_P(Events, AllReduceFollowsTheRingFormulaAndSaysSo) {
  for (const std::int64_t n : {1, 2, 10, 1003}) {
    run([&](Communicator& comm) {
      std::vector<double> values(static_cast<std::size_t>(n));
      const auto events = recorded(comm, [&] { comm.all_reduce(rows(values)); });
      ASSERT_EQ(events.size(), 1U);
      EXPECT_TRUE(events[0].modelled);
      std::vector<std::int64_t> all_bytes{events[0].bytes};
      comm.all_reduce(rows(all_bytes));
      EXPECT_EQ(all_bytes[0], 2 * (comm.size() - 1) * n * 8);
    });
  }
}

TEST_P(Events, OtherCollectivesCountWhatOthersTakeFromThisRank) {
  run([](Communicator& comm) {
    const auto ranks = static_cast<std::size_t>(comm.size());
    std::vector<float> part(6), all(6 * ranks);
    const auto events = recorded(comm, [&] {
      comm.all_gather(rows(std::as_const(part)), rows(all));
      comm.reduce_scatter(rows(std::as_const(all)), rows(part));
      comm.broadcast(rows(part), 0);
      comm.barrier();
    });
    ASSERT_EQ(events.size(), 4U);
    const auto others = comm.size() - 1;
    EXPECT_EQ(events[0].operation, Operation::all_gather);
    EXPECT_EQ(events[0].bytes, others * 24);
    EXPECT_EQ(events[1].operation, Operation::reduce_scatter);
    EXPECT_EQ(events[1].bytes, others * 24);
    EXPECT_EQ(events[2].operation, Operation::broadcast);
    EXPECT_EQ(events[2].bytes, comm.rank() == 0 ? others * 24 : 0);
    EXPECT_EQ(events[3].operation, Operation::barrier);
    EXPECT_EQ(events[3].bytes, 0);
  });
}

using MessageEvents = OnRanks;
INSTANTIATE_TEST_SUITE_P(Comm, MessageEvents, cases({2, 3, 4}), case_name);

TEST_P(MessageEvents, CountBytesAtTheSender) {
  run([](Communicator& comm) {
    std::vector<float> values(8);
    const auto events = recorded(comm, [&] {
      if (comm.rank() == 0) comm.send(rows(std::as_const(values), 4), 1);
      if (comm.rank() == 1) comm.receive(rows(values, 4), 0);
    });
    ASSERT_EQ(events.size(), comm.rank() < 2 ? 1U : 0U);
    if (events.empty()) return;
    EXPECT_EQ(events[0].operation, comm.rank() == 0 ? Operation::send : Operation::receive);
    EXPECT_EQ(events[0].bytes, comm.rank() == 0 ? 32 : 0);
  });
}

TEST_P(MessageEvents, ANumberIsTheSameOnBothSidesAndUnlikeAnyOther) {
  run([&](Communicator& comm) {
    std::vector<float> values(4);
    const auto events = recorded(comm, [&] {
      if (comm.rank() == 0) comm.send(rows(std::as_const(values), 4), 1);
      if (comm.rank() == 1) comm.receive(rows(values, 4), 0);
      if (comm.rank() == 0) comm.receive(rows(values, 4), 1);
      if (comm.rank() == 1) comm.send(rows(std::as_const(values), 4), 0);
    });
    ASSERT_EQ(events.size(), comm.rank() < 2 ? 2U : 0U);
    std::vector<std::int64_t> mine{0, 0};
    for (std::size_t i = 0; i < events.size(); ++i) mine[i] = static_cast<std::int64_t>(events[i].sequence);
    const auto numbers = gathered(comm, mine);
    EXPECT_EQ(numbers[0], numbers[1]);
    EXPECT_NE(numbers[0][0], numbers[0][1]);
    EXPECT_GT(static_cast<std::uint64_t>(numbers[0][0]), 1000U);  // a collective of the same group counts from 1
  });
}

TEST_P(Events, SequenceNumbersAgreeAndTimesEncloseTheOperation) {
  run([](Communicator& comm) {
    const auto before = now_ns();
    const auto events = recorded(comm, [&] {
      for (int i = 0; i < 3; ++i) comm.barrier();
    });
    const auto after = now_ns();
    std::vector<std::uint64_t> numbers;
    for (const auto& event : events) {
      numbers.push_back(event.sequence);
      EXPECT_LE(before, event.start_ns);
      EXPECT_LE(event.start_ns, event.end_ns);
      EXPECT_LE(event.end_ns, after);
    }
    EXPECT_THAT(numbers, ElementsAre(1, 2, 3));
  });
}

TEST_P(Events, AStartedOperationIsRecordedOnceFromStartToTheEndOfItsWait) {
  run([](Communicator& comm) {
    std::vector<float> values(4);
    std::int64_t waited = 0;
    const auto events = recorded(comm, [&] {
      auto started = comm.start_all_reduce(rows(values));
      waited = now_ns();
      started->wait();
      started->wait();
    });
    ASSERT_EQ(events.size(), 1U);
    EXPECT_LE(events[0].start_ns, waited);
    EXPECT_LE(waited, events[0].end_ns);
  });
}

}  // namespace

}  // namespace duet::comm
