#pragma once
/// A run that trains in its own threads while the window shows what it has written.
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include "cli/run_record.h"
#include "train/live_run.h"
#include "viz/model/live.h"

namespace duet::viz {

class LiveTraining : public LiveRun {
 public:
  /// Makes the run's folder and starts. @param wake called from the run's thread after each step
  /// @param pace steps a second at first; 0: as fast as it goes
  LiveTraining(const RunConfig& config, double pace, std::function<void()> wake);
  /// Ends the run after its step, and writes what a finished run has.
  ~LiveTraining() override;
  LiveTraining(const LiveTraining&) = delete;
  LiveTraining& operator=(const LiveTraining&) = delete;

  LiveState state() const override;
  void change(const LiveSettings& settings) override;
  void pause(bool on) override;
  void step_once() override;
  /// Asks it to end after its step; does not wait.
  void end();
  /// Waits until it ended by itself: its last step, or an error.
  void wait();

  /// Another run from now on would be made from this.
  RunConfig config() const;
  const std::filesystem::path& folder() const { return record_.folder(); }

 private:
  using Clock = std::chrono::steady_clock;

  void train();
  LiveOrder next(std::int64_t step);
  bool due(Clock::time_point now) const;
  bool records_tokens(Clock::time_point now);
  void finish();

  mutable std::mutex mutex_;  ///< of all below but the record, which is the run's thread's
  std::condition_variable changed_;
  RunConfig config_;
  LiveState state_;
  bool stop_ = false;
  bool one_step_ = false;
  Clock::time_point last_step_;
  Clock::time_point last_tokens_;
  std::int64_t last_number_ = 0;  ///< of steps that the flags ask for; 0: no end
  std::function<void()> wake_;
  cli::RunRecord record_;
  std::thread thread_;  ///< last: it uses all above
};

}  // namespace duet::viz
