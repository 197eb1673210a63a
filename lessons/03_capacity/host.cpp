#include "host.h"

#include <stdexcept>

#include "moe/capacity.h"

namespace duet::lessons {

namespace {

Routing routing_in(const Values& in, const std::string& prefix = "") {
  const auto optional = [&](const std::string& name) {
    const auto found = in.find(prefix + name);
    return found == in.end() ? at::Tensor() : found->second;
  };
  const auto& expert = in.at(prefix + "expert");
  const auto scores = at::zeros({expert.size(0), number_in(in, "experts")}, at::kDouble);
  auto gate = optional("gate");
  if (!gate.defined()) gate = at::ones(expert.sizes(), at::kDouble);
  return {.logits = scores, .probs = scores, .expert = expert, .gate = gate, .draw = optional("draw")};
}

CapacityRule rule_in(const Values& in) {
  CapacityRule rule{.factor = {},
                    .minimum = number_in(in, "minimum"),
                    .drop = static_cast<DropPolicy>(number_in(in, "drop")),
                    .slot_order = static_cast<SlotOrder>(number_in(in, "slot_order")),
                    .scope = in.contains("all expert") ? Scope::global : Scope::local};
  if (in.contains("factor")) rule.factor = Fraction{list_in(in, "factor").at(0), list_in(in, "factor").at(1)};
  return rule;
}

Values run_once(const Values& in) {
  Kept kept;
  if (in.contains("all expert")) {
    const GlobalView view{.routing = routing_in(in, "all "), .first_token = number_in(in, "first_token")};
    kept = apply_capacity(routing_in(in), rule_in(in), &view);
  } else {
    kept = apply_capacity(routing_in(in), rule_in(in));
  }
  return {{"counts", kept.counts}, {"mask", kept.mask}};
}

}  // namespace

// "done or refused": a rule that the task does not ask for may be refused by an error of the unit's own.
Values run_unit(const std::string& call, const Values& in, comm::Communicator* /*comm*/) {
  if (call != "done or refused") return run_once(in);
  try {
    return run_once(in);
  } catch (const std::runtime_error& error) {
    if (std::string(error.what()).find("not written yet") != std::string::npos) throw;
    return {{"refused", number(1)}};
  } catch (const std::logic_error&) {
    return {{"refused", number(1)}};
  }
}

}  // namespace duet::lessons
