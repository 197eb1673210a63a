#pragma once
/// The watch of ranks that are threads of one process.
#include <map>
#include <mutex>

#include "comm/nccl/signal.h"
#include "comm/nccl/watch.h"

namespace duet::comm {

/// What all rank threads of a run share.
class ThreadBoard {
 public:
  explicit ThreadBoard(std::shared_ptr<ThreadWorld> threads) : world(std::move(threads)) {}

  std::shared_ptr<GroupProgress> progress(std::uint32_t number, int size);
  /// The exchange of ids of rank `rank`.
  IdExchange exchange_of(int rank);

  const std::shared_ptr<ThreadWorld> world;

 private:
  std::vector<std::byte> exchange(int rank, std::span<const std::byte> mine, int root);

  std::mutex mutex_;
  std::map<std::uint32_t, std::weak_ptr<GroupProgress>> groups_;
  std::vector<std::byte> id_;
};

std::shared_ptr<Watch> make_thread_watch(std::shared_ptr<ThreadBoard> board, int rank);

}  // namespace duet::comm
