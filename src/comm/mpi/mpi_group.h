#pragma once
/// The ranks of one communicator, as one of its processes sees them.
#include <memory>
#include <vector>

#include "comm/mpi/mpi_world.h"

namespace duet::comm {

/// What a message belongs to; each has tags of its own, so that operations that overlap are kept apart.
enum class Stage : int { check, first, second, message_offer, message_answer, message };

struct MpiGroup {
  static constexpr std::size_t most_started = 16;  ///< operations that may be outstanding at once

  MpiGroup(std::shared_ptr<MpiWorld> shared, MpiHandle own, std::vector<int> members, std::uint32_t group_number);
  ~MpiGroup();
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;

  int size() const { return static_cast<int>(ranks.size()); }
  int world_rank(int rank_here) const { return ranks[static_cast<std::size_t>(rank_here)]; }
  /// For the messages of operation `number`, within the 32,767 that every MPI takes.
  static int tag(std::uint64_t number, Stage stage) {
    return static_cast<int>(number % 4096) * 8 + static_cast<int>(stage);
  }

  const std::shared_ptr<MpiWorld> world;
  MpiHandle comm;
  const std::vector<int> ranks;  ///< the world's number of each rank here
  int rank = 0;
  const std::uint32_t number;
  std::size_t outstanding = 0;                ///< operations that were started and have not ended
  std::vector<std::uint64_t> sent, received;  ///< messages to and from each rank
};

}  // namespace duet::comm
