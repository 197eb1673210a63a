#pragma once
/// Per-token routing for the trace: costs memory, so only on request.
#include "moe/layer.h"
#include "trace/record.h"

namespace duet {

/// One entry a token, in order; `first_token` is the global index of the first, `reason` that of the dropped pairs.
std::vector<trace::TokenRoute> record_tokens(const LayerOutput& output, std::int64_t first_token,
                                             trace::DropReason reason);

}  // namespace duet
