#pragma once
/// The small batch that the flow panel walks through a layer: some real tokens of each rank, a row for each choice.
#include <limits>
#include <vector>

#include "viz/model/flows.h"
#include "viz/model/shapes.h"

namespace duet::viz {

/// A (token, choice) pair, which is a row of the exchange where it was kept.
struct FlowRow {
  int rank = 0;
  std::int64_t token = 0;  ///< global token index
  int slot = 0;            ///< which of the token's choices, best first
  std::int64_t expert = 0;
  int owner = 0;  ///< the rank that holds this expert for this rank
  float gate = 0;
  trace::DropReason reason = trace::DropReason::kept;
  std::int64_t position = -1;  ///< its place among the rows that its rank sends, as moe/plan.h orders them; -1: dropped

  bool kept() const { return reason == trace::DropReason::kept; }
};

/// How experts lie on the ranks.
enum class Spread { one_rank, copies, groups, apart };

struct FlowBatch {
  std::vector<FlowRow> rows;                ///< by rank, then token, then choice
  std::vector<std::int64_t> tokens_shown;   ///< [ranks drawn]
  std::vector<std::int64_t> tokens_in_all;  ///< [ranks drawn]
  std::vector<Place> places;                ///< the experts on the ranks drawn; pairs are those of the whole step
  std::vector<std::vector<int>> owners;     ///< [ranks drawn][expert]
  int ranks_in_all = 0;
  int choices = 1;  ///< k
  Spread spread = Spread::one_rank;
  bool limit_of_a_rank = true;  ///< the capacity is for the rows of each rank, not for all

  int ranks() const { return static_cast<int>(tokens_shown.size()); }
  bool drawn(int rank) const { return rank < ranks(); }
  /// The rank that holds `expert` for tokens of a rank drawn; -1: there is no such expert.
  int owner(int rank, std::int64_t expert) const;
  /// Kept rows from one rank to another; a rank that is not drawn: -1 stands for all of those.
  std::int64_t rows_between(int from, int to) const;
  /// Whether this selection is about the row.
  static bool is_about(const Hit& hit, const FlowRow& row);
};

/// How many of them to take.
struct FlowSize {
  std::size_t tokens = 8;  ///< of each rank; fewer where a token has more than two choices
  std::size_t ranks = 4;
  static FlowSize all() { return {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max()}; }
};

/// The first tokens of each rank. Where none of these was dropped but another was, the first such one takes the last
/// place, since under a limit by position the first tokens never show a drop; so does a pinned token.
///
/// @param step with its single tokens
FlowBatch flow_batch(const trace::StepRecord& step, std::size_t layer, const Hit& pinned = {}, FlowSize size = {});

/// Whether the step has tokens, but was written without them one by one.
bool lacks_tokens(const trace::StepRecord& step, std::size_t layer);

}  // namespace duet::viz
