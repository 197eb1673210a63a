#pragma once
/// What the window looks at: traces that are there, or a run that this program trains.
#include <memory>
#include <string>
#include <vector>

#include "viz/app/live_training.h"
#include "viz/app/viewer.h"

namespace duet::viz {

/// Traces: one or two files, run folders, or "-" for standard input.
class TraceSession {
 public:
  /// @throws InputError as trace/reader.h
  explicit TraceSession(const std::vector<std::string>& names);

  TraceSet& traces() { return *set_; }
  std::string title() const { return title_; }

 private:
  std::vector<std::unique_ptr<TraceIndex>> traces_;
  std::unique_ptr<TraceSet> set_;
  std::string title_;
};

/// A run that goes on, and what it has written. Runs that were reset end in the background.
class LiveSession {
 public:
  LiveSession(const RunConfig& config, double pace, std::function<void()> wake);

  LiveTraining& training() { return *training_; }
  TraceSession& trace() { return *trace_; }
  /// Ends the run and begins another with its settings, from fresh weights, in a folder of its own.
  void reset();
  /// The folders of all runs, in order.
  std::vector<std::string> folders() const;

 private:
  void start(const RunConfig& config, double pace);

  std::function<void()> wake_;
  std::string out_;  ///< the first run's --out
  std::vector<std::unique_ptr<LiveTraining>> ended_;
  std::unique_ptr<LiveTraining> training_;
  std::unique_ptr<TraceSession> trace_;
};

/// Lets `viewer` show the run, with its controls.
void show_live(Viewer& viewer, LiveSession& session);

}  // namespace duet::viz
