#pragma once
/// What the ranks of one communicator of the double share: where collectives and messages meet. All under the machine's
/// lock.
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "tests/nccl_double/engine.h"

namespace duet::nccl_double {

/// One rank's part of a collective.
struct Part {
  std::string call = {};
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t count = 0;
  ncclDataType_t type = ncclUint8;
  int root = 0;
  bool here = false;
};

/// One side of a message.
struct Side {
  void* memory = nullptr;
  std::size_t bytes = 0;
  bool done = false;
};

class Clique {
 public:
  explicit Clique(int size);

  int size() const { return size_; }
  /// A rank was born on a device. False: another rank has that device.
  bool join(int device);
  bool complete() const { return static_cast<int>(devices_.size()) == size_; }
  /// A rank aborted: what it left never ends.
  void die(int rank) { dead_[static_cast<std::size_t>(rank)] = true; }

  /// Lays down a rank's part the first time, and says whether the collective is over.
  bool collective(std::uint64_t number, int rank, const Part& part);

  void offer(int from, int to, const std::shared_ptr<Side>& send);
  void want(int from, int to, const std::shared_ptr<Side>& receive);
  /// Copies what both sides of the pair agree on; a message of another size stops the pair for ever.
  void match(int from, int to);

  struct Wish {
    int color = 0, key = 0;
    bool here = false;
  };
  void wish(std::uint64_t round, int rank, int color, int key);
  bool all_wished(std::uint64_t round) const;
  /// The clique of this rank's color, and its rank there.
  std::pair<std::shared_ptr<Clique>, int> part_of(std::uint64_t round, int rank);

 private:
  struct Meeting {
    std::vector<Part> parts;
    bool done = false;
    int left = 0;
  };
  struct Pair {
    std::deque<std::shared_ptr<Side>> sends, receives;
  };
  struct Split {
    std::vector<Wish> wishes;
    std::map<int, std::shared_ptr<Clique>> parts;
  };
  bool agreed(const Meeting& meeting) const;
  Pair& pair(int from, int to) { return pairs_[static_cast<std::size_t>(from * size_ + to)]; }

  const int size_;
  std::vector<int> devices_;
  std::vector<bool> dead_;
  std::map<std::uint64_t, Meeting> meetings_;
  std::vector<Pair> pairs_;
  std::map<std::uint64_t, Split> splits_;
};

std::size_t size_of(ncclDataType_t type);

}  // namespace duet::nccl_double
