// The fused exchange against the plain units, and the kernels' routing against the plain router: on the CPU their grids
// are loops over the same index functions (tests/gpu runs these comparisons on a device).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/comm/transports.h"
#include "tests/moe/fused_comparison.h"

namespace duet::test {
namespace {

class FusedExchange : public testing::TestWithParam<ExchangeCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, FusedExchange, testing::ValuesIn(exchange_cases()),
                         [](const auto& one) { return one.param.name; });

TEST_P(FusedExchange, GivesWhatThePlainUnitsGive) {
  comm::run_ranks(GetParam().ranks, {}, [](comm::Communicator& comm) {
    for (const auto dtype : {at::kDouble, at::kFloat}) expect_fused_equals_plain(comm, GetParam(), at::kCPU, dtype);
  });
}

class FusedRoute : public testing::TestWithParam<RouteCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, FusedRoute, testing::ValuesIn(route_cases()),
                         [](const auto& one) { return one.param.name; });

TEST_P(FusedRoute, DecidesWhatThePlainUnitsDecide) {
  for (const auto dtype : {at::kDouble, at::kFloat}) expect_route_equals_plain(GetParam(), at::kCPU, dtype);
}

TEST(FusedRoute, HasTheRoutersGradients) {
  const auto x = random_tensor("x", {40, 6}, at::kDouble), weigh = random_tensor("weigh", {40, 5}, at::kDouble);
  const auto gradients = [&](bool kernel) {
    const auto tokens = x.clone().requires_grad_(true);
    RouterWeights router{.weight = random_tensor("w", {5, 6}, at::kDouble).requires_grad_(true),
                         .bias = random_tensor("b", {5}, at::kDouble).requires_grad_(true)};
    const auto routing = kernel ? fused::route(tokens, router, weigh).routing : route(tokens, router, weigh);
    ((routing.probs * weigh).sum() + routing.gate.square().sum() + routing.logits.sum()).backward();
    return std::vector<at::Tensor>{routing.gate.detach(), tokens.grad(), router.weight.grad(), router.bias.grad()};
  };
  const auto fused = gradients(true), plain = gradients(false);
  for (std::size_t i = 0; i < plain.size(); ++i) expect_close(fused[i], plain[i], std::to_string(i));
}

TEST(FusedRoute, NamesTheFirstTokenThatIsNotFinite) { expect_first_bad_token(at::kCPU); }

}  // namespace
}  // namespace duet::test
