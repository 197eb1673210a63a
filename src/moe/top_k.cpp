#include "moe/top_k.h"

#include <fmt/format.h>

#include "core/error.h"

namespace duet {

namespace {

void check_top_k(const TopKRule& rule, std::int64_t experts) {
  const auto k = rule.k;
  if (k < 1 || k > experts) {
    throw InputError({.what = fmt::format("top-k is {}, but there are {} experts", k, experts),
                      .where = "choose_top_k",
                      .usually = "each token goes to at least one expert, and to no expert twice",
                      .fix = fmt::format("choose a k from 1 to {}", experts)});
  }
  if (k == 1 && rule.renormalize && !rule.constant_gate) {
    throw InputError(
        {.what = "a top-1 gate renormalised over one choice is always 1",
         .where = "choose_top_k",
         .usually = "the flag was meant for k = 2 or more, as in Mixtral",
         .fix = "leave it off at k = 1: with a constant gate the router gets no gradient and never learns"});
  }
}

}  // namespace

Choice choose_top_k(const at::Tensor& probs, const TopKRule& rule) {
  check_top_k(rule, probs.size(1));
  const auto scores = rule.bias.defined() ? probs.detach() + rule.bias : probs.detach();
  // k = 1: argmax gives the first of equal values; otherwise a stable sort does.
  const auto expert =
      rule.k == 1
          ? at::argmax(scores, /*dim=*/1, /*keepdim=*/true)
          : at::argsort(scores, /*stable=*/true, /*dim=*/1, /*descending=*/true).narrow(1, 0, rule.k).contiguous();
  auto gate = probs.gather(1, expert);
  if (rule.renormalize) gate = gate / gate.sum(1, /*keepdim=*/true);
  return {expert, gate};
}

}  // namespace duet
