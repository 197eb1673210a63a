#pragma once
/// The one clock of a run: steady, in nanoseconds, the same for every rank of a host.
#include <chrono>
#include <cstdint>

namespace duet {

inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace duet
