#pragma once
/// How rows line up for the exchange: kept pairs grouped by destination rank, then by that rank's expert.
#include "core/tensor.h"
#include "moe/capacity.h"
#include "moe/placement.h"

namespace duet {

/// What one rank sends. A pair is a (token, choice); pair p = token * k + choice. N pairs are kept.
struct SendPlan {
  at::Tensor order;     ///< [N] int64: the pair in each sent row; grouped by rank, then expert, then in pair order
  at::Tensor position;  ///< [T, k] int64: the sent row of each pair; N for a dropped one
  std::vector<std::int64_t> send_rows;  ///< [ranks * local experts]: rows for each expert, in the order of the groups
  Placement placement;

  std::int64_t rows() const { return order.size(0); }
  std::int64_t top_k() const { return position.size(1); }
  /// [N] int64: the token in each sent row.
  at::Tensor tokens() const;
};

/// A send plan and what the peers send here. Consumed by dispatch, combine and their backward; never changed.
struct Plan : SendPlan {
  std::vector<std::int64_t> receive_rows;  ///< [ranks * local experts]: rows that arrive, [source][local expert]

  std::int64_t received() const;                      ///< rows that arrive here in all
  std::vector<std::int64_t> rows_to_ranks() const;    ///< [ranks], the sum of send_rows over each rank's experts
  std::vector<std::int64_t> rows_from_ranks() const;  ///< [ranks]
  std::vector<std::int64_t> rows_of_experts() const;  ///< [local experts], over all sources
};

/// Makes the order in which kept pairs are sent. Pure; no communication.
///
/// @param expert [T, k] int64, the chosen experts
/// @throws InputError if an expert is outside the placement
SendPlan make_plan(const at::Tensor& expert, const Kept& kept, const Placement& placement);

}  // namespace duet
