#pragma once
/// What a rank does between two looks at something that cannot wake it (a device, another process).
#include <chrono>
#include <thread>

namespace duet::comm {

/// Gives the core away at first, for what ends soon; then sleeps a little each time.
class PollPause {
 public:
  void operator()() {
    if (++looks_ <= quick_looks) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(nap);
    }
  }

 private:
  static constexpr int quick_looks = 500;
  static constexpr std::chrono::microseconds nap{50};
  int looks_ = 0;
};

}  // namespace duet::comm
