#include "viz/model/what_if_words.h"

#include <fmt/format.h>

#include "viz/model/flows.h"
#include "viz/model/token_path.h"

namespace duet::viz {

namespace {

const trace::StepRecord* shown_step(const Frame& frame) {
  return frame.shown < frame.modes.size() ? frame.modes[frame.shown].step : nullptr;
}

}  // namespace

const trace::StepRecord* drawn_step(const Frame& frame) {
  return frame.what_if && frame.recomputed != nullptr ? frame.recomputed : shown_step(frame);
}

const trace::StepRecord* drawn_tokens(const Frame& frame) {
  return frame.what_if && frame.recomputed != nullptr ? frame.recomputed : frame.tokens;
}

std::string tell_what_if(const Frame& frame) {
  const auto* const original = shown_step(frame);
  if (!frame.what_if || original == nullptr) return "";
  if (!frame.what_if_error.empty()) return frame.what_if_error;
  if (auto missing = tokens_missing(frame); !missing.empty()) return missing;
  if (frame.recomputed == nullptr) return "";
  const auto dropped = [&](const trace::StepRecord& step) { return total_of(flows_of(step, frame.layer)).dropped; };
  return fmt::format("what if {} by {}: {} dropped instead of {} (outlined)", frame.what_if->capacity_factor,
                     frame.what_if->drop, dropped(*frame.recomputed), dropped(*original));
}

std::string what_if_refused(const Frame& frame) {
  return frame.live && !frame.live->paused && !frame.live->ended ? "pause the run first" : "";
}

std::string tokens_missing(const Frame& frame) {
  if (frame.tokens == nullptr || has_tokens(*frame.tokens, frame.layer)) return "";
  if (total_of(flows_of(*frame.tokens, frame.layer)).pairs == 0) return "";
  return "this trace has no single tokens: record them with --record-tokens on";
}

}  // namespace duet::viz
