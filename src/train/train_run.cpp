#include "train/train_run.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "comm/tensors.h"
#include "train/ranks.h"
#include "train/step_board.h"

namespace duet {

namespace {

constexpr std::size_t judged_steps = 20;
// How long the others wait while rank 0 writes to a slow disk.
constexpr comm::Deadline disk_patience = std::chrono::minutes(10);

/// What the ranks share: each writes its own place of the board, and rank 0 the outcome.
struct Shared {
  explicit Shared(int ranks) : board(ranks) {}
  StepBoard board;
  TrainOutcome outcome;  ///< rank 0's
};

at::Tensor count_kinds(const std::deque<RankStepResult>& steps, std::int64_t experts) {
  auto counts = at::zeros({2 * experts}, at::kLong);
  for (const auto& step : steps)
    counts += at::bincount(step.kind * experts + step.expert.select(1, 0), {}, 2 * experts);
  return counts.view({2, experts});
}

std::vector<std::vector<std::int64_t>> rows_of(const at::Tensor& counts) {
  std::vector<std::vector<std::int64_t>> rows;
  const auto* const values = counts.const_data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < counts.size(0); ++row) {
    rows.emplace_back(values + row * counts.size(1), values + (row + 1) * counts.size(1));
  }
  return rows;
}

/// One rank's way through the run.
class RankRun {
 public:
  RankRun(comm::Communicator& world, const RunConfig& config, Mode mode, const TrainListener& listener, Shared& shared)
      : world_(world),
        config_(config),
        mode_(mode),
        listener_(listener),
        shared_(shared),
        trainer_(world, config, layout_of(config, mode), config.float64 ? at::kDouble : at::kFloat) {}

  void start_from(const TrainState& state) {
    trainer_.load(state);
    step_ = saved_ = state.step;
    loss_ = state.loss;
  }

  void train() {
    const auto every = config_.checkpoint_every;
    while ((config_.steps == 0 || step_ < config_.steps) && !trainer_.any_rank_stops(listener_.stop)) {
      run_step();
      if (every > 0 && step_ % every == 0) save();
    }
    save();
    const auto parameters = parameters_of(trainer_.gather());
    const auto kinds = count_kinds(last_, config_.model.experts);
    comm::all_reduce(world_, kinds);
    if (world_.rank() == 0) {
      shared_.outcome = {.steps = step_, .parameters = parameters, .kinds_per_expert = rows_of(kinds)};
    }
  }

 private:
  void run_step() {
    last_.push_back(trainer_.run_step(step_++));
    if (last_.size() > judged_steps) last_.pop_front();
    shared_.board.lay(world_, {last_.back()});
    if (world_.rank() == 0) {
      for (auto& record : shared_.board.join(name(mode_), world_.size(), config_.model.aux)) {
        loss_ = record.loss;
        if (listener_.on_step) listener_.on_step(std::move(record));
      }
    }
    wait_for_the_disk();
  }

  void save() {
    if (!listener_.on_checkpoint || saved_ == step_) return;
    auto state = trainer_.gather();
    state.step = saved_ = step_;
    state.loss = loss_;
    if (world_.rank() == 0) listener_.on_checkpoint(state);
    wait_for_the_disk();
  }

  // Rank 0 has written when it comes here: it waits for the others as in any operation.
  void wait_for_the_disk() {
    const bool for_ever = config_.deadline_s == 0;
    if (world_.rank() == 0 || for_ever) {
      world_.barrier();
    } else {
      world_.barrier(std::max(disk_patience, deadline_of(config_)));
    }
  }

  comm::Communicator& world_;
  const RunConfig& config_;
  Mode mode_;
  const TrainListener& listener_;
  Shared& shared_;
  RankTrainer trainer_;
  std::deque<RankStepResult> last_;  ///< `judged_steps` at most
  std::int64_t step_ = 0;
  std::int64_t saved_ = 0;  ///< the step of the last checkpoint
  double loss_ = 0;         ///< of the last step; rank 0's
};

}  // namespace

TrainOutcome run_train(const RunConfig& config, Mode mode, const TrainListener& listener, const TrainState* from) {
  auto run = config;
  if (mode == Mode::single) {
    run.data.shards = static_cast<int>(shard_sizes(config).size());
    run.layout = {.ranks = 1};
  }
  Shared shared(run.layout.ranks);
  run_on_ranks(run, [&](comm::Communicator& world) {
    RankRun rank(world, run, mode, listener, shared);
    if (from != nullptr) rank.start_from(*from);
    rank.train();
  });
  return std::move(shared.outcome);
}

double specialisation(const std::vector<std::vector<std::int64_t>>& kinds_per_expert) {
  double least = 1;
  std::vector<std::ptrdiff_t> favourites;
  for (const auto& experts : kinds_per_expert) {
    const auto best = std::max_element(experts.begin(), experts.end());
    const auto all = std::accumulate(experts.begin(), experts.end(), std::int64_t{0});
    if (all == 0) return 0;
    favourites.push_back(best - experts.begin());
    least = std::min(least, static_cast<double>(*best) / static_cast<double>(all));
  }
  std::sort(favourites.begin(), favourites.end());
  const bool apart = std::adjacent_find(favourites.begin(), favourites.end()) == favourites.end();
  return apart ? least : 0;
}

}  // namespace duet
