#include <fmt/format.h>

#include <array>

#include "cli/flag_groups.h"
#include "cli/parse_value.h"

namespace duet::cli {

std::vector<RunFlag> rule_flags() {
  return {
      {"capacity-factor", "room an expert has, in multiples of its even share; none: no limit", FlagKind::value,
       [](const RunConfig& c) { return c.model.capacity_factor; },
       [](RunConfig& c, const std::string& v) {
         static_cast<void>(parse_capacity_factor(v));
         c.model.capacity_factor = v;
       }},
      {"min-capacity", "room an expert has at least, in (token, choice) pairs", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.model.min_capacity); },
       [](RunConfig& c, const std::string& v) { c.model.min_capacity = parse_integer("min-capacity", v, 0, 1 << 30); }},
      {"capacity-scope", "count capacity in each shard (local) or in the whole batch (global)", FlagKind::value,
       [](const RunConfig& c) {
         return std::string(std::array{"local", "global"}[static_cast<std::size_t>(c.model.capacity_scope)]);
       },
       [](RunConfig& c, const std::string& v) {
         c.model.capacity_scope =
             std::array{Scope::local, Scope::global}[parse_choice("capacity-scope", v, {"local", "global"})];
       }},
      {"drop", "who stays at a full expert: the first (position), the highest gates (probability), or a draw (random)",
       FlagKind::value,
       [](const RunConfig& c) {
         return std::string(std::array{"position", "probability", "random"}[static_cast<std::size_t>(c.model.drop)]);
       },
       [](RunConfig& c, const std::string& v) {
         c.model.drop = std::array{DropPolicy::position, DropPolicy::probability,
                                   DropPolicy::random}[parse_choice("drop", v, {"position", "probability", "random"})];
       }},
      {"slot-order", "slots go token by token, or to all first choices first (choice)", FlagKind::value,
       [](const RunConfig& c) {
         return std::string(std::array{"token", "choice"}[static_cast<std::size_t>(c.model.slot_order)]);
       },
       [](RunConfig& c, const std::string& v) {
         c.model.slot_order =
             std::array{SlotOrder::token, SlotOrder::choice}[parse_choice("slot-order", v, {"token", "choice"})];
       }},
      {"residual", "a dropped pair adds its token unchanged, not zero", FlagKind::on_off,
       [](const RunConfig& c) { return std::string(c.model.residual ? "on" : "off"); },
       [](RunConfig& c, const std::string& v) { c.model.residual = parse_on_off("residual", v); }},
      {"aux", "auxiliary losses and their weights, of std, cv, cv2, switch and z: std=0.001,z=0.001, or none",
       FlagKind::value, [](const RunConfig& c) { return aux_text(c.model.aux); },
       [](RunConfig& c, const std::string& v) { c.model.aux = parse_aux(v); }},
      {"aux-scope", "count auxiliary losses in each shard (local) or in the whole batch (global)", FlagKind::value,
       [](const RunConfig& c) {
         return std::string(std::array{"local", "global"}[static_cast<std::size_t>(c.model.aux_scope)]);
       },
       [](RunConfig& c, const std::string& v) {
         c.model.aux_scope = std::array{Scope::local, Scope::global}[parse_choice("aux-scope", v, {"local", "global"})];
       }},
      {"std-estimator", "the deviation of aux std and cv: over E - 1 (unbiased) or E (population)", FlagKind::value,
       [](const RunConfig& c) {
         return std::string(std::array{"unbiased", "population"}[static_cast<std::size_t>(c.model.estimator)]);
       },
       [](RunConfig& c, const std::string& v) {
         c.model.estimator = std::array{
             Estimator::unbiased, Estimator::population}[parse_choice("std-estimator", v, {"unbiased", "population"})];
       }},
      {"bias-rate", "balance without a loss: move each expert's choice bias by this a step; 0: none", FlagKind::value,
       [](const RunConfig& c) { return fmt::format("{}", c.model.bias_rate); },
       [](RunConfig& c, const std::string& v) { c.model.bias_rate = parse_real("bias-rate", v, 0, 1e6); }},
  };
}

}  // namespace duet::cli
