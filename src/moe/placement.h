#pragma once
/// Which rank of an expert-parallel group holds which expert.
#include <cstdint>

namespace duet {

/// Experts in equal contiguous blocks: expert e lives on rank e / per_rank(), where it is local expert e % per_rank().
struct Placement {
  std::int64_t experts = 1;
  int ranks = 1;  ///< size of the expert-parallel group

  std::int64_t per_rank() const { return experts / ranks; }
  std::int64_t first_on(int rank) const { return rank * per_rank(); }
};

/// @throws InputError unless the ranks divide the experts
Placement place_in_blocks(std::int64_t experts, int ranks);

}  // namespace duet
