#pragma once
/// The comparison: what `./duet compare` does, without printing.
#include "trace/balance.h"
#include "trace/breakdown.h"
#include "train/modes_run.h"
#include "train/step_bytes.h"

namespace duet {

struct CompareOptions {
  std::int64_t block = 20;           ///< steps of one mode before the next has its turn
  std::int64_t warm_up = 20;         ///< first steps that no figure counts; at most half the steps
  std::int64_t check_steps = 20;     ///< steps of the float64 proof
  std::int64_t check_tokens = 4096;  ///< tokens of a shard that the proof takes at most, so that it ends
};

struct ModeSummary {
  trace::Breakdown breakdown;  ///< step time and phases, without the warm-up
  Bytes bytes;                 ///< a mean over steps
  std::int64_t parameter_bytes = 0;
  std::int64_t optimizer_bytes = 0;
  std::vector<double> losses;  ///< a step each
  double loss_first() const { return losses.empty() ? 0 : losses.front(); }
  double loss_last() const { return losses.empty() ? 0 : losses.back(); }
};

/// How far two modes' parameters are apart: the largest over tensors of max|a - b| / max|b|, b on one device.
struct Difference {
  double ep = 0;
  double dp = 0;
  std::optional<RouteDifference> first;  ///< first differing routing decision
  double largest() const { return ep > dp ? ep : dp; }
};

struct CompareResult {
  RunConfig config;
  std::int64_t steps = 0;    ///< done
  std::int64_t warm_up = 0;  ///< as used
  std::int64_t check_steps = 0;
  bool check_shortened = false;  ///< the proof took only `check_tokens` tokens of a shard
  ModeSummary ep, dp, single;
  Difference difference;                        ///< over the run, in the run's precision
  Difference difference_f64;                    ///< over `check_steps` steps in float64
  bool waits_told = true;                       ///< trace::StepRecord::waits_told
  bool equal = false;                           ///< difference_f64 within equality_tolerance
  std::vector<std::int64_t> tokens_per_expert;  ///< last step, first layer, over ranks, before dropping
  std::vector<trace::Balance> balance;          ///< of the last step, a layer each
  std::vector<trace::AuxValue> aux;             ///< auxiliary losses of the last step
  double std_tokens_per_expert = 0;             ///< of those; n - 1
  double dropped_share = 0;                     ///< of all pairs of the run
};

/// The tolerance of the float64 proof (design, section 4).
constexpr double equality_tolerance = 1e-12;

/// What the caller hears: every step's record (to write it), and how far the work is (to draw it).
struct CompareListener {
  std::function<void(const trace::StepRecord&)> on_step;
  std::function<void(std::string_view what, std::int64_t done, std::int64_t total)> on_progress;
  const std::atomic<bool>* stop = nullptr;
};

/// Proves the three modes equal in float64, then trains and times them. Throws InputError for a configuration that
/// cannot run and RankError when a rank fails.
CompareResult run_compare(const RunConfig& config, const CompareOptions& options, const CompareListener& listener);

}  // namespace duet
