#pragma once
/// Balancing without a loss: a bias for each expert, moved against its load (Wang and others 2024, "Auxiliary-loss-free
/// load balancing"; DeepSeek-V3). It chooses and does not weigh, so no gradient of the model is bent.
#include "core/tensor.h"

namespace duet {

/// Moves the bias of each expert by `rate`: up where it got fewer pairs than the mean, down where more, not at all at
/// the mean. In place.
///
/// @param bias [E]
/// @param counts [E] int64 of the whole batch, before dropping: the same on every rank, or the routers part
/// @param rate the size of a move
void move_choice_bias(const at::Tensor& bias, const at::Tensor& counts, double rate);

}  // namespace duet
