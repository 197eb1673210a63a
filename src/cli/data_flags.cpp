#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <sstream>

#include "cli/flag_groups.h"
#include "cli/parse_value.h"

namespace duet::cli {

namespace {

constexpr std::int64_t most = 1'000'000'000;

}  // namespace

std::vector<RunFlag> data_flags() {
  return {
      {"dataset", "two-functions (two kinds of token, a teacher each) or random (noise to noise)", FlagKind::value,
       [](const RunConfig& c) { return std::string(c.data.dataset == Dataset::random ? "random" : "two-functions"); },
       [](RunConfig& c, const std::string& v) {
         const bool random = parse_choice("dataset", v, {"two-functions", "random"}) == 1;
         c.data.dataset = random ? Dataset::random : Dataset::two_functions;
       }},
      {"tokens", "tokens of each shard, one shard a rank and micro-batch; a list gives each shard its own",
       FlagKind::list, [](const RunConfig& c) { return fmt::format("{}", fmt::join(c.data.tokens, ",")); },
       [](RunConfig& c, const std::string& v) {
         c.data.tokens.clear();
         std::stringstream list(v);
         for (std::string one; std::getline(list, one, ',');) {
           c.data.tokens.push_back(parse_integer("tokens", one, 0, most));
         }
         if (c.data.tokens.empty()) parse_integer("tokens", v, 0, most);
       }},
      {"shards", "shards of the global batch; 0: one a rank and micro-batch", FlagKind::value,
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
  };
}

}  // namespace duet::cli
