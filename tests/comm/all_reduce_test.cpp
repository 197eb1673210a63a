#include "comm/all_reduce.h"

#include "tests/comm/transports.h"

namespace duet::comm {
namespace {

using NaiveAllReduce = OnRanks;
INSTANTIATE_TEST_SUITE_P(Comm, NaiveAllReduce, cases({1, 2, 3, 4}), case_name);

// Rank r has 10^r, so that the sum's digits say how often each rank was added.
double digit(int rank) { return std::pow(10.0, rank); }

double sum_of_digits(int ranks) { return (std::pow(10.0, ranks) - 1) / 9; }

TEST_P(NaiveAllReduce, AddsEachRankOnce) {
  run([](Communicator& comm) {
    const auto values = at::full({2, 3}, digit(comm.rank()), at::kDouble);
    all_reduce_naive(comm, values);
    EXPECT_TRUE(values.eq(sum_of_digits(comm.size())).all().item<bool>())
        << "rank " << comm.rank() << " has " << values[0][0].item<double>();
  });
}

TEST_P(NaiveAllReduce, GivesTheSameBitsOnEveryRank) {
  run([](Communicator& comm) {
    const auto values = at::full({4}, 0.1F * static_cast<float>(comm.rank() + 1), at::kFloat);
    auto expected = at::zeros({4}, at::kFloat);
    for (int rank = 0; rank < comm.size(); ++rank) expected.add_(at::full({4}, 0.1F * static_cast<float>(rank + 1)));
    all_reduce_naive(comm, values);
    EXPECT_TRUE(values.equal(expected)) << "rank " << comm.rank();
  });
}

TEST_P(NaiveAllReduce, TakesNoValuesAtAll) {
  run([](Communicator& comm) {
    const auto values = at::empty({0}, at::kFloat);
    all_reduce_naive(comm, values);
    EXPECT_EQ(values.numel(), 0);
  });
}

}  // namespace
}  // namespace duet::comm
