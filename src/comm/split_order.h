#pragma once
/// Which ranks of a split come together, and in which order.
#include <span>
#include <vector>

namespace duet::comm {

/// What one rank asked for.
struct SplitWish {
  int color = 0;
  int key = 0;
};

/// One group a color (colors ascending): its ranks ordered by key, then by rank. Pure, so every rank comes to the same
/// result. @param wishes of every rank, in rank order
std::vector<std::vector<int>> groups_of_split(std::span<const SplitWish> wishes);

/// Where `rank` stands in them.
struct PlaceInSplit {
  std::size_t group = 0;
  int rank = 0;
};
PlaceInSplit place_in_split(std::span<const std::vector<int>> groups, int rank);

}  // namespace duet::comm
