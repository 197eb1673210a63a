#include "comm/tensors.h"

#include "tests/comm/transports.h"

namespace duet::comm {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

using Tensors = OnRanks;
INSTANTIATE_TEST_SUITE_P(Comm, Tensors, cases({1, 2, 3, 4}), case_name);

TEST_P(Tensors, EveryAlgorithmGivesTheSameSum) {
  run([](Communicator& comm) {
    for (const auto algorithm : {AllReduceAlgorithm::native, AllReduceAlgorithm::naive, AllReduceAlgorithm::ring}) {
      comm.set_algorithms({.all_reduce = algorithm});
      const auto values = at::arange(10, at::kDouble) * (comm.rank() + 1);
      all_reduce(comm, values);
      const double factor = comm.size() * (comm.size() + 1) / 2.0;
      EXPECT_TRUE(values.equal(at::arange(10, at::kDouble) * factor)) << name(algorithm);
    }
  });
}

TEST_P(Tensors, BothExchangesBringTheSameRows) {
  run([](Communicator& comm) {
    const std::vector<std::int64_t> each(static_cast<std::size_t>(comm.size()), 2);
    const auto rows = at::arange(2 * comm.size() * 3, at::kFloat).view({2 * comm.size(), 3}) + 100.0F * comm.rank();
    const auto native = all_to_all(comm, rows.contiguous(), each, each);
    comm.set_algorithms({.all_to_all = AllToAllAlgorithm::pairwise});
    EXPECT_TRUE(all_to_all(comm, rows.contiguous(), each, each).equal(native));
  });
}

TEST_P(Tensors, GatherScatterAndBroadcastAgreeWithTheirNames) {
  run([](Communicator& comm) {
    const auto mine = at::full({2, 3}, comm.rank(), at::kLong);
    const auto all = all_gather(comm, mine);
    for (int rank = 0; rank < comm.size(); ++rank) EXPECT_TRUE(all.narrow(0, 2 * rank, 2).eq(rank).all().item<bool>());
    const auto part = reduce_scatter(comm, all);
    EXPECT_TRUE(part.eq(comm.rank() * comm.size()).all().item<bool>());
    const auto value = at::full({3}, comm.rank() + 7, at::kLong);
    broadcast(comm, value, comm.size() - 1);
    EXPECT_TRUE(value.eq(comm.size() + 6).all().item<bool>());
  });
}

TEST_P(Tensors, RefuseWhatTheyCannotReadAsRows) {
  run([](Communicator& comm) {
    const std::vector<std::int64_t> none(static_cast<std::size_t>(comm.size()), 0);
    EXPECT_THAT(
        [&] {
          all_reduce(comm, at::zeros({4, 4}, at::kFloat).t().narrow(0, 0, 2));
        },
        ThrowsMessage<InputError>(HasSubstr("contiguous")));
    EXPECT_THAT([&] { all_reduce(comm, at::zeros({4}, at::kHalf)); }, ThrowsMessage<InputError>(HasSubstr("Half")));
    EXPECT_THAT([&] { all_to_all(comm, at::zeros({}), none, none); },
                ThrowsMessage<InputError>(HasSubstr("dimension")));
  });
}

}  // namespace
}  // namespace duet::comm
