#pragma once
/// What processes tell each other beside NCCL: how a run's id gets round, and that a rank failed.
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace duet::comm {

/// Gives every rank the bytes that rank `root` gave (`mine` counts there only). Collective over all ranks; throws when
/// they do not come within the run's deadline.
using IdExchange = std::function<std::vector<std::byte>(std::span<const std::byte> mine, int root)>;

/// The first failure of a run, seen by all its processes. NCCL itself leaves a rank that waits for a dead one waiting.
class Signal {
 public:
  struct Failure {
    int rank = 0;
    std::string reason;
  };

  virtual ~Signal() = default;
  /// The first failure that any rank raised. Asked some hundred times a second while a rank waits.
  virtual std::optional<Failure> poll() = 0;
  /// Keeps the first; later ones change nothing. Must not throw.
  virtual void raise(const Failure& failure) = 0;
};

}  // namespace duet::comm
