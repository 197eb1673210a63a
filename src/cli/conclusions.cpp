#include "cli/conclusions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/text_table.h"
#include "model/memory_model.h"
#include "train/ranks.h"

namespace duet::cli {

namespace {

constexpr double alike = 0.05;  ///< medians this near each other are called equal
constexpr std::int64_t enough_steps = 40;

/// Parts of a step that a sentence can be about.
enum class Part { exchange, synchronising, computing };

Part part_of(const trace::PhaseKey& key, bool communication) {
  if (!communication || key.between) return Part::computing;
  return key.phase == trace::Phase::grad_sync ? Part::synchronising : Part::exchange;
}

// Mean microseconds of each part; they add up to the mean step.
std::array<double, 3> parts_us(const trace::Breakdown& breakdown) {
  std::array<double, 3> parts{};
  for (const auto& row : breakdown.rows) {
    parts[static_cast<std::size_t>(part_of(row.key, false))] += row.work_us.mean;
    parts[static_cast<std::size_t>(part_of(row.key, true))] += row.wait_us.mean + row.transfer_us.mean;
  }
  return parts;
}

std::string which_is_faster(const CompareResult& result) {
  const double ep = result.ep.breakdown.step_us.median;
  const double dp = result.dp.breakdown.step_us.median;
  const double single = result.single.breakdown.step_us.median;
  const auto device = fmt::format("one device took {} us for the whole batch", grouped(single));
  if (std::abs(ep / dp - 1) < alike) {
    return fmt::format(
        "Both ways took about as long here ({} us a step with experts apart, {} us with experts repeated); {}.",
        grouped(ep), grouped(dp), device);
  }
  return fmt::format("{} parallelism was faster here: {} us a step against {} us, {:.2f} times as fast; {}.",
                     ep < dp ? "Expert" : "Data", grouped(std::min(ep, dp)), grouped(std::max(ep, dp)),
                     std::max(ep, dp) / std::min(ep, dp), device);
}

std::string reason(Part part, bool ep_spends_more, const CompareResult& result) {
  const auto held = layout_of(result.config, Mode::ep).placement.per_rank();
  switch (part) {
    case Part::exchange:
      return ep_spends_more ? fmt::format(
                                  "tokens travel to their expert and back, {} bytes a rank and step, and ranks wait "
                                  "for each other",
                                  grouped(result.ep.bytes.measured, 0))
                            : "the exchange cost less than its counterpart";
    case Part::synchronising:
      return ep_spends_more
                 ? "ranks wait for each other there"
                 : fmt::format(
                       "data parallelism sums the gradients of all {} experts, expert parallelism only the router's",
                       result.config.model.experts);
    case Part::computing:
      break;
  }
  return ep_spends_more
             ? "the busiest expert's rank has more rows than an even share"
             : fmt::format("a rank runs {} expert{} over many rows, where data parallelism runs all {} over few each",
                           held, held == 1 ? "" : "s", result.config.model.experts);
}

std::string where_it_goes(const CompareResult& result) {
  static constexpr std::array names{"exchanging tokens", "synchronising gradients", "computing"};
  const auto ep = parts_us(result.ep.breakdown);
  const auto dp = parts_us(result.dp.breakdown);
  std::size_t most = 0;
  for (std::size_t i = 1; i < ep.size(); ++i) {
    if (std::abs(ep[i] - dp[i]) > std::abs(ep[most] - dp[most])) most = i;
  }
  return fmt::format("They differ most in {}: {} us with expert parallelism, {} us with data parallelism, because {}.",
                     names[most], grouped(ep[most]), grouped(dp[most]),
                     reason(static_cast<Part>(most), ep[most] > dp[most], result));
}

std::string what_would_change_it(const CompareResult& result) {
  const double equal = byte_equal_tokens_of(result.config);
  const double tokens = static_cast<double>(result.config.data.tokens.front());
  if (!std::isfinite(equal)) return "With one rank in a group nothing travels, so sizes change nothing about bytes.";
  if (equal <= 0) return "At these sizes expert parallelism sends more bytes however few the tokens are.";
  const bool below = result.ep.bytes.measured < result.dp.bytes.measured;
  return fmt::format(
      "Expert parallelism's bytes grow with tokens ({} a rank now), data parallelism's with parameters: here {} sends "
      "{:.1f} times as many, and at about {} tokens a rank both send the same{}.",
      grouped(tokens, 0), below ? "data parallelism" : "expert parallelism",
      below ? result.dp.bytes.measured / result.ep.bytes.measured : result.ep.bytes.measured / result.dp.bytes.measured,
      grouped(equal, 0),
      below ? "; a larger --hidden moves that point up" : "; fewer tokens or a larger --hidden turn it");
}

}  // namespace

double byte_equal_tokens_of(const RunConfig& config) {
  const auto layout = layout_of(config, Mode::ep);
  const auto& model = config.model;
  return byte_equal_tokens(traffic_of(config, layout, config.float64 ? 8 : 4), model.top_k,
                           model.experts * expert_parameters(model.dim, model.hidden));
}

std::vector<std::string> conclusions(const CompareResult& result) {
  if (result.config.layout.ranks == 1) {
    return {"With one rank all three are the same job; what differs between their times is this machine's noise."};
  }
  if (result.ep.breakdown.steps == 0) return {"No step was timed, so nothing can be said about speed."};
  std::vector<std::string> sentences{which_is_faster(result), where_it_goes(result), what_would_change_it(result)};
  if (result.ep.breakdown.steps < enough_steps) {
    sentences.push_back(fmt::format("Only {} steps were timed; with --steps 200 these figures are worth more.",
                                    result.ep.breakdown.steps));
  }
  return sentences;
}

}  // namespace duet::cli
