#include "train/train_run.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "train/ranks.h"
#include "train/step_board.h"

namespace duet {

namespace {

constexpr std::size_t judged_steps = 20;
constexpr comm::Deadline no_deadline{0};

/// What the ranks share: each writes its own places only.
struct Shared {
  explicit Shared(std::size_t ranks) : board(static_cast<int>(ranks)), parameters(ranks), kinds(ranks) {}
  StepBoard board;
  std::vector<std::vector<NamedTensor>> parameters;
  std::vector<at::Tensor> kinds;  ///< [2, E] a rank
  std::int64_t steps = 0;
};

at::Tensor count_kinds(const std::deque<RankStepResult>& steps, std::int64_t experts) {
  auto counts = at::zeros({2 * experts}, at::kLong);
  for (const auto& step : steps)
    counts += at::bincount(step.kind * experts + step.expert.select(1, 0), {}, 2 * experts);
  return counts.view({2, experts});
}

void train_rank(comm::Communicator& world, const RunConfig& config, const Layout& layout, Mode mode,
                const TrainListener& listener, Shared& shared) {
  RankTrainer trainer(world, config, layout, config.float64 ? at::kDouble : at::kFloat);
  std::deque<RankStepResult> last;
  std::int64_t step = 0;
  while ((config.steps == 0 || step < config.steps) && !trainer.any_rank_stops(listener.stop)) {
    last.push_back(trainer.run_step(step++));
    if (last.size() > judged_steps) last.pop_front();
    shared.board.lay(world.rank(), {last.back()});
    world.barrier();
    if (world.rank() == 0) {
      for (auto& record : shared.board.join(name(mode), world.size(), config.model.aux)) {
        if (listener.on_step) listener.on_step(std::move(record));
      }
    }
    world.barrier(no_deadline);  // the listener may write to a slow disk
  }
  const auto rank = static_cast<std::size_t>(world.rank());
  shared.parameters[rank] = trainer.model().parameters;
  shared.kinds[rank] = count_kinds(last, config.model.experts);
  if (rank == 0) shared.steps = step;
}

}  // namespace

TrainOutcome run_train(const RunConfig& config, Mode mode, const TrainListener& listener) {
  auto run = config;
  if (mode == Mode::single) {
    if (run.data.shards == 0) run.data.shards = config.layout.ranks;
    run.layout = {.ranks = 1};
  }
  Shared shared(static_cast<std::size_t>(run.layout.ranks));
  const auto layout = layout_of(run, mode);
  run_on_ranks(run, [&](comm::Communicator& world) { train_rank(world, run, layout, mode, listener, shared); });

  TrainOutcome outcome{.steps = shared.steps, .parameters = join_by_name(shared.parameters), .kinds_per_expert = {}};
  const auto kinds = at::stack(shared.kinds).sum(0);
  for (std::int64_t kind = 0; kind < 2; ++kind) {
    const auto row = kinds[kind].contiguous();
    outcome.kinds_per_expert.emplace_back(row.data_ptr<std::int64_t>(), row.data_ptr<std::int64_t>() + row.numel());
  }
  return outcome;
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
