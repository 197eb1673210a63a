#pragma once
/// What a rank waits for on NCCL, in the words of messages.
#include <fmt/format.h>

#include "comm/nccl/nccl_group.h"

namespace duet::comm {

/// The ranks of a group that have not come to collective number `sequence`; between processes all others, for nobody
/// knows.
class CollectiveWait : public Wait {
 public:
  CollectiveWait(const NcclGroup& group, std::uint64_t sequence, std::string name)
      : group_(group), sequence_(sequence), name_(std::move(name)) {}

  int rank() const override { return group_.world().rank; }
  bool ready() const override { return missing().empty(); }
  std::vector<int> missing() const override {
    std::vector<int> ranks;
    for (int peer = 0; peer < group_.size(); ++peer) {
      const bool here = group_.progress() != nullptr && group_.progress()->entered(peer, sequence_);
      if (peer != group_.rank() && !here) ranks.push_back(group_.world_rank(peer));
    }
    return ranks;
  }
  std::string operation() const override { return fmt::format("{} #{}", name_, sequence_); }

 private:
  const NcclGroup& group_;
  const std::uint64_t sequence_;
  const std::string name_;
};

/// The other end of a message.
class MessageWait : public Wait {
 public:
  MessageWait(const NcclGroup& group, bool sends, int peer, std::uint64_t number)
      : group_(group), sends_(sends), peer_(peer), number_(number) {}

  int rank() const override { return group_.world().rank; }
  bool ready() const override { return missing().empty(); }
  std::vector<int> missing() const override {
    const auto* const progress = group_.progress();
    const bool here = progress != nullptr && (sends_ ? progress->wanted(group_.rank(), peer_, number_)
                                                     : progress->offered(peer_, group_.rank(), number_));
    return here ? std::vector<int>{} : std::vector<int>{group_.world_rank(peer_)};
  }
  std::string operation() const override { return fmt::format("{} #{}", sends_ ? "send" : "receive", number_); }

 private:
  const NcclGroup& group_;
  const bool sends_;
  const int peer_;
  const std::uint64_t number_;
};

/// The birth of a group.
class BirthWait : public CollectiveWait {
 public:
  explicit BirthWait(const NcclGroup& group) : CollectiveWait(group, 0, "") {}
  std::string operation() const override { return "the start of NCCL"; }
};

/// "rank 0 in all_reduce #2 with ranks 1, 2", for errors that NCCL or CUDA gives.
std::string doing(const NcclGroup& group, const Wait& wait);

}  // namespace duet::comm
