#pragma once
/// The operations that are timed, as nccl-tests has them: what each moves, and what must come of it.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "core/tensor.h"

namespace duet::bench {

constexpr std::int64_t row_floats = 32;
constexpr std::int64_t row_bytes = row_floats * 4;

/// What an operation reads and writes on one rank. Both [rows, 32] float32; rows is a multiple of the number of ranks.
struct Buffers {
  at::Tensor in;
  at::Tensor out;
};

struct Operation {
  std::string name;
  /// Bus bandwidth over algorithm bandwidth, by the number of ranks: what share of the bytes has to leave a rank
  /// (nccl-tests, PERFORMANCE.md).
  std::function<double(int ranks)> bus_share;
  /// Collective. Both buffers hold `value_of` before. `send_receive` goes to rank 1 and back: half its time is told.
  std::function<void(comm::Communicator&, const Buffers&)> run;
  /// What must stand in a row of part `part` (of as many as there are ranks) of `out` afterwards; nothing: no matter.
  std::function<std::optional<double>(int ranks, int rank, std::int64_t part)> expected;
};

/// What rank `rank` puts into the rows of part `part`: differs by rank and part, and adds up exactly.
inline double value_of(int rank, std::int64_t part) { return 100.0 * rank + static_cast<double>(part); }

/// All of them, or the one that is named. @throws InputError for a name that there is not
std::vector<Operation> operations(const std::string& name);

}  // namespace duet::bench
