#include <fmt/format.h>

#include <array>

#include "cli/flag_groups.h"
#include "cli/parse_value.h"

namespace duet::cli {

std::vector<RunFlag> model_flags() {
  return {
      {"dim", "width of a token", FlagKind::value, [](const RunConfig& c) { return fmt::to_string(c.model.dim); },
       [](RunConfig& c, const std::string& v) { c.model.dim = parse_integer("dim", v, 1, 1 << 20); }},
      {"hidden", "width of an expert's hidden layer", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.model.hidden); },
       [](RunConfig& c, const std::string& v) { c.model.hidden = parse_integer("hidden", v, 1, 1 << 24); }},
      {"experts", "experts in all; the ranks that share them divide them", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.model.experts); },
       [](RunConfig& c, const std::string& v) { c.model.experts = parse_integer("experts", v, 1, 4096); }},
      {"expert", "relu (linear, ReLU, linear, with biases) or swiglu (gated, without biases, as Mixtral's)",
       FlagKind::value,
       [](const RunConfig& c) { return std::string(c.model.expert == ExpertKind::swiglu ? "swiglu" : "relu"); },
       [](RunConfig& c, const std::string& v) {
         c.model.expert =
             std::array{ExpertKind::relu, ExpertKind::swiglu}[parse_choice("expert", v, {"relu", "swiglu"})];
       }},
      {"layers", "MoE layers, one after the other", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.model.layers); },
       [](RunConfig& c, const std::string& v) { c.model.layers = parse_integer("layers", v, 1, 256); }},
      {"top-k", "experts that a token goes to", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.model.top_k); },
       [](RunConfig& c, const std::string& v) { c.model.top_k = parse_integer("top-k", v, 1, 4096); }},
      {"renormalize", "divide gates by their sum over the chosen experts, as Mixtral does (top-k 2 or more)",
       FlagKind::on_off, [](const RunConfig& c) { return std::string(c.model.renormalize ? "on" : "off"); },
       [](RunConfig& c, const std::string& v) { c.model.renormalize = parse_on_off("renormalize", v); }},
      {"constant-gate", "allow --renormalize at top-k 1, where every gate is 1 and the router never learns",
       FlagKind::on_off, [](const RunConfig& c) { return std::string(c.model.constant_gate ? "on" : "off"); },
       [](RunConfig& c, const std::string& v) { c.model.constant_gate = parse_on_off("constant-gate", v); }},
      {"router-bias", "the router's linear layer has a bias", FlagKind::value,
       [](const RunConfig& c) { return std::string(c.model.router_bias ? "on" : "off"); },
       [](RunConfig& c, const std::string& v) { c.model.router_bias = parse_on_off("router-bias", v); }},
      {"router-jitter", "multiply the router's input by uniform numbers within 1 - J and 1 + J (Switch)",
       FlagKind::value, [](const RunConfig& c) { return fmt::format("{}", c.model.router_jitter); },
       [](RunConfig& c, const std::string& v) { c.model.router_jitter = parse_real("router-jitter", v, 0, 1); }},
      {"router-noise", "add normal noise of this spread to the logits", FlagKind::value,
       [](const RunConfig& c) { return fmt::format("{}", c.model.router_noise); },
       [](RunConfig& c, const std::string& v) { c.model.router_noise = parse_real("router-noise", v, 0, 1e6); }},
  };
}

}  // namespace duet::cli
