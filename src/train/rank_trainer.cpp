#include "train/rank_trainer.h"

#include <fmt/format.h>

#include "comm/tensors.h"
#include "core/error.h"
#include "train/device.h"
#include "train/draws.h"
#include "train/record_step.h"

namespace duet {

RankTrainer::RankTrainer(comm::Communicator& world, const RunConfig& config, const Layout& layout, at::ScalarType dtype)
    : config_(config),
      options_(at::TensorOptions(dtype).device(device_here(config))),
      layout_(layout),
      first_expert_(layout.placement.first_on(layout.mesh.ep_index(world.rank()))),
      timer_(make_device_timer(options_.device())),
      groups_(split_mesh(world, layout.mesh, &recorder_)),
      micro_batches_(micro_batches_of(world.rank(), world.size(), shard_sizes(config), config.accumulate)),
      data_(config.data, config.model.dim, dtype),
      model_(make_model(config.model, config.data.seed, layout, world.rank(), options_)),
      adam_(model_.values, config.optimizer) {
  recorder_.set_observer(timer_.get());
}

void RankTrainer::change(const RunConfig& config) {
  config_ = config;
  micro_batches_ =
      micro_batches_of(groups_.world->rank(), groups_.world->size(), shard_sizes(config), config.accumulate);
  data_ = DataSource(config.data, config.model.dim, c10::typeMetaToScalarType(options_.dtype()));
  set_rules(model_, config.model);
  adam_.set_rate(config.optimizer.lr);
}

bool RankTrainer::any_rank_stops(const std::atomic<bool>* stop) {
  auto flag = at::full({1}, stop != nullptr && stop->load() ? 1 : 0, at::kLong);
  comm::all_reduce(*groups_.world, flag);
  return flag.item<std::int64_t>() > 0;
}

std::vector<StepInput> RankTrainer::inputs_of(std::int64_t step) const {
  std::vector<StepInput> inputs;
  for (const auto& part : micro_batches_) {
    auto& input = inputs.emplace_back();
    input.batch = data_.batch(step, part);
    for (auto* tensor : {&input.batch.x, &input.batch.target}) *tensor = tensor->to(options_.device());
    for (std::int64_t layer = 0; layer < config_.model.layers; ++layer) {
      input.draws.push_back(draw_router(config_, step, layer, part, options_));
    }
  }
  return inputs;
}

RankStepResult RankTrainer::run_step(std::int64_t step) {
  const auto inputs = inputs_of(step);
  groups_.world->barrier();
  recorder_.clear();
  if (timer_) timer_->start_step();
  try {
    const auto result = train_step(groups_, model_, adam_, inputs, step_rules(config_));
    auto record = record_step(config_, model_, result, inputs);
    record.step = step;
    record.record.rank = groups_.world->rank();
    record.record.events = recorder_.events();
    if (timer_) timer_->write_to(record.record.events);
    for (auto& layer : record.record.layers) layer.first_expert = first_expert_;
    return record;
  } catch (const InputError& error) {
    auto text = error.text();
    text.where = fmt::format("step {}{}{}", step, text.where.empty() ? "" : ", ", text.where);
    throw InputError(text);
  }
}

}  // namespace duet
