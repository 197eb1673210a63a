// Counts, dispatch and combine between real ranks, on a routing written out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "moe/combine.h"
#include "moe/counts.h"
#include "moe/dispatch.h"
#include "moe/rows_backward.h"
#include "tests/comm/transports.h"
#include "tests/moe/tensors.h"

namespace duet {
namespace {

using test::doubles;
using test::flags;
using test::integers;
using test::listed;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

/// Two ranks, four experts (0 and 1 on rank 0), one choice. A row is [100 * rank + token].
struct Routed {
  std::vector<std::int64_t> expert;
  std::vector<std::int64_t> kept;
};

const std::array<Routed, 2> routed{Routed{{3, 0, 2, 1, 0}, {1, 1, 1, 1, 0}}, Routed{{1, 3, 3}, {1, 1, 1}}};

Plan plan_of(comm::Communicator& comm) {
  const auto& mine = routed[static_cast<std::size_t>(comm.rank())];
  const auto tokens = static_cast<std::int64_t>(mine.expert.size());
  const Kept kept{flags(mine.kept, {tokens, 1}), at::zeros({4}, at::kLong)};
  return exchange_counts(comm, make_plan(integers(mine.expert, {tokens, 1}), kept, {.experts = 4, .ranks = 2}));
}

at::Tensor rows_of(comm::Communicator& comm) {
  const auto tokens = static_cast<std::int64_t>(routed[static_cast<std::size_t>(comm.rank())].expert.size());
  return (at::arange(tokens, at::kDouble) + 100 * comm.rank()).view({-1, 1});
}

void on_two_ranks(const std::function<void(comm::Communicator&)>& body) { comm::run_ranks(2, {}, body); }

TEST(Counts, TellEachRankWhatWillArriveForEachOfItsExperts) {
  on_two_ranks([](comm::Communicator& comm) {
    const auto plan = plan_of(comm);
    if (comm.rank() == 0) {  // own 0, own 1, peer's 0, peer's 1
      EXPECT_THAT(plan.receive_rows, ElementsAre(1, 1, 0, 1));
    }
    if (comm.rank() == 1) {
      EXPECT_THAT(plan.receive_rows, ElementsAre(1, 1, 0, 2));
    }
  });
}

TEST(Dispatch, BringsRowsByExpertThenSourceThenToken) {
  on_two_ranks([](comm::Communicator& comm) {
    const auto rows = dispatch(comm, plan_of(comm), rows_of(comm));
    if (comm.rank() == 0) {
      EXPECT_THAT(listed<double>(rows), ElementsAre(1, 3, 100));
    }
    if (comm.rank() == 1) {
      EXPECT_THAT(listed<double>(rows), ElementsAre(2, 0, 101, 102));
    }
  });
}

TEST(Combine, BringsEachTokenItsOwnRowWeighedByItsGateAndADroppedOneZero) {
  on_two_ranks([](comm::Communicator& comm) {
    const auto plan = plan_of(comm);
    const auto x = rows_of(comm);
    const auto gate = at::arange(x.size(0), at::kDouble).view({-1, 1}) + 1;
    const auto combined = combine(comm, plan, dispatch(comm, plan, x) + 0.5, gate);
    auto expected = (x + 0.5) * gate;
    if (comm.rank() == 0) expected[4] = 0;  // dropped
    EXPECT_TRUE(combined.out.equal(expected)) << combined.out;
    EXPECT_EQ(combined.rows[plan.rows()][0].item<double>(), 0) << "the last row is for dropped pairs";
  });
}

TEST(Combine, SumsTheChoicesOfATokenInOrder) {
  comm::run_ranks(1, {}, [](comm::Communicator& comm) {
    const Kept kept{flags({1, 1, 0, 1}, {2, 2}), at::zeros({2}, at::kLong)};
    const auto plan =
        exchange_counts(comm, make_plan(integers({0, 1, 1, 0}, {2, 2}), kept, {.experts = 2, .ranks = 1}));
    const auto y = dispatch(comm, plan, doubles({1, 2}, {2, 1})) + doubles({10, 10, 20}, {3, 1});  // by expert
    const auto out = combine(comm, plan, y, doubles({0.5, 0.25, 0.5, 0.25}, {2, 2})).out;
    EXPECT_THAT(listed<double>(out), ElementsAre(0.5 * 11 + 0.25 * 21, 0.25 * 12));
  });
}

// <y, dispatch(x)> = <dispatch_backward(y), x> over all ranks: the gradient is the transpose.
TEST(RowsBackward, OfDispatchIsItsTranspose) {
  std::array<double, 2> left{}, right{};
  on_two_ranks([&](comm::Communicator& comm) {
    const auto plan = plan_of(comm);
    const auto x = rows_of(comm).sin();
    const auto rows = dispatch(comm, plan, x);
    const auto y = (rows * 3 + 1).cos();
    const auto grad = dispatch_backward(comm, plan, y);
    left[static_cast<std::size_t>(comm.rank())] = (rows * y).sum().item<double>();
    right[static_cast<std::size_t>(comm.rank())] = (x * grad).sum().item<double>();
    if (comm.rank() == 0) {
      EXPECT_EQ(grad[4][0].item<double>(), 0) << "a dropped token gets no gradient";
    }
  });
  EXPECT_NEAR(left[0] + left[1], right[0] + right[1], 1e-14);
}

TEST(RowsBackward, OfCombineIsItsTranspose) {
  std::array<double, 2> left{}, right{};
  on_two_ranks([&](comm::Communicator& comm) {
    const auto plan = plan_of(comm);
    const auto y = (at::arange(plan.received(), at::kDouble).view({-1, 1}) + comm.rank()).sin();
    const auto gate = (rows_of(comm) * 0.1).cos();
    const auto out = combine(comm, plan, y, gate).out;
    const auto grad_out = (rows_of(comm) * 0.3).sin();
    const auto grad_y = combine_backward(comm, plan, grad_out, gate);
    left[static_cast<std::size_t>(comm.rank())] = (out * grad_out).sum().item<double>();
    right[static_cast<std::size_t>(comm.rank())] = (y * grad_y).sum().item<double>();
  });
  EXPECT_NEAR(left[0] + left[1], right[0] + right[1], 1e-14);
}

TEST(Exchange, OfNoRowsAtAllIsOrdinary) {
  on_two_ranks([](comm::Communicator& comm) {
    const Kept kept{at::empty({0, 1}, at::kBool), at::zeros({2}, at::kLong)};
    const auto plan = exchange_counts(comm, make_plan(at::empty({0, 1}, at::kLong), kept, {.experts = 2, .ranks = 2}));
    const auto rows = dispatch(comm, plan, at::empty({0, 3}, at::kDouble));
    EXPECT_EQ(rows.sizes(), at::IntArrayRef({0, 3}));
    EXPECT_EQ(combine(comm, plan, rows, at::empty({0, 1}, at::kDouble)).out.sizes(), at::IntArrayRef({0, 3}));
  });
}

}  // namespace
}  // namespace duet
