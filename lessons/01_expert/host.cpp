#include "host.h"

#include "moe/expert.h"

namespace duet::lessons {

namespace {

ExpertWeights weights_in(const Values& in) { return {in.at("w1"), in.at("b1"), in.at("w2"), in.at("b2")}; }

// The gradients that training needs: of the rows, and of every weight.
Values run_backward(const Values& in) {
  Values leaves;
  for (const auto* name : {"rows", "w1", "b1", "w2", "b2"}) leaves[name] = in.at(name).clone().requires_grad_(true);
  const auto out = expert_forward(leaves.at("rows"), weights_in(leaves));
  Values gradients{{"out", out.detach()}};
  if (!out.requires_grad()) return gradients;
  out.backward(in.at("gradient"));
  for (const auto& [name, leaf] : leaves) {
    if (leaf.grad().defined()) gradients["gradient of " + name] = leaf.grad();
  }
  return gradients;
}

}  // namespace

Values run_unit(const std::string& call, const Values& in, comm::Communicator* /*comm*/) {
  if (call == "backward") return run_backward(in);
  const at::NoGradGuard no_grad;
  return {{"out", expert_forward(in.at("rows"), weights_in(in))}};
}

}  // namespace duet::lessons
