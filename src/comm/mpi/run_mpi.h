#pragma once
#include <functional>
#include "comm/communicator.h"
namespace duet::comm {
struct MpiOptions {
  Deadline deadline = std::chrono::seconds(30);
  bool checked = false;
  bool gpu = false;
};
bool started_by_mpi();
void run_mpi(const MpiOptions& options, const std::function<void(Communicator&)>& body);
}  // namespace duet::comm
