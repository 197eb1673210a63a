// The kernels on the device against the plain units on the same device.
#include "comm/threads/run_ranks.h"
#include "tests/gpu/on_gpu.h"
#include "tests/moe/fused_comparison.h"
#include "train/device.h"

namespace duet::test {
namespace {

const at::Device gpu0(at::kCUDA, 0);

using Kernels = OnGpu;

TEST_F(Kernels, GiveWhatThePlainUnitsGive) {
  for (const auto& one : exchange_cases()) {
    SCOPED_TRACE(one.name);
    comm::run_ranks(one.ranks, {}, [&](comm::Communicator& comm) {
      start_rank_on(gpu0);
      for (const auto dtype : {at::kDouble, at::kFloat}) expect_fused_equals_plain(comm, one, gpu0, dtype);
    });
  }
}

TEST_F(Kernels, RouteAsThePlainUnitsDo) {
  for (const auto& one : route_cases()) {
    SCOPED_TRACE(one.name);
    for (const auto dtype : {at::kDouble, at::kFloat}) expect_route_equals_plain(one, gpu0, dtype);
  }
}

TEST_F(Kernels, RouteALargeBatchToTheSameBitsTwice) {
  const RouteCase large{.name = "large", .tokens = 100'003, .experts = 64};
  expect_route_equals_plain(large, gpu0, at::kFloat);
  const auto logits = random_tensor("large", {large.tokens, large.experts}, at::TensorOptions(gpu0).dtype(at::kFloat));
  const auto first = fused::route_top1(logits), second = fused::route_top1(logits);
  EXPECT_TRUE(first.probs.equal(second.probs));
  EXPECT_TRUE(first.position.equal(second.position));
}

TEST_F(Kernels, NameTheFirstTokenThatIsNotFinite) { expect_first_bad_token(gpu0); }

}  // namespace
}  // namespace duet::test
