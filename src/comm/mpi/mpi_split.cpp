#include "comm/mpi/mpi_split.h"

#include "comm/split_order.h"

namespace duet::comm {

std::shared_ptr<MpiGroup> split_group(const MpiGroup& parent, std::span<const Header> headers) {
  std::vector<SplitWish> wishes;
  for (const auto& header : headers) wishes.push_back({.color = header.posting.color, .key = header.posting.key});
  const auto groups = groups_of_split(wishes);
  const auto place = place_in_split(groups, parent.rank);
  const auto& members = groups[place.group];
  // MPI takes no negative colors; and by then it need not wait for anybody, which it would do without a deadline.
  auto comm = MpiHandle::split(parent.comm.get(), static_cast<int>(place.group), place.rank);
  std::vector<int> ranks;
  for (const int member : members) ranks.push_back(parent.world_rank(member));
  if (place.rank == 0) parent.world->count_group();
  const auto number = headers[static_cast<std::size_t>(members.front())].new_group;
  return std::make_shared<MpiGroup>(parent.world, std::move(comm), std::move(ranks), number);
}

}  // namespace duet::comm
