#include "moe/top_k.h"

#include <fmt/format.h>

#include "core/error.h"

namespace duet {

namespace {

void check_top_k(std::int64_t k, std::int64_t experts, bool renormalize) {
  if (k < 1 || k > experts) {
    throw InputError({.what = fmt::format("top-k is {}, but there are {} experts", k, experts),
                      .where = "choose_top_k",
                      .usually = "each token goes to at least one expert, and to no expert twice",
                      .fix = fmt::format("choose a k from 1 to {}", experts)});
  }
  if (k == 1 && renormalize) {
    throw InputError(
        {.what = "a top-1 gate renormalised over one choice is always 1",
         .where = "choose_top_k",
         .usually = "the flag was meant for k = 2 or more, as in Mixtral",
         .fix = "leave it off at k = 1: with a constant gate the router gets no gradient and never learns"});
  }
}

}  // namespace

Choice choose_top_k(const at::Tensor& probs, std::int64_t k, bool renormalize) {
  check_top_k(k, probs.size(1), renormalize);
  if (k == 1) {
    auto [gate, expert] = at::max(probs, /*dim=*/1, /*keepdim=*/true);  // the first of equal values
    return {expert, gate};
  }
  const auto order = at::argsort(probs, /*stable=*/true, /*dim=*/1, /*descending=*/true);
  auto expert = order.narrow(1, 0, k).contiguous();
  auto gate = probs.gather(1, expert);
  if (renormalize) gate = gate / gate.sum(1, /*keepdim=*/true);
  return {expert, gate};
}

}  // namespace duet
