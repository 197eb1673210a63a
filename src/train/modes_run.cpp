#include "train/modes_run.h"

#include <algorithm>
#include <memory>

#include "train/ranks.h"
#include "train/route_difference.h"
#include "train/step_board.h"

namespace duet {

namespace {

constexpr comm::Deadline no_deadline{0};

/// What the ranks share: each writes its own places only.
struct Shared {
  explicit Shared(std::size_t ranks)
      : board(static_cast<int>(ranks)),
        parameters(3, std::vector<std::vector<NamedTensor>>(ranks)),
        differences(ranks) {}
  StepBoard board;
  std::vector<std::vector<std::vector<NamedTensor>>> parameters;  ///< [mode][rank]
  std::vector<std::optional<RouteDifference>> differences;        ///< [rank]
  ModesOutcome outcome;
};

class RankOfModes {
 public:
  RankOfModes(comm::Communicator& world, const RunConfig& config, at::ScalarType dtype, const ModesListener& listener,
              Shared& shared)
      : world_(world),
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

  void run(std::int64_t steps, std::int64_t block) {
    for (std::int64_t first = 0; first < steps; first += block) {
      const auto last = std::min(steps, first + block);
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
    shared_.board.lay(world_.rank(), steps);
    world_.barrier(no_deadline);  // one device may take long, and rank 0 alone works meanwhile
    if (world_.rank() == 0) {
      for (auto& record : shared_.board.join(name(mode), ranks, config_.model.aux)) {
        if (listener_.on_step) listener_.on_step(std::move(record));
      }
    }
    world_.barrier(no_deadline);
    return steps;
  }

  void look_for_difference(Mode mode, const std::vector<RankStepResult>& mine,
                           const std::vector<RankStepResult>& single) {
    const auto parts = micro_batches_of(world_.rank(), world_.size(), shard_sizes(config_), config_.accumulate);
    auto found = first_route_difference(world_, mode, mine, single, parts);
    auto& first = shared_.differences[static_cast<std::size_t>(world_.rank())];
    if (found && (!first || found->step < first->step)) first = std::move(found);
  }

  void keep(Mode mode, const RankTrainer* trainer) {
    if (trainer == nullptr) return;
    auto& place = shared_.parameters[static_cast<std::size_t>(mode)][static_cast<std::size_t>(world_.rank())];
    place = trainer->model().parameters;
    if (world_.rank() != 0) return;
    auto& outcome = mode == Mode::ep   ? shared_.outcome.ep
                    : mode == Mode::dp ? shared_.outcome.dp
                                       : shared_.outcome.single;
    outcome.parameter_bytes = trainer->parameter_bytes();
    outcome.optimizer_bytes = trainer->optimizer_bytes();
  }

  comm::Communicator& world_;
  const RunConfig& config_;
  const ModesListener& listener_;
  Shared& shared_;
  std::unique_ptr<comm::Communicator> alone_;
  RankTrainer ep_, dp_;
  std::unique_ptr<RankTrainer> single_;
};

}  // namespace

ModesOutcome run_modes(const RunConfig& config, at::ScalarType dtype, std::int64_t steps, std::int64_t block,
                       const ModesListener& listener) {
  Shared shared(static_cast<std::size_t>(config.layout.ranks));
  run_on_ranks(config, [&](comm::Communicator& world) {
    RankOfModes rank(world, config, dtype, listener, shared);
    rank.run(steps, block);
  });
  auto outcome = std::move(shared.outcome);
  outcome.ep.parameters = join_by_name(shared.parameters[static_cast<std::size_t>(Mode::ep)]);
  outcome.dp.parameters = join_by_name(shared.parameters[static_cast<std::size_t>(Mode::dp)]);
  outcome.single.parameters = join_by_name(shared.parameters[static_cast<std::size_t>(Mode::single)]);
  for (const auto& difference : shared.differences) {
    const bool earlier = difference && (!outcome.first_difference || difference->step < outcome.first_difference->step);
    if (earlier) outcome.first_difference = difference;
  }
  return outcome;
}

}  // namespace duet
