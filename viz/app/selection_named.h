#pragma once
/// What `--select` and a lesson's scene call a selection.
#include <string>

#include "viz/model/frame.h"

namespace duet::viz {

/// "rank:1", "expert:3" (where the shown mode has it for rank 0's tokens) or "token:0:17" (token 17 of rank 0).
/// @throws InputError for anything else
Hit selection_named(const std::string& name, const Frame& frame);

}  // namespace duet::viz
