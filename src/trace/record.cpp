#include "trace/record.h"

#include <array>

namespace duet::trace {

const char* name(Phase phase) {
  static constexpr std::array names{"route",   "plan", "counts",   "dispatch",  "expert",
                                    "combine", "loss", "backward", "grad_sync", "optimizer"};
  return names[static_cast<std::size_t>(phase)];
}

const char* name(Direction direction) { return direction == Direction::forward ? "forward" : "backward"; }

const char* name(Operation operation) {
  static constexpr std::array names{"none",       "send",           "receive",   "all_to_all", "all_reduce",
                                    "all_gather", "reduce_scatter", "broadcast", "barrier"};
  return names[static_cast<std::size_t>(operation)];
}

const char* name(DropReason reason) {
  static constexpr std::array names{"kept", "over_capacity", "low_probability", "random"};
  return names[static_cast<std::size_t>(reason)];
}

}  // namespace duet::trace
