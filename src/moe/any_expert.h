#pragma once
/// The kinds of expert that a layer may hold.
#include <variant>

#include "moe/expert.h"
#include "moe/expert_kind.h"
#include "moe/swiglu.h"

namespace duet {

using AnyExpert = std::variant<ExpertWeights, SwigluWeights>;

/// Runs the rows through the expert, of whichever kind. @param rows [N, dim] @return [N, dim]
inline at::Tensor any_expert_forward(const at::Tensor& rows, const AnyExpert& expert) {
  if (const auto* relu = std::get_if<ExpertWeights>(&expert)) return expert_forward(rows, *relu);
  return swiglu_forward(rows, std::get<SwigluWeights>(expert));
}

}  // namespace duet
