#pragma once
/// Auxiliary losses that keep experts equally busy. Pure: the router's probabilities and the counts in, a value out.
/// Which tokens they look at (a shard or the batch) is the caller's choice: moe/aux_scope.h.
#include "core/tensor.h"
#include "moe/aux_kind.h"

namespace duet {

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
at::Tensor cv_loss(const at::Tensor& probs, const at::Tensor& counts, Estimator estimator = Estimator::unbiased);

/// The squared coefficient of variation of the experts' soft importances: variance / mean^2 (Shazeer and others 2017,
/// section 4, with the population's variance). Smooth: no straight-through. 0 without tokens, and for one expert.
///
/// @param importance [E], the sum over tokens of the probabilities
at::Tensor cv2_loss(const at::Tensor& importance);

/// E * sum_e f_e * P_e, with f_e the share of the T * k choices that fell on e and P_e the mean probability (Switch
/// Transformer, section 2.2; Megatron's division by k). About 1 at balance, E at collapse. 0 without tokens.
at::Tensor switch_loss(const at::Tensor& probs, const at::Tensor& counts);

/// The mean over tokens of (log sum_e exp(logit_e))^2, which keeps logits small (ST-MoE, section 2.2; "z-loss"). It
/// balances nothing. 0 without tokens.
///
/// @param logits [T, E]
at::Tensor z_loss(const at::Tensor& logits);

}  // namespace duet
