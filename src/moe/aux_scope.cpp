#include "moe/aux_scope.h"

#include "comm/tensors.h"
#include "moe/aux_loss.h"

namespace duet {

namespace {

// A whole loss that every rank computes: a W-th of the value each, but the gradient of all of it.
at::Tensor part_of_common(const at::Tensor& loss, int world_size) {
  return loss - loss.detach() * (1 - 1.0 / world_size);
}

}  // namespace

at::Tensor shard_aux(AuxKind kind, Estimator estimator, const AuxInput& shard) {
  switch (kind) {
    case AuxKind::std:
      return std_loss(shard.probs, shard.counts, estimator);
    case AuxKind::cv:
      return cv_loss(shard.probs, shard.counts, estimator);
    case AuxKind::cv2:
      return cv2_loss(shard.probs.sum(0));
    case AuxKind::switch_:
      return switch_loss(shard.probs, shard.counts);
    case AuxKind::z:
      break;
  }
  return z_loss(shard.logits);
}

GlobalBalance global_balance(comm::Communicator& world, const AuxInput& mine) {
  const at::NoGradGuard no_grad;
  const auto experts = mine.counts.size(0);
  // Counts are exact in float64 up to 2^53.
  auto sums = at::cat({mine.counts.to(at::kDouble), mine.probs.sum(0).to(at::kDouble),
                       at::full({1}, mine.probs.size(0), mine.counts.options().dtype(at::kDouble))});
  comm::all_reduce(world, sums);
  return {.counts = sums.narrow(0, 0, experts).to(at::kLong),
          .importance = sums.narrow(0, experts, experts).to(mine.probs.scalar_type()),
          .tokens = static_cast<std::int64_t>(sums[2 * experts].item<double>())};
}

at::Tensor global_aux_part(AuxKind kind, Estimator estimator, const AuxInput& mine, const GlobalBalance& all,
                           int world_size) {
  const auto tokens = mine.probs.size(0);
  const double share = all.tokens == 0 ? 0 : static_cast<double>(tokens) / static_cast<double>(all.tokens);
  switch (kind) {
    case AuxKind::std:
      return part_of_common(std_loss(mine.probs, all.counts, estimator), world_size);
    case AuxKind::cv:
      return part_of_common(cv_loss(mine.probs, all.counts, estimator), world_size);
    case AuxKind::cv2: {
      const auto own = mine.probs.sum(0);
      return part_of_common(cv2_loss(own + (all.importance - own).detach()), world_size);
    }
    case AuxKind::switch_:  // a mean over tokens: each rank has its tokens' part
      return switch_loss(mine.probs, all.counts) * share;
    case AuxKind::z:
      break;
  }
  return z_loss(mine.logits) * share;
}

}  // namespace duet
