#pragma once
/// How a rank's data moves in each collective: plain copies and sums over the postings of all ranks of a group.
#include "comm/split_order.h"
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

/// One group a color (ascending), made from the postings of a split of `parent`.
std::vector<std::shared_ptr<Group>> make_groups(const Group& parent, const Slot& slot);
/// The index in `make_groups` of this rank's, and its rank there.
PlaceInSplit place_in_split(const Slot& slot, int rank, int size);

}  // namespace duet::comm
