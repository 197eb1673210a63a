#include "train/live_run.h"

#include <memory>

#include "train/rank_trainer.h"
#include "train/ranks.h"
#include "train/step_board.h"

namespace duet {

namespace {

constexpr comm::Deadline no_deadline{0};

/// What the ranks share: each writes its own place of the board, rank 0 the order.
struct Shared {
  explicit Shared(int ranks) : board(ranks) {}
  StepBoard board;
  LiveOrder order;
};

class LiveRank {
 public:
  LiveRank(comm::Communicator& world, const RunConfig& config, const LiveListener& listener, Shared& shared)
      : world_(world),
        listener_(listener),
        shared_(shared),
        alone_(world.split(world.rank() == 0 ? 0 : 1, world.rank())),
        ep_(make(world, config, Mode::ep)),
        dp_(make(world, config, Mode::dp)),
        single_(world.rank() == 0 ? make(*alone_, config, Mode::single) : nullptr) {}

  void run() {
    for (std::int64_t step = 0;; ++step) {
      if (world_.rank() == 0) shared_.order = listener_.next(step);
      world_.barrier(no_deadline);  // a person may think for as long as they like
      if (shared_.order.stop) return;
      run_step(ep_.get(), step, Mode::ep, world_.size());
      run_step(dp_.get(), step, Mode::dp, world_.size());
      run_step(single_.get(), step, Mode::single, 1);
    }
  }

 private:
  static std::unique_ptr<RankTrainer> make(comm::Communicator& world, const RunConfig& config, Mode mode) {
    return std::make_unique<RankTrainer>(world, config, layout_of(config, mode),
                                         config.float64 ? at::kDouble : at::kFloat);
  }

  // A null trainer waits.
  void run_step(RankTrainer* trainer, std::int64_t step, Mode mode, int ranks) {
    std::vector<RankStepResult> done;
    if (trainer != nullptr) {
      trainer->change(shared_.order.config);
      done.push_back(trainer->run_step(step));
    }
    shared_.board.lay(world_, std::move(done), no_deadline);
    if (world_.rank() == 0) {
      for (auto& record : shared_.board.join(name(mode), ranks, shared_.order.config.model.aux)) {
        listener_.on_step(std::move(record));
      }
    }
    world_.barrier(no_deadline);
  }

  comm::Communicator& world_;
  const LiveListener& listener_;
  Shared& shared_;
  std::unique_ptr<comm::Communicator> alone_;
  std::unique_ptr<RankTrainer> ep_, dp_, single_;
};

}  // namespace

void run_live(const RunConfig& config, const LiveListener& listener) {
  Shared shared(config.layout.ranks);
  run_on_ranks(config, [&](comm::Communicator& world) { LiveRank(world, config, listener, shared).run(); });
}

}  // namespace duet
