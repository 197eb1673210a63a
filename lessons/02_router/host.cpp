#include "host.h"

#include "core/error.h"
#include "moe/router.h"

namespace duet::lessons {

namespace {

at::Tensor optional(const Values& in, const std::string& name) {
  const auto found = in.find(name);
  return found == in.end() ? at::Tensor() : found->second;
}

RouterWeights weights_in(const Values& in) {
  return {.weight = in.at("weight"),
          .bias = optional(in, "bias"),
          .top_k = number_in(in, "top_k"),
          .renormalize = number_in(in, "renormalize") != 0,
          .constant_gate = number_in(in, "constant_gate") != 0,
          .choice_bias = optional(in, "choice_bias")};
}

// The gradients that reach x and the router's parameters from one of the outputs.
Values run_backward(const Values& in, const std::string& from) {
  auto leaves = in;
  for (const auto* name : {"x", "weight", "bias"}) leaves[name] = in.at(name).clone().requires_grad_(true);
  const auto routing = route(leaves.at("x"), weights_in(leaves));
  const auto& out = from == "gate" ? routing.gate : from == "probs" ? routing.probs : routing.logits;
  Values gradients{{from, out.detach()}};
  if (!out.requires_grad()) return gradients;
  out.backward(in.at("gradient"));
  for (const auto* name : {"x", "weight", "bias"}) {
    const auto& gradient = leaves.at(name).grad();
    if (gradient.defined()) gradients["gradient of " + std::string(name)] = gradient;
  }
  return gradients;
}

}  // namespace

Values run_unit(const std::string& call, const Values& in, comm::Communicator* /*comm*/) {
  if (!call.empty() && call != "refuse") return run_backward(in, call);
  const at::NoGradGuard no_grad;
  try {
    const auto routing = route(in.at("x"), weights_in(in), optional(in, "noise"));
    Values out{
        {"logits", routing.logits}, {"probs", routing.probs}, {"expert", routing.expert}, {"gate", routing.gate}};
    if (call == "refuse") out["refused"] = number(0);
    return out;
  } catch (const InputError&) {
    if (call == "refuse") return {{"refused", number(1)}};
    throw;
  }
}

}  // namespace duet::lessons
