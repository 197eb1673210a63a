#include "cli/conclusions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/step_parts.h"
#include "cli/text_table.h"
#include "model/memory_model.h"
#include "train/ranks.h"

namespace duet::cli {

namespace {

constexpr double alike = 0.05;       ///< medians this near each other are called equal
constexpr double worth_telling = 5;  ///< a loss below a fifth of the gain is left out
constexpr double uneven = 1.1;       ///< the busiest rank's rows against an even share
constexpr std::int64_t enough_steps = 40;

std::string which_is_faster(const CompareResult& result) {
  const double ep = result.ep.breakdown.step_us.median;
  const double dp = result.dp.breakdown.step_us.median;
  const double single = result.single.breakdown.step_us.median;
  auto device = fmt::format("one device took {} us for the whole batch", grouped(single));
  if (single < (1 - alike) * std::min(ep, dp)) {
    device += ", less than either: at this size dividing the work costs more than it saves";
  }
  if (std::abs(ep / dp - 1) < alike) {
    return fmt::format(
        "Both ways took about as long here ({} us a step with experts apart, {} us with experts repeated); {}.",
        grouped(ep), grouped(dp), device);
  }
  return fmt::format("{} parallelism was faster here: {} us a step against {} us, {:.2f} times as fast; {}.",
                     ep < dp ? "Expert" : "Data", grouped(std::min(ep, dp)), grouped(std::max(ep, dp)),
                     std::max(ep, dp) / std::min(ep, dp), device);
}

// How many rows the busiest expert-parallel rank had in the last step, against an even share; empty when that was even.
std::string unevenness(const CompareResult& result) {
  const auto placement = layout_of(result.config, Mode::ep).placement;
  const auto& tokens = result.tokens_per_expert;
  if (std::ssize(tokens) != placement.experts) return {};
  const double even = static_cast<double>(std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0})) /
                      static_cast<double>(placement.ranks);
  double busiest = 0;
  for (int rank = 0; rank < placement.ranks; ++rank) {
    const auto first = tokens.begin() + placement.first_on(rank);
    busiest =
        std::max(busiest, static_cast<double>(std::accumulate(first, first + placement.per_rank(), std::int64_t{0})));
  }
  if (busiest <= uneven * even) return {};
  return fmt::format("the busiest experts' rank had {} rows in the last step, an even share is {}", grouped(busiest, 0),
                     grouped(even, 0));
}

double all_reduced_bytes(const CompareResult& result, Mode mode) {
  const auto shape = traffic_of(result.config, layout_of(result.config, mode), result.config.float64 ? 8 : 4);
  return sync_bytes(shape);
}

// Waiting and transfer of a part, and what the waiting may come from.
std::string waiting(const PartTime& time, const CompareResult& result) {
  if (!result.waits_told) return "waiting for the other ranks included";
  if (time.wait_us < 0.5 * time.us) return fmt::format("{} us of it waiting", grouped(time.wait_us));
  const auto rows = unevenness(result);
  return fmt::format("{} us of it waiting until the other ranks come{}", grouped(time.wait_us),
                     rows.empty() ? "" : "; " + rows);
}

std::string reason(Part part, const PartTime& ep, const PartTime& dp, const CompareResult& result) {
  if (part == Part::exchange) {
    return fmt::format("tokens travel to their expert and back only with expert parallelism, {}", waiting(ep, result));
  }
  if (part == Part::synchronising) {
    return fmt::format("a rank sends {} bytes of gradients with expert parallelism and {} with data parallelism, {}",
                       grouped(all_reduced_bytes(result, Mode::ep), 0), grouped(all_reduced_bytes(result, Mode::dp), 0),
                       waiting(ep.us > dp.us ? ep : dp, result));
  }
  const auto work = largest_work_difference(result.ep.breakdown, result.dp.breakdown, ep.us > dp.us ? 1 : -1);
  const auto text =
      fmt::format("the largest part is {}, {} us and {} us", work.phase, grouped(work.a_us), grouped(work.b_us));
  if (ep.us > dp.us) {
    const auto rows = unevenness(result);
    return rows.empty() ? text : text + "; " + rows;
  }
  const auto held = layout_of(result.config, Mode::ep).placement.per_rank();
  return fmt::format("{}; a rank runs {} expert{} instead of {}", text, held, held == 1 ? "" : "s",
                     result.config.model.experts);
}

std::string tell(const char* verb, Part part, const PartTime& ep, const PartTime& dp, const CompareResult& result) {
  static constexpr std::array names{"exchanging tokens", "synchronising gradients", "computing"};
  return fmt::format("{} {}: {} us on average with expert parallelism, {} us with data parallelism ({}).", verb,
                     names[static_cast<std::size_t>(part)], grouped(ep.us), grouped(dp.us),
                     reason(part, ep, dp, result));
}

// Where the faster one gains, and where it loses when that is much of it; the largest difference when none is faster.
std::vector<std::string> where_it_goes(const CompareResult& result) {
  const auto ep = parts_of(result.ep.breakdown);
  const auto dp = parts_of(result.dp.breakdown);
  std::array<double, part_count> ep_gains{};
  for (std::size_t i = 0; i < part_count; ++i) ep_gains[i] = dp[i].us - ep[i].us;
  const auto part = [&](auto place, const char* verb) {
    const auto i = static_cast<std::size_t>(place - ep_gains.begin());
    return tell(verb, static_cast<Part>(i), ep[i], dp[i], result);
  };
  const double ep_us = result.ep.breakdown.step_us.median;
  const double dp_us = result.dp.breakdown.step_us.median;
  const auto by_size = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto [low, high] = std::minmax_element(ep_gains.begin(), ep_gains.end());
  const auto gain = ep_us < dp_us ? high : low;
  const auto loss = ep_us < dp_us ? low : high;
  const double sign = ep_us < dp_us ? 1 : -1;
  if (std::abs(ep_us / dp_us - 1) < alike || sign * *gain <= 0) {
    return {part(std::max_element(ep_gains.begin(), ep_gains.end(), by_size), "They differ most in")};
  }
  std::vector<std::string> sentences{part(gain, "It gains most in")};
  if (-sign * *loss * worth_telling > sign * *gain) sentences.push_back(part(loss, "It loses some of that in"));
  return sentences;
}

double mean_tokens(const RunConfig& config) {
  const auto sizes = shard_sizes(config);
  return static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0})) / config.layout.ranks;
}

std::string what_would_change_it(const CompareResult& result) {
  const double equal = byte_equal_tokens_of(result.config);
  if (!std::isfinite(equal)) return "With one rank in a group nothing travels, so sizes change nothing about bytes.";
  if (equal <= 0) return "At these sizes expert parallelism sends more bytes however few the tokens are.";
  const double ep = result.ep.bytes.measured;
  const double dp = result.dp.bytes.measured;
  return fmt::format(
      "Expert parallelism's bytes grow with tokens ({} a rank now), data parallelism's with parameters: here {} sends "
      "{:.1f} times as many, and at about {} tokens a rank both send the same{}.",
      grouped(mean_tokens(result.config), 0), ep < dp ? "data parallelism" : "expert parallelism",
      std::max(ep, dp) / std::min(ep, dp), grouped(equal, 0),
      ep < dp ? "; a larger --hidden moves that point up" : "; fewer tokens or a larger --hidden turn it");
}

}  // namespace

double byte_equal_tokens_of(const RunConfig& config) {
  const auto layout = layout_of(config, Mode::ep);
  const auto& model = config.model;
  return byte_equal_tokens(
      traffic_of(config, layout, config.float64 ? 8 : 4), model.top_k,
      model.layers * model.experts * expert_parameters(model.dim, model.hidden, model.expert == ExpertKind::swiglu));
}

std::vector<std::string> conclusions(const CompareResult& result, unsigned cores) {
  const auto ranks = result.config.layout.ranks;
  if (ranks == 1) {
    return {"With one rank all three are the same job; what differs between their times is this machine's noise."};
  }
  const auto timed = result.ep.breakdown.steps;
  if (timed == 0) return {"No step was timed, so nothing can be said about speed."};
  std::vector<std::string> sentences{which_is_faster(result)};
  for (auto& sentence : where_it_goes(result)) sentences.push_back(std::move(sentence));
  sentences.push_back(what_would_change_it(result));
  if (cores != 0 && cores < static_cast<unsigned>(ranks)) {
    sentences.push_back(fmt::format("{} ranks share {} core{} here, so a rank also waits for its turn on a core.",
                                    ranks, cores, cores == 1 ? "" : "s"));
  }
  if (timed < enough_steps) {
    sentences.push_back(fmt::format("Only {} step{} timed; with --steps 200 these figures are worth more.", timed,
                                    timed == 1 ? " was" : "s were"));
  }
  return sentences;
}

}  // namespace duet::cli
