#include "train/modes_run.h"

#include <algorithm>
#include <memory>

#include "train/ranks.h"
#include "train/route_difference.h"
#include "train/step_board.h"

namespace duet {

namespace {

// One device may take long over a block, and rank 0 alone works meanwhile. A thread that hangs is seen by a person; of
// a process that was killed or stopped the others must hear in some time.
comm::Deadline patience_with(const comm::Communicator& world, const RunConfig& config, std::int64_t block) {
  if (world.shares_memory() || config.deadline_s == 0) return comm::Deadline{0};
  const std::chrono::duration<double> longest(config.deadline_s * static_cast<double>(world.size() * block));
  return std::chrono::duration_cast<comm::Deadline>(longest);
}

/// What the ranks share: each writes its own place of the board, and rank 0 the outcome.
struct Shared {
  explicit Shared(int ranks) : board(ranks) {}
  StepBoard board;
  ModesOutcome outcome;
};

class RankOfModes {
 public:
  RankOfModes(comm::Communicator& world, const RunConfig& config, at::ScalarType dtype, std::int64_t block,
              const ModesListener& listener, Shared& shared)
      : world_(world),
        block_(block),
        patience_(patience_with(world, config, block)),
        config_(config),
        listener_(listener),
        shared_(shared),
        alone_(world.split(world.rank() == 0 ? 0 : 1, world.rank())),
        ep_(world, config, layout_of(config, Mode::ep), dtype),
        dp_(world, config, layout_of(config, Mode::dp), dtype) {
    if (world.rank() == 0) {
      single_ = std::make_unique<RankTrainer>(*alone_, config, layout_of(config, Mode::single), dtype);
    }
  }

  void run(std::int64_t steps) {
    for (std::int64_t first = 0; first < steps; first += block_) {
      const auto last = std::min(steps, first + block_);
      const auto ep = run_block(&ep_, first, last, Mode::ep, world_.size());
      const auto dp = run_block(&dp_, first, last, Mode::dp, world_.size());
      const auto single = run_block(single_.get(), first, last, Mode::single, 1);
      look_for_difference(Mode::ep, ep, single);
      look_for_difference(Mode::dp, dp, single);
      if (world_.rank() == 0) shared_.outcome.steps = last;
      if (ep_.any_rank_stops(listener_.stop)) break;
    }
    keep(Mode::ep, &ep_);
    keep(Mode::dp, &dp_);
    keep(Mode::single, single_.get());
    const auto first = earliest_difference(world_, difference_, config_.model.layers * config_.model.top_k);
    if (world_.rank() == 0) shared_.outcome.first_difference = first;
  }

 private:
  // Runs a block on this rank (a null trainer waits) and returns this rank's steps, with the records handed on.
  std::vector<RankStepResult> run_block(RankTrainer* trainer, std::int64_t first, std::int64_t last, Mode mode,
                                        int ranks) {
    std::vector<RankStepResult> steps;
    for (auto step = first; trainer != nullptr && step < last; ++step) {
      steps.push_back(trainer->run_step(step));
      if (world_.rank() == 0 && listener_.on_step_done) listener_.on_step_done();
    }
    shared_.board.lay(world_, steps, patience_);
    if (world_.rank() == 0) {
      for (auto& record : shared_.board.join(name(mode), ranks, config_.model.aux)) {
        if (listener_.on_step) listener_.on_step(std::move(record));
      }
    }
    world_.barrier(patience_);
    return steps;
  }

  void look_for_difference(Mode mode, const std::vector<RankStepResult>& mine,
                           const std::vector<RankStepResult>& single) {
    const auto parts = micro_batches_of(world_.rank(), world_.size(), shard_sizes(config_), config_.accumulate);
    auto found = first_route_difference(world_, mode, mine, single, parts);
    if (found && (!difference_ || found->step < difference_->step)) difference_ = std::move(found);
  }

  void keep(Mode mode, RankTrainer* trainer) {
    if (trainer == nullptr) return;
    auto parameters = parameters_of(trainer->gather());
    if (world_.rank() != 0) return;
    auto& outcome = mode == Mode::ep   ? shared_.outcome.ep
                    : mode == Mode::dp ? shared_.outcome.dp
                                       : shared_.outcome.single;
    outcome.parameters = std::move(parameters);
    outcome.parameter_bytes = trainer->parameter_bytes();
    outcome.optimizer_bytes = trainer->optimizer_bytes();
  }

  comm::Communicator& world_;
  std::int64_t block_;
  comm::Deadline patience_;
  const RunConfig& config_;
  const ModesListener& listener_;
  Shared& shared_;
  std::unique_ptr<comm::Communicator> alone_;
  RankTrainer ep_, dp_;
  std::unique_ptr<RankTrainer> single_;
  std::optional<RouteDifference> difference_;  ///< the first among this rank's tokens
};

}  // namespace

ModesOutcome run_modes(const RunConfig& config, at::ScalarType dtype, std::int64_t steps, std::int64_t block,
                       const ModesListener& listener) {
  Shared shared(config.layout.ranks);
  run_on_ranks(config, [&](comm::Communicator& world) {
    RankOfModes rank(world, config, dtype, block, listener, shared);
    rank.run(steps);
  });
  return std::move(shared.outcome);
}

}  // namespace duet
