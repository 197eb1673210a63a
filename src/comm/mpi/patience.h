#pragma once
/// How to wait for another process without taking the core that it may need.
#include <chrono>
#include <thread>

namespace duet::comm {

/// Call `rest` between two looks: at first it does nothing, then it lets others run, then it sleeps. With more ranks
/// than cores a rank that only looked again and again would keep the awaited one from its work.
class Patience {
 public:
  void rest() {
    ++looks_;
    if (looks_ < looks_at_once) return;
    if (looks_ < looks_until_sleep) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

 private:
  static constexpr int looks_at_once = 50;         // about 20 us of MPI's own work
  static constexpr int looks_until_sleep = 3'000;  // about 2 ms where the core is free
  int looks_ = 0;
};

}  // namespace duet::comm
