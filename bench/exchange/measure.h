#pragma once
/// Times one operation at one size.
#include "bench/exchange/operations.h"

namespace duet::bench {

/// Of the slowest rank; the same on every rank.
struct Figures {
  std::int64_t bytes = 0;  ///< of the larger of the two buffers, on one rank (nccl-tests' "size")
  double min_us = 0;       ///< the fastest round
  double median_us = 0;
  double copy_us = 0;  ///< the limit: copying as many bytes where they lie, all ranks at once, fastest round
  bool right = false;  ///< every rank found in its buffer what belongs there
};

/// Runs `operation` once to see that its result is right, and then `rounds` times, each after a barrier, by turns with
/// the copy, so that the machine's drift hits both. The buffers lie on `device`, and a round ends when its work there
/// is done. Collective.
Figures measure(comm::Communicator& world, const Operation& operation, std::int64_t bytes, std::int64_t rounds,
                const at::Device& device);

}  // namespace duet::bench
