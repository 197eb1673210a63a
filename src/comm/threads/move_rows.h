#pragma once
/// How a rank's data moves in each collective: plain copies and sums over the postings of all ranks of a group.
#include "comm/threads/group.h"

namespace duet::comm {

/// all_to_all: copies what each rank has for `rank`, sources in order.
void copy_my_rows(const Slot& slot, int rank, int size);

/// all_reduce: sums chunk `rank` over all ranks in its own buffer; later copies the chunks that the others summed.
void sum_my_chunk(const Slot& slot, int rank, int size);
void copy_other_chunks(const Slot& slot, int rank, int size);

void gather_parts(const Slot& slot, int rank, int size);
void sum_my_part(const Slot& slot, int rank, int size);
void copy_from_root(const Slot& slot, int rank);

/// Payload bytes that leave `rank`. For all_reduce those of a ring (reduce-scatter, then all-gather), summed over ranks
/// 2 (W - 1) N size.
std::int64_t bytes_sent(const Posting& posting, int rank, int size);

/// One group a color (ascending), made from the postings of a split of `parent`.
std::vector<std::shared_ptr<Group>> make_groups(const Group& parent, const Slot& slot);
/// The index in `make_groups` of this rank's, and its rank there.
struct Place {
  std::size_t group = 0;
  int rank = 0;
};
Place place_in_split(const Slot& slot, int rank, int size);

}  // namespace duet::comm
