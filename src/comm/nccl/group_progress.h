#pragma once
/// How far each rank of a communicator is, where all ranks share memory: NCCL itself does not say for whom it waits.
#include <atomic>
#include <cstdint>
#include <vector>

namespace duet::comm {

class GroupProgress {
 public:
  explicit GroupProgress(int size)
      : size_(size),
        entered_(static_cast<std::size_t>(size)),
        offered_(static_cast<std::size_t>(size * size)),
        wanted_(static_cast<std::size_t>(size * size)) {}

  /// Rank `rank` came to collective number `sequence`; 0 is the birth of the group.
  void enter(int rank, std::uint64_t sequence) { entered_[static_cast<std::size_t>(rank)].store(sequence + 1); }
  bool entered(int rank, std::uint64_t sequence) const {
    return entered_[static_cast<std::size_t>(rank)].load() > sequence;
  }

  /// A rank came to message number `number` (from 1) of a pair, as sender or as receiver.
  void offer(int from, int to, std::uint64_t number) { offered_[at(from, to)].store(number); }
  bool offered(int from, int to, std::uint64_t number) const { return offered_[at(from, to)].load() >= number; }
  void want(int from, int to, std::uint64_t number) { wanted_[at(from, to)].store(number); }
  bool wanted(int from, int to, std::uint64_t number) const { return wanted_[at(from, to)].load() >= number; }

 private:
  std::size_t at(int from, int to) const { return static_cast<std::size_t>(from * size_ + to); }

  const int size_;
  std::vector<std::atomic<std::uint64_t>> entered_, offered_, wanted_;
};

}  // namespace duet::comm
