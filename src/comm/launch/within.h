#pragma once
/// Calls what may never return, and goes on without it after a while.
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>

namespace duet::comm {

/// Runs `call` on a thread of its own; what it returns or throws comes out here, or none after `limit` (zero: waits for
/// ever). Then the thread goes on by itself: whatever `call` uses must be shared with it, never borrowed.
template <typename Result>
std::optional<Result> within(std::chrono::milliseconds limit, std::function<Result()> call) {
  std::packaged_task<Result()> task(std::move(call));
  auto result = task.get_future();
  std::thread thread(std::move(task));
  if (limit.count() > 0 && result.wait_for(limit) == std::future_status::timeout) {
    thread.detach();
    return std::nullopt;
  }
  thread.join();
  return result.get();
}

}  // namespace duet::comm
