#pragma once
/// Lets peers read a rank's buffers until the rank has to leave.
#include <atomic>
#include <thread>

namespace duet::comm {

/// A rank that unwinds from a failed operation closes the gate before its buffers die. Whoever entered before is waited
/// for (a copy ends by itself); nobody enters after.
class ReadGate {
 public:
  /// Inside until it goes out of scope, if it converts to true.
  class Pass {
   public:
    explicit Pass(ReadGate& gate) : gate_(gate) { ++gate_.inside_; }
    ~Pass() { --gate_.inside_; }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    explicit operator bool() const { return !gate_.closed_.load(); }

   private:
    ReadGate& gate_;
  };

  void close() {
    closed_.store(true);
    while (inside_.load() > 0) std::this_thread::yield();
  }

 private:
  std::atomic<int> inside_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace duet::comm
