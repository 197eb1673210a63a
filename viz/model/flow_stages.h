#pragma once
/// The steps of one MoE layer, there and back, and what an instructor says at each.
#include <string>

#include "viz/model/flow_batch.h"

namespace duet::viz {

enum class Stage {
  tokens,
  route,
  capacity,
  plan,
  counts,
  dispatch,
  expert,
  combine,  ///< rows come home, in the plan's order
  sum,      ///< and into token order, weighted and added up
  loss,
  combine_back,
  expert_back,
  dispatch_back,
  grad_sync,
  optimizer
};
constexpr int stage_count = 15;

/// The stage of that number, counted from 0; what is beyond the ends becomes the end.
Stage stage_of(int number);
/// A word or two, for a button.
const char* name(Stage stage);
/// The stage that does the same exchange, or the same expert, in the other direction of the pass; itself: none.
Stage twin_of(Stage stage);

/// A few plain sentences with the batch's own numbers.
std::string tell_stage(const FlowBatch& batch, const trace::StepRecord& step, Stage stage);

}  // namespace duet::viz
