#pragma once
/// Where processes that do not know each other yet meet: keys and values at MASTER_ADDR:MASTER_PORT.
///
/// One rank's view of torch's TCPStore (c10d), so that Duet also joins the store that torchrun's agent keeps. Through
/// it ranks learn who is there, exchange small things (NCCL's unique id), and tell each other why they fail. No wait
/// here is longer than its deadline, even when the store's host stands still; each throws RankError that says which
/// host and port, which ranks did not come, and as soon as a rank failed, "rank R failed: reason".
///
/// Who listens: torchrun's agent; otherwise rank 0, on MASTER_ADDR's own address and no other. One process alone
/// listens on loopback, at a port that is free. One thread at a time uses a Store.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "comm/launch/launch.h"

namespace duet::comm {

class Store {
 public:
  /// Connects, hosts where that is this rank's part, and says that this rank is there.
  /// @param deadline of every wait; zero: none
  /// @throws InputError without MASTER_ADDR where there is more than one rank, where rank 0 cannot listen there, and
  ///   where two processes take themselves for the same rank
  explicit Store(const Launch& launch, Deadline deadline = std::chrono::seconds(30));
  /// Of the host without `leave`: the store is gone for all.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  int rank() const;
  int size() const;
  /// "node1:29500"
  const std::string& address() const;

  /// Keys are this run's own; a key is set once.
  void set(const std::string& key, const std::string& value);
  /// Waits until some rank has set it.
  std::string get(const std::string& key);
  /// @returns the sum after it; a key that is not there counts 0
  std::int64_t add(const std::string& key, std::int64_t amount);

  /// Returns when all ranks are here. The n-th call of one rank meets the n-th of the others.
  void barrier();
  /// What every rank gave for this key, in rank order.
  std::vector<std::string> gather(const std::string& key, const std::string& mine);
  /// What `root` gave for this key: NCCL's unique id.
  std::string broadcast(const std::string& key, const std::string& value, int root);

  /// Tells the others why this rank cannot go on; the first such reason counts. Throws nothing. The host stays for at
  /// most `grace`, until the others have heard it.
  void fail(const std::string& reason, Deadline grace = std::chrono::seconds(2)) noexcept;
  /// "rank R failed: reason" once a rank has; for waits that are not the store's.
  std::optional<std::string> failure();

  /// The last call: the host returns when all others have called it too, so that nobody finds the store gone.
  void leave();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace duet::comm
