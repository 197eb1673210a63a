#pragma once
/// A run that goes on while it is looked at: what a person may change, and how it stands.
#include <cstdint>
#include <string>

namespace duet::viz {

/// What may change between two steps. Words are those of the flags.
struct LiveSettings {
  std::int64_t tokens = 64;              ///< of each shard
  std::string capacity_factor = "none";  ///< decimal text, or "none"
  std::string aux = "std";               ///< a kind, or "none"
  double aux_weight = 0.001;
  std::string dataset = "two-functions";
  double lr = 3e-3;
  double steps_per_s = 5;  ///< 0: as fast as it goes
  bool operator==(const LiveSettings&) const = default;
};

struct LiveState {
  LiveSettings settings;
  bool paused = false;
  bool ended = false;      ///< it failed, see `error`, or came to its last step
  std::int64_t steps = 0;  ///< done
  std::string folder;      ///< what it writes to
  std::string refused;     ///< why the last change was not made; empty: it was
  std::string error;       ///< why it ended, as every error of Duet tells it; empty: it did not fail
};

/// The run's side: none of these waits for a step.
class LiveRun {
 public:
  virtual ~LiveRun() = default;
  virtual LiveState state() const = 0;
  virtual void change(const LiveSettings& settings) = 0;
  virtual void pause(bool on) = 0;
  virtual void step_once() = 0;
};

}  // namespace duet::viz
