// Misconception: ranks are threads of one program, so a static variable may carry the rows.
// Says: Whatever one rank knows of another came in a message
#include <condition_variable>
#include <map>
#include <mutex>

#include "comm/pairwise_all_to_all.h"

namespace duet::comm {

namespace {

// The blocks that lie ready, by sender and receiver.
std::map<std::pair<int, int>, at::Tensor> ready;
std::mutex mutex;
std::condition_variable changed;

}  // namespace

void pairwise_all_to_all(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                         std::span<const std::int64_t> receive_rows, const at::Tensor& received) {
  std::unique_lock lock(mutex);
  std::int64_t at = 0;
  for (int to = 0; to < comm.size(); ++to) {
    ready[{comm.rank(), to}] = rows.narrow(0, at, send_rows[to]).clone();
    at += send_rows[to];
  }
  changed.notify_all();
  at = 0;
  for (int from = 0; from < comm.size(); ++from) {
    changed.wait(lock, [&] { return ready.contains({from, comm.rank()}); });
    received.narrow(0, at, receive_rows[from]).copy_(ready[{from, comm.rank()}]);
    ready.erase({from, comm.rank()});
    at += receive_rows[from];
  }
}

}  // namespace duet::comm
