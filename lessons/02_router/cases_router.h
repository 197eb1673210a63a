#pragma once
/// The judge's own router: what each wrong turn would have answered.
#include "moe/router.h"

#include "lesson.h"

namespace duet::lessons::router {

inline at::Tensor input(const Values& in, const std::string& name) {
  const auto found = in.find(name);
  return found == in.end() ? at::Tensor() : found->second;
}

inline Routing right(const Values& in) {
  return route(in.at("x"),
               {.weight = in.at("weight"),
                .bias = input(in, "bias"),
                .top_k = number_in(in, "top_k"),
                .renormalize = number_in(in, "renormalize") != 0,
                .constant_gate = number_in(in, "constant_gate") != 0,
                .choice_bias = input(in, "choice_bias")},
               input(in, "noise"));
}

inline Routing right_without(Values in, const std::string& name) {
  in.erase(name);
  return right(in);
}

inline std::vector<Suspect> about_logits(const Values& in) {
  std::vector<Suspect> suspects{
      {right(in).probs,
       "logits holds the probabilities. It should hold the scores before the softmax: the auxiliary loss z reads them, "
       "and whoever applies softmax to them again gets almost equal numbers."}};
  if (in.contains("noise")) {
    suspects.push_back(
        {right_without(in, "noise").logits,
         "The noise is missing from the logits. It is added to them before anything else, not to the probabilities."});
  }
  if (in.contains("bias")) {
    suspects.push_back({right_without(in, "bias").logits, "The bias is missing: logits = x · weightᵀ + bias."});
  }
  if (in.at("weight").size(0) == in.at("weight").size(1)) {
    auto transposed = in;
    transposed["weight"] = in.at("weight").t().contiguous();
    suspects.push_back({right(transposed).logits,
                        "The weight is multiplied as it lies. It is stored as [E, dim], a row an expert, so a token is "
                        "multiplied by its transpose: at::linear(x, weight, bias)."});
  }
  return suspects;
}

inline std::vector<Suspect> about_probs(const Values& in) {
  const auto routing = right(in);
  std::vector<Suspect> suspects{
      {at::softmax(routing.logits, 0),
       "The softmax runs over the tokens, down each column. But each token's probabilities must add up to 1: experts "
       "compete for a token, tokens do not compete for an expert. Experts are dimension 1 of [T, E]."},
      {routing.logits, "probs holds the logits: the softmax over the experts is missing."},
      {at::sigmoid(routing.logits),
       "This is a sigmoid of each logit by itself. A token's probabilities must add up to 1: softmax over the "
       "experts."}};
  if (in.contains("noise")) {
    const auto quiet = right_without(in, "noise");
    suspects.push_back(
        {quiet.probs, "The noise changed the logits, but not the probabilities. Add it before softmax."});
    suspects.push_back({quiet.probs + in.at("noise"),
                        "The noise is added to the probabilities, which then no longer add up to 1. Add it to the "
                        "logits, and take softmax of the sum."});
  }
  return suspects;
}

// The last of equal maxima, where argmax gives the first.
inline at::Tensor highest_of_ties(const at::Tensor& scores) {
  return scores.size(1) - 1 - at::argmax(scores.flip({1}), 1, /*keepdim=*/true);
}

inline std::vector<Suspect> about_expert(const Values& in) {
  const auto routing = right(in);
  if (number_in(in, "top_k") > 1) {
    return {{at::argmax(routing.probs, 1, true),
             "One expert a token, but top_k asks for more. choose_by_rule does that: call it when top_k is not 1."}};
  }
  const auto scores = in.contains("choice_bias") ? routing.probs + in.at("choice_bias") : routing.probs;
  return {{at::argmax(scores, 1),
           "The right experts in the wrong shape: expert is [T, 1], a column, because with top_k 2 it is [T, 2]. "
           "argmax takes keepdim = true for that."},
          {highest_of_ties(scores),
           "At a tie your choice is the highest expert. The task says the lowest: only with one rule for ties does a "
           "run come out the same on every layout and device. Scanning from the front, compare with >, not with >=."},
          {at::argmin(scores, 1, true), "This is the least probable expert."},
          {at::argmax(routing.probs, 1, true),
           "The choice bias is ignored. The choice goes by scores_of(probs, weights), the gate by probs alone."}};
}

inline std::vector<Suspect> about_gate(const Values& in) {
  const auto routing = right(in);
  std::vector<Suspect> suspects{
      {at::ones_like(routing.gate),
       "Every gate is 1. Then the output does not depend on the probabilities, no gradient reaches the weight, and the "
       "router never learns. The gate is the chosen expert's probability: take softmax over all experts first, then "
       "choose."},
      {routing.logits.gather(1, routing.expert),
       "The gate is the chosen expert's logit. It should be its probability, between 0 and 1."},
      {routing.gate.squeeze(1), "The right gates in the wrong shape: gate is [T, 1], as expert is."},
      {routing.probs.gather(1, routing.expert),
       "renormalize is on, and the gates are still the plain probabilities. Hand over to choose_by_rule when "
       "renormalize is on, at top_k 1 too: there it refuses, or gives gates of 1 where constant_gate allows it."}};
  if (in.contains("choice_bias")) {
    suspects.push_back({(routing.probs + in.at("choice_bias")).gather(1, routing.expert),
                        "The choice bias has got into the gate. It moves choices only; the gate is the probability "
                        "itself, without the bias."});
  }
  return suspects;
}

}  // namespace duet::lessons::router
