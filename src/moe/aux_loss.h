#pragma once
/// Auxiliary losses that keep experts equally busy. Pure: the router's probabilities and the counts in, a value out.
#include "core/tensor.h"
#include "moe/aux_kind.h"

namespace duet {

/// Which deviation `std` means.
enum class Estimator { unbiased, population };

/// The standard deviation of tokens per expert, as the seed project computes it; 0 for one expert.
///
/// Counts have no gradient, so by straight-through each probability stands for its part of the count:
/// d/dp[t, e] = (n_e - mean) / ((E - 1) * std), divided by E instead of E - 1 for the population, and 0 at perfect
/// balance. For two experts that is 1/sqrt(2) for every token whatever the imbalance: it never settles, and it does
/// not shrink with T as the MSE's gradient does.
///
/// @param probs [T, E] the router's probabilities of one shard; T may be 0
/// @param counts [E] int64, before dropping, over all k choices
at::Tensor std_loss(const at::Tensor& probs, const at::Tensor& counts, Estimator estimator = Estimator::unbiased);

/// std / mean: the same, free of scale in T. 0 without tokens.
at::Tensor cv_loss(const at::Tensor& probs, const at::Tensor& counts);

/// E * sum_e f_e * P_e, with f_e the share of the T * k choices that fell on e and P_e the mean probability (Switch
/// Transformer, section 2.2; Megatron's division by k). About 1 at balance, E at collapse. 0 without tokens.
at::Tensor switch_loss(const at::Tensor& probs, const at::Tensor& counts);

/// The loss that `kind` names; a zero without gradient for AuxKind::none.
at::Tensor aux_loss(AuxKind kind, const at::Tensor& probs, const at::Tensor& counts);

}  // namespace duet
