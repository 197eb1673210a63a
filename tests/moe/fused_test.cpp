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

TEST(FusedRoute, NamesTheFirstTokenThatIsNotFinite) { expect_first_bad_token(at::kCPU); }

}  // namespace
}  // namespace duet::test
