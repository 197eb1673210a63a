#pragma once
/// What the one selection means for a picture that has ranks or experts.
#include <optional>

#include "viz/model/shapes.h"

namespace duet::viz {

struct Selection {
  std::optional<std::int64_t> rank;    ///< the one that holds, sends or computes what is selected
  std::optional<std::int64_t> expert;  ///< global number

  /// Without a selection of that kind everything is meant.
  bool means_rank(std::int64_t one) const { return !rank || *rank == one; }
  bool means_expert(std::int64_t one) const { return !expert || *expert == one; }
};

/// Nothing for what has neither: a phase, a step.
inline Selection selection_of(Hit pinned) {
  switch (pinned.thing) {
    case Thing::rank:
    case Thing::token:
      return {pinned.a, std::nullopt};
    case Thing::expert:
    case Thing::ribbon:
    case Thing::drop:
      return {pinned.a, pinned.b};
    default:
      return {};
  }
}

}  // namespace duet::viz
