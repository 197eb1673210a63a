#include "viz/model/frame_words.h"

namespace duet::viz {

std::string modes_missing(const Frame& frame) {
  std::string names;
  for (const auto& mode : frame.modes) {
    if (mode.step == nullptr) names += (names.empty() ? "" : ", ") + mode.mode;
  }
  return names.empty() ? names : "without this step: " + names;
}

const char* mode_in_words(const std::string& mode) {
  if (mode.ends_with("ep")) return "expert parallelism: each expert on one rank, and tokens travel to it";
  if (mode.ends_with("dp")) return "data parallelism: every expert on every rank, and gradients are averaged";
  if (mode.ends_with("single")) return "all of it on one device";
  return "a mode of the trace";
}

std::string no_step_words(const Frame& frame) {
  if (frame.live && frame.live->ended) return "The run ended before its first step was done.";
  if (frame.live) return "The first step is on its way.";
  return frame.title + " holds no step yet. If its run goes on, its steps appear here as they are written.";
}

}  // namespace duet::viz
