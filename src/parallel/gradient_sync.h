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

/// The norm of all gradients of the model, each expert counted once whatever the layout, and the same number on every
/// rank: what ranks repeat is counted here, what the expert-parallel group has apart is added up over it (DeepSpeed
/// issue #8475 is about counting experts wrongly). Call after sync_gradients.
///
/// @param ep the group whose ranks hold different experts
double gradient_norm(comm::Communicator& ep, const at::Tensor& replicated, const at::Tensor& experts);

/// Scales gradients so that their norm is at most `limit`, in place, as torch's clip_grad_norm_ does.
/// @return the factor; 1 where nothing was done
double clip_gradients(const at::Tensor& gradients, double norm, double limit);

}  // namespace duet
