#include "train/rank_trainer.h"

#include <fmt/format.h>

#include <algorithm>

#include "comm/tensors.h"
#include "core/error.h"
#include "train/record_tokens.h"

namespace duet {

namespace {

std::vector<std::int64_t> to_vector(const at::Tensor& counts) {
  const auto host = counts.to(at::kCPU).contiguous();
  return {host.data_ptr<std::int64_t>(), host.data_ptr<std::int64_t>() + host.numel()};
}

}  // namespace

RankTrainer::RankTrainer(comm::Communicator& world, const RunConfig& config, const Layout& layout, at::ScalarType dtype)
    : config_(config),
      groups_(split_mesh(world, layout.mesh, &recorder_)),
      shards_(shards_of(world.rank(), world.size(), shard_sizes(config.data, config.layout.ranks))),
      data_(config.data, config.model.dim, dtype),
      model_(make_model(config.model, config.data.seed, layout, world.rank(), dtype)),
      adam_(model_.values, config.optimizer) {}

bool RankTrainer::any_rank_stops(const std::atomic<bool>* stop) {
  auto flag = at::full({1}, stop != nullptr && stop->load() ? 1 : 0, at::kLong);
  comm::all_reduce(*groups_.world, flag);
  return flag.item<std::int64_t>() > 0;
}

RankStepResult RankTrainer::run_step(std::int64_t step) {
  const auto batch = data_.batch(step, shards_);
  groups_.world->barrier();
  recorder_.clear();
  try {
    const auto result = train_step(groups_, model_, adam_, batch,
                                   {.aux_weight = config_.model.aux.weight, .input_grad = config_.input_grad});
    return record_step(step, result, batch);
  } catch (const InputError& error) {
    auto text = error.text();
    text.where = fmt::format("step {}, {}", step, text.where);
    throw InputError(text);
  }
}

RankStepResult RankTrainer::record_step(std::int64_t step, const StepResult& result, const Batch& batch) const {
  const auto experts = config_.model.experts;
  RankStepResult out{.step = step,
                     .loss = result.loss,
                     .aux = result.aux,
                     .record = {.rank = groups_.world->rank(),
                                .events = recorder_.events(),
                                .tokens_per_expert = {},
                                .dropped_per_expert = {},
                                .tokens = {}},
                     .expert = result.output.routing.expert,
                     .kind = batch.kind};
  auto counts = at::zeros({experts}, at::kLong);
  for (const auto& kept : result.output.kept) counts.add_(kept.counts);
  out.record.tokens_per_expert = to_vector(counts);
  out.record.dropped_per_expert = out.record.tokens_per_expert;
  const auto& sent = result.output.plan->send_rows;  // kept pairs of each expert, in expert order
  for (std::size_t e = 0; e < sent.size(); ++e) out.record.dropped_per_expert[e] -= sent[e];
  for (const auto tokens : shards_.tokens) {
    const auto limit = model_.layer.capacity.limit(tokens, experts, config_.model.top_k);
    if (limit) out.capacity = std::max(out.capacity, *limit);
  }
  if (config_.record_tokens) out.record.tokens = record_tokens(result.output, batch.shards.first_token);
  return out;
}

}  // namespace duet
