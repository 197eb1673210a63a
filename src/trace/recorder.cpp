#include "trace/recorder.h"

#include <utility>

namespace duet::trace {

Recorder::Scope::Scope(Recorder* recorder, Phase phase, Direction direction) : recorder_(recorder) {
  if (recorder_ == nullptr) return;
  index_ = recorder_->events_.size();
  outer_ = std::exchange(recorder_->open_, index_);
  auto& event = recorder_->events_.emplace_back();
  event.phase = phase;
  event.direction = direction;
  event.layer = recorder_->layer_;
  event.start_ns = now_ns();
  if (recorder_->observer_ != nullptr) recorder_->observer_->phase_begins(index_, phase);
}

Recorder::Scope::~Scope() {
  if (recorder_ == nullptr) return;
  if (recorder_->observer_ != nullptr) recorder_->observer_->phase_ends(index_);
  recorder_->events_[index_].end_ns = now_ns();
  recorder_->open_ = outer_;
}

void Recorder::clear() {
  events_.clear();
  layer_ = 0;
  open_ = no_phase;
}

void Recorder::communication(Recorder* recorder, Event event) {
  if (recorder == nullptr) return;
  event.layer = recorder->layer_;
  if (recorder->open_ != no_phase) {
    event.phase = recorder->events_[recorder->open_].phase;
    event.direction = recorder->events_[recorder->open_].direction;
  }
  recorder->events_.push_back(std::move(event));
}

}  // namespace duet::trace
