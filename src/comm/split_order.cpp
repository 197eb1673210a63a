#include "comm/split_order.h"

#include <algorithm>
#include <tuple>

namespace duet::comm {

std::vector<std::vector<int>> groups_of_split(std::span<const SplitWish> wishes) {
  std::vector<std::tuple<int, int, int>> order;
  order.reserve(wishes.size());
  for (const auto& wish : wishes) order.emplace_back(wish.color, wish.key, static_cast<int>(order.size()));
  std::sort(order.begin(), order.end());
  std::vector<std::vector<int>> groups;
  int last_color = 0;
  for (const auto& [color, key, rank] : order) {
    if (groups.empty() || color != last_color) groups.emplace_back();
    groups.back().push_back(rank);
    last_color = color;
  }
  return groups;
}

PlaceInSplit place_in_split(std::span<const std::vector<int>> groups, int rank) {
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto found = std::find(groups[group].begin(), groups[group].end(), rank);
    if (found != groups[group].end()) return {.group = group, .rank = static_cast<int>(found - groups[group].begin())};
  }
  return {};
}

}  // namespace duet::comm
