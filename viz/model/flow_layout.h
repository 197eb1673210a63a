#pragma once
/// A small real batch on its way through one MoE layer and back: ranks side by side, rows as boxes that can be
/// followed.
#include "viz/model/frame.h"

namespace duet::viz {

struct FlowView {
  std::size_t layer = 0;
  FlowPlace flow;
  Hit pinned;  ///< its rows are outlined, the others fade
};

/// The picture of one moment inside `rect`.
///
/// Light boxes are rows on their way to an expert, full ones are its answers, hatched ones are gradients; a row keeps
/// its token's number and its expert's colour throughout.
///
/// @param step with its single tokens
/// @param line height of a line of text there
Shapes lay_out_flow(const trace::StepRecord& step, const FlowView& view, Rect rect, float line);

}  // namespace duet::viz
