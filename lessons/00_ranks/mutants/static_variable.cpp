// Misconception: ranks are threads of one program, so a static variable may carry the values.
// Says: a rank's values never left it in a message
#include <condition_variable>
#include <map>
#include <mutex>

#include "comm/all_reduce.h"

namespace duet::comm {

namespace {

std::mutex mutex;
std::condition_variable changed;
std::map<int, at::Tensor> given;  // by rank; emptied by the last that read it
int readers = 0;

}  // namespace

void all_reduce_naive(Communicator& comm, const at::Tensor& tensor) {
  std::unique_lock lock(mutex);
  given[comm.rank()] = tensor.clone();
  changed.notify_all();
  changed.wait(lock, [&] { return static_cast<int>(given.size()) == comm.size(); });
  auto sum = at::zeros_like(tensor);
  for (const auto& [rank, values] : given) sum += values;
  tensor.copy_(sum);
  if (++readers == comm.size()) {
    readers = 0;
    given.clear();
    changed.notify_all();
  }
  changed.wait(lock, [] { return readers == 0; });
}

}  // namespace duet::comm
