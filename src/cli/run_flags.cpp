#include "cli/run_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <sstream>

#include "cli/parse_value.h"
#include "core/error.h"
#include "core/suggest.h"
#include "moe/capacity_rule.h"

namespace duet::cli {

namespace {

constexpr std::int64_t most = 1'000'000'000;

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
      {"top-k", "experts that a token goes to", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.model.top_k); },
       [](RunConfig& c, const std::string& v) { c.model.top_k = parse_integer("top-k", v, 1, 4096); }},
      {"renormalize", "divide gates by their sum over the chosen experts, as Mixtral does (top-k 2 or more)",
       FlagKind::on_off, [](const RunConfig& c) { return std::string(c.model.renormalize ? "on" : "off"); },
       [](RunConfig& c, const std::string& v) { c.model.renormalize = parse_on_off("renormalize", v); }},
      {"capacity-factor", "room an expert has, in multiples of its even share; none: no limit", FlagKind::value,
       [](const RunConfig& c) { return c.model.capacity_factor; },
       [](RunConfig& c, const std::string& v) {
         static_cast<void>(parse_capacity_factor(v));
         c.model.capacity_factor = v;
       }},
      {"aux", "load-balancing loss and its weight: std=W, cv=W, switch=W or none", FlagKind::value,
       [](const RunConfig& c) {
         const auto& aux = c.model.aux;
         return aux.kind == AuxKind::none ? std::string("none") : fmt::format("{}={}", name(aux.kind), aux.weight);
       },
       [](RunConfig& c, const std::string& v) { c.model.aux = parse_aux(v); }},
  };
}

std::vector<RunFlag> data_flags() {
  return {
      {"dataset", "two-functions (two kinds of token, a teacher each) or random (noise to noise)", FlagKind::value,
       [](const RunConfig& c) { return std::string(c.data.dataset == Dataset::random ? "random" : "two-functions"); },
       [](RunConfig& c, const std::string& v) {
         const bool random = parse_choice("dataset", v, {"two-functions", "random"}) == 1;
         c.data.dataset = random ? Dataset::random : Dataset::two_functions;
       }},
      {"tokens", "tokens of each shard, one shard a rank; a list gives each shard its own", FlagKind::list,
       [](const RunConfig& c) { return fmt::format("{}", fmt::join(c.data.tokens, ",")); },
       [](RunConfig& c, const std::string& v) {
         c.data.tokens.clear();
         std::stringstream list(v);
         for (std::string one; std::getline(list, one, ',');) {
           c.data.tokens.push_back(parse_integer("tokens", one, 0, most));
         }
         if (c.data.tokens.empty()) parse_integer("tokens", v, 0, most);
       }},
      {"shards", "shards of the global batch; 0: one a rank", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.data.shards); },
       [](RunConfig& c, const std::string& v) {
         c.data.shards = static_cast<int>(parse_integer("shards", v, 0, 4096));
       }},
      {"seed", "of parameters and data", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.data.seed); },
       [](RunConfig& c, const std::string& v) {
         c.data.seed =
             static_cast<std::uint64_t>(parse_integer("seed", v, 0, std::numeric_limits<std::int64_t>::max()));
       }},
      {"steps", "training steps; for train, 0 goes on until Ctrl-C", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.steps); },
       [](RunConfig& c, const std::string& v) { c.steps = parse_integer("steps", v, 0, most); }},
      {"lr", "Adam's learning rate", FlagKind::value,
       [](const RunConfig& c) { return fmt::format("{}", c.optimizer.lr); },
       [](RunConfig& c, const std::string& v) { c.optimizer.lr = parse_real("lr", v, 0, 1e38); }},
      {"float64", "train in double precision", FlagKind::on_off,
       [](const RunConfig& c) { return std::string(c.float64 ? "on" : "off"); },
       [](RunConfig& c, const std::string& v) { c.float64 = parse_on_off("float64", v); }},
      {"input-grad", "the layer's input needs a gradient, as above an embedding; off saves one exchange",
       FlagKind::value, [](const RunConfig& c) { return std::string(c.input_grad ? "on" : "off"); },
       [](RunConfig& c, const std::string& v) { c.input_grad = parse_on_off("input-grad", v); }},
      {"record-tokens", "keep every token's routing in the trace", FlagKind::on_off,
       [](const RunConfig& c) { return std::string(c.record_tokens ? "on" : "off"); },
       [](RunConfig& c, const std::string& v) { c.record_tokens = parse_on_off("record-tokens", v); }},
  };
}

// A file that is no TOML may hold anything.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  return text;
}

[[noreturn]] void not_yet(const std::string& flag, const std::string& value, const std::string& has) {
  throw InputError({.what = fmt::format("--{} {} is not in this version", flag, value),
                    .where = {},
                    .usually = {},
                    .fix = fmt::format("leave the flag out: this version runs on {}", has)});
}

std::vector<RunFlag> layout_flags() {
  return {
      {"ranks", "how many ranks", FlagKind::value, [](const RunConfig& c) { return fmt::to_string(c.layout.ranks); },
       [](RunConfig& c, const std::string& v) {
         c.layout.ranks = static_cast<int>(parse_integer("ranks", v, 1, 256));
       }},
      {"dp", "groups of ranks that repeat the experts, in the expert-parallel mode; 0: what --ep leaves",
       FlagKind::value, [](const RunConfig& c) { return fmt::to_string(c.layout.dp); },
       [](RunConfig& c, const std::string& v) { c.layout.dp = static_cast<int>(parse_integer("dp", v, 0, 256)); }},
      {"ep", "ranks that share the experts; 0: all ranks, or what --dp leaves", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.layout.ep); },
       [](RunConfig& c, const std::string& v) { c.layout.ep = static_cast<int>(parse_integer("ep", v, 0, 256)); }},
      {"all-reduce", "native, naive or ring", FlagKind::value,
       [](const RunConfig& c) { return std::string(name(c.algorithms.all_reduce)); },
       [](RunConfig& c, const std::string& v) {
         using enum comm::AllReduceAlgorithm;
         c.algorithms.all_reduce =
             std::array{native, naive, ring}[parse_choice("all-reduce", v, {"native", "naive", "ring"})];
       }},
      {"all-to-all", "native or pairwise", FlagKind::value,
       [](const RunConfig& c) { return std::string(name(c.algorithms.all_to_all)); },
       [](RunConfig& c, const std::string& v) {
         using enum comm::AllToAllAlgorithm;
         c.algorithms.all_to_all = std::array{native, pairwise}[parse_choice("all-to-all", v, {"native", "pairwise"})];
       }},
      {"transport", "how ranks talk: threads", FlagKind::value, [](const RunConfig&) { return std::string("threads"); },
       [](RunConfig&, const std::string& v) {
         if (parse_choice("transport", v, {"threads", "mpi", "nccl"}) != 0) not_yet("transport", v, "threads");
       }},
      {"device", "cpu, or auto (cpu in this version)", FlagKind::value,
       [](const RunConfig&) { return std::string("cpu"); },
       [](RunConfig&, const std::string& v) {
         if (parse_choice("device", v, {"cpu", "auto", "cuda"}) == 2) not_yet("device", v, "the CPU");
       }},
      {"deadline", "seconds that a rank waits for another before it says so and ends; 0: for ever", FlagKind::value,
       [](const RunConfig& c) { return fmt::format("{}", c.deadline_s); },
       [](RunConfig& c, const std::string& v) { c.deadline_s = parse_real("deadline", v, 0, 1e6); }},
  };
}

}  // namespace

std::vector<RunFlag> run_flags() {
  auto flags = model_flags();
  for (auto* make : {data_flags, layout_flags}) {
    for (auto& flag : make()) flags.push_back(std::move(flag));
  }
  return flags;
}

std::vector<std::pair<std::string, std::string>> flag_values(const RunConfig& config) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto& flag : run_flags()) values.emplace_back(flag.name, flag.get(config));
  return values;
}

void set_flag(RunConfig& config, const std::string& name, const std::string& value, const std::string& where) {
  std::vector<std::string> names;
  for (const auto& flag : run_flags()) {
    if (flag.name == name) return flag.set(config, value);
    names.push_back(flag.name);
  }
  const auto meant = nearest(name, names);
  throw InputError(
      {.what = fmt::format("there is no setting '{}'", printable(name)),
       .where = where,
       .usually = {},
       .fix = meant.empty() ? "./duet compare --help lists them" : fmt::format("did you mean {}?", meant)});
}

}  // namespace duet::cli
