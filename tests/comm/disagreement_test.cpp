// Ranks that do not call the same thing: every rank throws, naming two ranks and both values.
#include "tests/comm/transports.h"

namespace duet::comm {

namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

using Disagreements = Failing;
INSTANTIATE_TEST_SUITE_P(Comm, Disagreements, testing::ValuesIn(checking_transports()), transport_name);

// An exchange of `send` and `receive` rows of `width` values with each rank.
template <typename T = float>
void exchange(Communicator& comm, std::vector<std::int64_t> send, std::vector<std::int64_t> receive,
              std::int64_t width = 1) {
  std::int64_t out = 0, in = 0;
  for (const auto n : send) out += n * width;
  for (const auto n : receive) in += n * width;
  std::vector<T> outgoing(static_cast<std::size_t>(out)), incoming(static_cast<std::size_t>(in));
  comm.all_to_all(rows(std::as_const(outgoing), width), send, rows(incoming, width), receive);
}

TEST_P(Disagreements, OnRowCountsNamesSenderAndReceiver) {
  const auto outcome = run(3, [](Communicator& comm) {
    comm.barrier();
    comm.barrier();
    if (comm.rank() == 0) exchange(comm, {0, 11, 0}, {0, 0, 0});
    if (comm.rank() == 1) exchange(comm, {0, 0, 0}, {12, 0, 0});
    if (comm.rank() == 2) exchange(comm, {0, 0, 0}, {0, 0, 0});
  });
  const auto told = AllOf(HasSubstr("rank 1 would receive 12 rows from rank 0, but rank 0 sends 11"),
                          HasSubstr("all_to_all #3"), HasSubstr("usually"));
  EXPECT_THAT(outcome.errors, Each(told));
  EXPECT_THAT(outcome.thrown, told);
  EXPECT_FALSE(outcome.is_input_error);
}

TEST_P(Disagreements, OnRowsOfOneselfAreFoundToo) {
  const auto outcome = run(2, [](Communicator& comm) {
    exchange(comm, {1, 1}, {comm.rank() == 0 ? 1 : 1, comm.rank() == 0 ? 1 : 2});
  });
  EXPECT_THAT(outcome.errors, Each(HasSubstr("rank 1 would receive 2 rows from rank 1, but rank 1 sends 1")));
}

TEST_P(Disagreements, OnTheOperationNamesBoth) {
  const auto outcome = run(2, [](Communicator& comm) {
    comm.barrier();
    if (comm.rank() == 0) exchange(comm, {1, 1}, {1, 1});
    if (comm.rank() == 1) comm.barrier();
  });
  EXPECT_THAT(outcome.errors, Each(HasSubstr("rank 0 calls all_to_all #2, but rank 1 calls barrier #2")));
}

TEST_P(Disagreements, OnASplitAndSomethingElse) {
  const auto outcome = run(2, [](Communicator& comm) {
    if (comm.rank() == 0) comm.split(0, 0);
    if (comm.rank() == 1) comm.barrier();
  });
  EXPECT_THAT(outcome.errors, Each(HasSubstr("rank 0 calls split #1, but rank 1 calls barrier #1")));
}

TEST_P(Disagreements, OnTheTypeNamesBoth) {
  const auto outcome = run(2, [](Communicator& comm) {
    if (comm.rank() == 0) exchange<float>(comm, {1, 1}, {1, 1});
    if (comm.rank() == 1) exchange<double>(comm, {1, 1}, {1, 1});
  });
  EXPECT_THAT(outcome.errors,
              Each(AllOf(HasSubstr("rank 0 has float32 values, but rank 1 has float64"), HasSubstr("all_to_all #1"))));
}

TEST_P(Disagreements, OnTheWidthOfARow) {
  const auto outcome = run(2, [](Communicator& comm) { exchange(comm, {1, 1}, {1, 1}, 32 + comm.rank()); });
  EXPECT_THAT(outcome.errors, Each(HasSubstr("a row has 32 values on rank 0, but 33 on rank 1")));
}

TEST_P(Disagreements, OnTheSizeOfAReduction) {
  const auto outcome = run(3, [](Communicator& comm) {
    std::vector<float> values(comm.rank() == 2 ? 5 : 4);
    comm.all_reduce(rows(values));
  });
  EXPECT_THAT(outcome.errors,
              Each(AllOf(HasSubstr("rank 0 has 4 values, but rank 2 has 5"), HasSubstr("all_reduce #1"))));
}

TEST_P(Disagreements, OnTheRootOfABroadcast) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<float> values(4);
    comm.broadcast(rows(values), comm.rank());
  });
  EXPECT_THAT(outcome.errors, Each(HasSubstr("rank 0 names root 0, but rank 1 names root 1")));
}

TEST_P(Disagreements, InAPartNameRanksOfTheWorldAndTheGroup) {
  const auto outcome = run(4, [](Communicator& comm) {
    const auto part = comm.split(comm.rank() % 2, 0);
    std::vector<float> values(comm.rank() == 3 ? 5 : 4);
    part->all_reduce(rows(values));
    comm.barrier();
  });
  EXPECT_THAT(outcome.thrown,
              AllOf(HasSubstr("rank 1 has 4 values, but rank 3 has 5"), HasSubstr("the group of ranks 1, 3")));
  EXPECT_THAT(outcome.errors, Each(HasSubstr("rank 1 has 4 values, but rank 3 has 5")));
}

TEST_P(Disagreements, OfAStartedOperationAppearWhenItIsWaitedFor) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<float> values(static_cast<std::size_t>(4 + comm.rank()));
    auto started = comm.start_all_reduce(rows(values));
    started->wait();
  });
  EXPECT_THAT(outcome.errors, Each(HasSubstr("rank 0 has 4 values, but rank 1 has 5")));
}

TEST_P(Disagreements, AreFinalEvenIfARankCatchesThem) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<float> values(static_cast<std::size_t>(4 + comm.rank()));
    EXPECT_THROW(comm.all_reduce(rows(values)), RankError);
    comm.barrier();
  });
  EXPECT_THAT(outcome.thrown, HasSubstr("rank 0 has 4 values, but rank 1 has 5"));
}

using BadArguments = Failing;
INSTANTIATE_TEST_SUITE_P(Comm, BadArguments, testing::ValuesIn(checking_transports()), transport_name);

TEST_P(BadArguments, ABufferOfOtherSizeThanItsCountsIsRefusedBeforeAnybodyWaits) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<float> values(3);
    const std::vector<std::int64_t> one_each{1, 1};
    comm.all_to_all(rows(std::as_const(values)), one_each, rows(values), one_each);
  });
  EXPECT_TRUE(outcome.is_input_error);
  EXPECT_THAT(outcome.thrown, HasSubstr("send_rows counts 2 rows, but the buffer holds 3"));
}

TEST_P(BadArguments, ACountForEveryRankIsNeeded) {
  const auto outcome = run(2, [](Communicator& comm) { exchange(comm, {1, 1, 1}, {1, 1}); });
  EXPECT_TRUE(outcome.is_input_error);
  EXPECT_THAT(outcome.thrown, HasSubstr("send_rows has 3 row counts for 2 ranks"));
}

TEST_P(BadArguments, ANegativeCountIsRefused) {
  const auto outcome = run(2, [](Communicator& comm) { exchange(comm, {1, 1}, {3, -1}); });
  EXPECT_TRUE(outcome.is_input_error);
  EXPECT_THAT(outcome.thrown, HasSubstr("receive_rows[1] is -1 rows"));
}

TEST_P(BadArguments, ReceivingIntoAnotherTypeIsRefused) {
  const auto outcome = run(1, [](Communicator& comm) {
    std::vector<float> floats(1);
    std::vector<double> doubles(1);
    const std::vector<std::int64_t> one{1};
    comm.all_to_all(rows(std::as_const(floats)), one, rows(doubles), one);
  });
  EXPECT_TRUE(outcome.is_input_error);
  EXPECT_THAT(outcome.thrown, HasSubstr("rows of 1 float32 would be received as rows of 1 float64"));
}

TEST_P(BadArguments, ARootThatDoesNotExistIsRefused) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<float> values(1);
    comm.broadcast(rows(values), 2);
  });
  EXPECT_TRUE(outcome.is_input_error);
  EXPECT_THAT(outcome.thrown, HasSubstr("there is no rank 2"));
}

TEST_P(BadArguments, AWholeThatIsNotOnePartARankIsRefused) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<float> part(2), whole(5);
    comm.all_gather(rows(std::as_const(part)), rows(whole));
  });
  EXPECT_TRUE(outcome.is_input_error);
  EXPECT_THAT(outcome.thrown, HasSubstr("2 parts of 2 values make 4, but the whole holds 5"));
}

}  // namespace

}  // namespace duet::comm
