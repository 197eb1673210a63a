#include "train/compare.h"

#include <algorithm>

#include "trace/modes.h"
#include "train/difference.h"
#include "train/ranks.h"

namespace duet {

namespace {

/// Digests the records of one mode as they come, so that a long run needs little memory.
class ModeDigest {
 public:
  ModeDigest(const RunConfig& config, Mode mode, std::int64_t warm_up)
      : layout_(layout_of(config, mode)),
        traffic_(traffic_of(config, layout_, config.float64 ? 8 : 4)),
        warm_up_(warm_up) {}

  void add(const trace::StepRecord& step) {
    losses_.push_back(step.loss);
    if (step.step < warm_up_) return;
    times_.push_back(trace::divide(step));
    const auto bytes = bytes_of(step, layout_, traffic_);
    bytes_.measured += bytes.measured;
    bytes_.formula += bytes.formula;
  }

  ModeSummary summary(const ModeOutcome& outcome) const {
    const double steps = std::max(1.0, static_cast<double>(times_.size()));
    return {.breakdown = trace::break_down(times_),
            .bytes = {bytes_.measured / steps, bytes_.formula / steps},
            .parameter_bytes = outcome.parameter_bytes,
            .optimizer_bytes = outcome.optimizer_bytes,
            .losses = losses_};
  }

 private:
  Layout layout_;
  TrafficShape traffic_;
  std::int64_t warm_up_;
  std::vector<std::vector<trace::PhaseTime>> times_;
  std::vector<double> losses_;
  Bytes bytes_;
};

/// What the router did; the same in all modes, so one is enough.
struct RoutingDigest {
  std::vector<trace::Balance> balance;  ///< of the last step, a layer each
  std::vector<trace::AuxValue> aux;     ///< of the last step
  std::int64_t pairs = 0;
  std::int64_t dropped = 0;

  void add(const trace::StepRecord& step) {
    balance = trace::balances_of(step);
    aux = step.aux;
    for (std::size_t layer = 0; layer < balance.size(); ++layer) {
      for (const auto count : balance[layer].tokens_per_expert) pairs += count;
      for (const auto count : trace::dropped_per_expert(step, layer)) dropped += count;
    }
  }
};

Difference difference_of(const ModesOutcome& outcome) {
  return {.ep = relative_difference(outcome.ep.parameters, outcome.single.parameters),
          .dp = relative_difference(outcome.dp.parameters, outcome.single.parameters),
          .first = outcome.first_difference};
}

std::function<void()> progress_of(const CompareListener& listener, std::string what, std::int64_t total) {
  if (!listener.on_progress) return {};
  return [&listener, what = std::move(what), total, done = std::int64_t{0}]() mutable {
    listener.on_progress(what, ++done, total);
  };
}

Difference prove(const RunConfig& config, const CompareOptions& options, const CompareListener& listener) {
  auto exact = config;
  exact.float64 = true;
  exact.record_tokens = false;
  for (auto& tokens : exact.data.tokens) tokens = std::min(tokens, options.check_tokens);
  const auto tick = progress_of(listener, "proving in float64", 3 * options.check_steps);
  return difference_of(run_modes(exact, at::kDouble, options.check_steps, options.block,
                                 {.on_step = {}, .on_step_done = tick, .stop = nullptr}));
}

}  // namespace

CompareResult run_compare(const RunConfig& config, const CompareOptions& options, const CompareListener& listener) {
  CompareResult result;
  result.config = config;
  result.warm_up = std::min(options.warm_up, config.steps / 2);
  result.check_steps = options.check_steps;
  result.check_shortened =
      *std::max_element(config.data.tokens.begin(), config.data.tokens.end()) > options.check_tokens;
  result.difference_f64 = prove(config, options, listener);
  result.equal = result.difference_f64.largest() <= equality_tolerance;

  std::array digests{ModeDigest(config, Mode::ep, result.warm_up), ModeDigest(config, Mode::dp, result.warm_up),
                     ModeDigest(config, Mode::single, result.warm_up)};
  RoutingDigest routing;
  const auto on_step = [&](const trace::StepRecord& step) {
    for (const auto mode : {Mode::ep, Mode::dp, Mode::single}) {
      if (step.mode == name(mode)) digests[static_cast<std::size_t>(mode)].add(step);
    }
    if (step.mode == name(Mode::ep)) routing.add(step);
    result.waits_told = result.waits_told && step.waits_told;
    if (listener.on_step) listener.on_step(step);
  };
  const auto outcome = run_modes(
      config, config.float64 ? at::kDouble : at::kFloat, config.steps, options.block,
      {.on_step = on_step, .on_step_done = progress_of(listener, "training", 3 * config.steps), .stop = listener.stop});
  result.steps = outcome.steps;
  result.ep = digests[0].summary(outcome.ep);
  result.dp = digests[1].summary(outcome.dp);
  result.single = digests[2].summary(outcome.single);
  result.difference = difference_of(outcome);
  result.balance = routing.balance;
  result.aux = routing.aux;
  if (!result.balance.empty()) result.tokens_per_expert = result.balance.front().tokens_per_expert;
  result.std_tokens_per_expert = trace::standard_deviation(result.tokens_per_expert);
  result.dropped_share =
      routing.pairs == 0 ? 0 : static_cast<double>(routing.dropped) / static_cast<double>(routing.pairs);
  return result;
}

}  // namespace duet
