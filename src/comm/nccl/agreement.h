#pragma once
/// What ranks tell each other before data moves: their postings, as integers over NCCL itself.
#include "comm/nccl/nccl_waits.h"
#include "comm/posting.h"

namespace duet::comm {

/// Every rank's posting of one operation, and the number that each would give to a group that it leads.
struct Agreement {
  std::vector<Posting> postings;
  std::vector<std::uint32_t> numbers;
};

/// One round trip over all ranks of the group.
/// @throws RankError on every rank when they do not agree, naming two ranks and both values
Agreement agree(NcclGroup& group, const Wait& wait, Deadline deadline, const Posting& mine);

/// The part of that check that a rank can make alone: the rows that it keeps.
void check_own_rows(const NcclGroup& group, const Posting& mine);

}  // namespace duet::comm
