#pragma once
/// The kinds of expert. No tensors here.

namespace duet {

/// linear - ReLU - linear with biases, or Mixtral's gated unit without (moe/swiglu.h).
enum class ExpertKind { relu, swiglu };

}  // namespace duet
