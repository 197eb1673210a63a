#pragma once
/// Pieces of the sentences about a flow batch, and what is said of one thing in it.
#include <string>

#include "viz/model/flow_batch.h"

namespace duet::viz {

/// "1 row", "5 rows".
std::string rows_text(std::int64_t count);
/// "rank 0 sends 5 rows to rank 1 and keeps 3; rank 1 ...": each of two ranks; of more the first, and all in sum.
std::string sends(const FlowBatch& batch);
/// "rank 0 gets 5 rows from rank 1 back, and has 3 of its own; ...".
std::string gets_back(const FlowBatch& batch);
/// Whether no row ever leaves its rank: under data parallelism and on one device.
bool stays(const FlowBatch& batch);
std::string why_it_stays(const FlowBatch& batch);
/// "E0 5, E1 3": kept rows, or all, of each expert; the busiest ones of many.
std::string of_experts(const FlowBatch& batch, bool kept_only);

/// What the batch is of the step: "Drawn: 8 of each rank's 64 tokens, ...".
std::string tell_batch(const FlowBatch& batch);
/// What is known of a token, expert or rank: the line under the picture. Empty where the batch does not have it.
std::string tell_flow(const FlowBatch& batch, const Hit& hit);

}  // namespace duet::viz
