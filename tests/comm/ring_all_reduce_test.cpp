#include "comm/ring_all_reduce.h"

#include "tests/comm/transports.h"

namespace duet::comm {
namespace {

using RingAllReduce = OnRanks;
INSTANTIATE_TEST_SUITE_P(Comm, RingAllReduce, cases({1, 2, 3, 4}), case_name);

at::Tensor values_of(int rank, std::int64_t count) { return at::arange(count, at::kDouble) + 1000.0 * rank; }

at::Tensor sum_of(int ranks, std::int64_t count) {
  auto sum = at::zeros({count}, at::kDouble);
  for (int rank = 0; rank < ranks; ++rank) sum.add_(values_of(rank, count));
  return sum;
}

TEST_P(RingAllReduce, SumsEveryValueOverRanks) {
  for (const std::int64_t count : {12, 13, 7, 4}) {  // divided by the ranks, and not
    run([count](Communicator& comm) {
      const auto values = values_of(comm.rank(), count);
      ring_all_reduce(comm, values);
      EXPECT_TRUE(values.equal(sum_of(comm.size(), count))) << count << " values, rank " << comm.rank();
    });
  }
}

TEST_P(RingAllReduce, TakesFewerValuesThanRanks) {
  run([](Communicator& comm) {
    const auto values = values_of(comm.rank(), 1);
    ring_all_reduce(comm, values);
    EXPECT_TRUE(values.equal(sum_of(comm.size(), 1)));
  });
}

TEST_P(RingAllReduce, SendsTwiceTheTensorLessItsPartInAll) {
  constexpr std::int64_t count = 13;
  run([&](Communicator& comm) {
    trace::Recorder recorder;
    comm.set_recorder(&recorder);
    const auto values = values_of(comm.rank(), count);
    ring_all_reduce(comm, values);
    comm.set_recorder(nullptr);
    std::vector<std::int64_t> bytes{0};
    for (const auto& event : recorder.events()) bytes[0] += event.bytes;
    comm.all_reduce(rows(bytes));
    EXPECT_EQ(bytes[0], 2 * (comm.size() - 1) * count * 8);
  });
}

}  // namespace
}  // namespace duet::comm
