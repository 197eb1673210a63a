// What goes wrong between two real GPUs ends in time and in words. Four GPUs run all such tests of tests/comm.
#include "tests/comm/transports.h"

namespace duet::comm {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class OnTwoGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (transports().front().largest_world_size < 2) GTEST_SKIP() << "one GPU, and NCCL gives each rank its own";
  }
  static Outcome run(const Body& body, Deadline deadline) {
    return run_and_fail(transports().front(), 2, deadline, body);
  }
};

TEST_F(OnTwoGpus, ARankThatThrowsWakesTheOther) {
  const auto outcome = run(
      [](Communicator& comm) {
        if (comm.rank() == 1) throw std::runtime_error("the disk is full");
        std::vector<float> values(1000);
        comm.all_reduce(rows(values));
      },
      std::chrono::seconds(20));
  EXPECT_THAT(outcome.errors[0], HasSubstr("rank 1 failed: the disk is full"));
  EXPECT_LT(outcome.ended[0], milliseconds(10'000));
}

TEST_F(OnTwoGpus, ARankThatNeverComesIsNamedAtTheDeadline) {
  const auto outcome = run(
      [](Communicator& comm) {
        if (comm.rank() == 1) std::this_thread::sleep_for(milliseconds(3000));
        std::vector<float> values(1000);
        comm.all_reduce(rows(values));
      },
      milliseconds(1000));
  EXPECT_THAT(outcome.errors[0], HasSubstr("rank 1"));
  EXPECT_LT(outcome.ended[0], milliseconds(10'000));
}

TEST_F(OnTwoGpus, RowCountsThatDisagreeAreToldBeforeDataMoves) {
  const auto outcome = run(
      [](Communicator& comm) {
        const std::vector<std::int64_t> send{1, comm.rank() == 0 ? 2 : 1}, receive{1, 1};
        std::vector<float> out(static_cast<std::size_t>(send[0] + send[1])), in(2);
        comm.all_to_all(rows(std::as_const(out)), send, rows(in), receive);
      },
      std::chrono::seconds(20));
  EXPECT_THAT(outcome.thrown, testing::AllOf(HasSubstr("rank 0"), HasSubstr("2"), HasSubstr("rank 1")));
}

}  // namespace
}  // namespace duet::comm
