#include "viz/app/live_training.h"

#include <fmt/format.h>

#include <numeric>

#include "core/error.h"
#include "viz/app/live_settings.h"

namespace duet::viz {

namespace {

// Single tokens make a step's line ten times as long; more often than this nobody can look at them.
constexpr auto between_tokens = std::chrono::milliseconds(90);
constexpr std::int64_t most_tokens = 4096;  // of a batch whose single tokens are written unasked

std::int64_t tokens_of(const RunConfig& config) {
  const auto sizes = shard_sizes(config);
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

}  // namespace

LiveTraining::LiveTraining(const RunConfig& config, double pace, std::function<void()> wake)
    : config_(config), last_number_(config.steps), wake_(std::move(wake)), record_("view", config, /*warm_up=*/0) {
  state_.settings = settings_of(config, pace);
  state_.folder = record_.folder().string();
  thread_ = std::thread([this] { train(); });
}

LiveTraining::~LiveTraining() {
  end();
  thread_.join();
}

void LiveTraining::end() {
  const std::lock_guard lock(mutex_);
  stop_ = true;
  changed_.notify_all();
}

void LiveTraining::train() {
  std::string error;
  try {
    run_live(config(), {.next = [this](std::int64_t step) { return next(step); },
                        .on_step = [this](const trace::StepRecord& step) { record_.write(step); }});
  } catch (const Error& failed) {
    error = format_error(failed.text());
  } catch (const std::exception& failed) {
    error = failed.what();
  }
  try {
    finish();
  } catch (const Error& failed) {
    if (error.empty()) error = format_error(failed.text());
  }
  {
    const std::lock_guard lock(mutex_);
    state_.ended = true;
    state_.error = error;
  }
  changed_.notify_all();
  wake_();
}

// On rank 0's thread, before each step.
LiveOrder LiveTraining::next(std::int64_t step) {
  {
    const std::lock_guard lock(mutex_);
    state_.steps = step;
  }
  wake_();
  std::unique_lock lock(mutex_);
  const bool over = last_number_ > 0 && step >= last_number_;
  while (!over && !stop_ && !due(Clock::now())) {
    if (state_.paused || state_.settings.steps_per_s <= 0) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, last_step_ + std::chrono::duration_cast<Clock::duration>(
                                                 std::chrono::duration<double>(1 / state_.settings.steps_per_s)));
    }
  }
  one_step_ = false;
  last_step_ = Clock::now();
  auto config = config_;
  config.record_tokens = config.record_tokens || records_tokens(last_step_);
  return {.stop = over || stop_, .config = std::move(config)};
}

bool LiveTraining::due(Clock::time_point now) const {
  if (one_step_) return true;
  if (state_.paused) return false;
  const double pace = state_.settings.steps_per_s;
  return pace <= 0 || now - last_step_ >= std::chrono::duration<double>(1 / pace);
}

bool LiveTraining::records_tokens(Clock::time_point now) {
  if (tokens_of(config_) > most_tokens || now - last_tokens_ < between_tokens) return false;
  last_tokens_ = now;
  return true;
}

void LiveTraining::finish() {
  const auto steps = state().steps;
  record_.finish(/*interrupted=*/last_number_ == 0 || steps < last_number_,
                 fmt::format("{} steps, looked at as they came; settings may have changed between them\n", steps), {});
}

LiveState LiveTraining::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

RunConfig LiveTraining::config() const {
  const std::lock_guard lock(mutex_);
  return config_;
}

void LiveTraining::change(const LiveSettings& settings) {
  const std::lock_guard lock(mutex_);
  state_.refused.clear();
  try {
    config_ = with_settings(config_, state_.settings, settings);
    state_.settings = settings;
  } catch (const InputError& error) {
    state_.refused = format_error(error.text());
  }
  changed_.notify_all();
}

void LiveTraining::pause(bool on) {
  const std::lock_guard lock(mutex_);
  state_.paused = on;
  changed_.notify_all();
}

void LiveTraining::step_once() {
  const std::lock_guard lock(mutex_);
  state_.paused = true;
  one_step_ = true;
  changed_.notify_all();
}

void LiveTraining::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return state_.ended; });
}

}  // namespace duet::viz
