#pragma once
/// What makes ranks that saw different tokens take the same step: averaging gradients over them.
#include "comm/communicator.h"
#include "core/tensor.h"

namespace duet {

/// Averages gradients over all W ranks, in place.
///
/// Every rank back-propagates W times its part of the global loss, so the sum over ranks divided by W is the gradient
/// of the global loss. A parameter that every rank holds is summed over the world. An expert's gradient already holds
/// the tokens of its whole expert-parallel group, since backward brought them; it is summed only over the ranks that
/// hold the same expert (dp), and still divided by the full W, not by the size of that group (the constant that
/// DeepSpeed issue #5618 is about).
///
/// @param replicated [n] gradients of what every rank holds; may be empty
/// @param experts [m] gradients of what only `dp` shares; may be empty
void sync_gradients(comm::Communicator& world, comm::Communicator& dp, const at::Tensor& replicated,
                    const at::Tensor& experts);

}  // namespace duet
