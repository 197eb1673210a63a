#include "viz/app/session.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "trace/reader.h"

namespace duet::viz {

namespace {

std::unique_ptr<TraceIndex> open(const std::string& name) {
  const bool standard = name == "-";
  std::error_code ignored;
  if (!standard && !std::filesystem::is_fifo(name, ignored)) {
    return std::make_unique<TraceIndex>(trace::trace_file(name));
  }
  std::ostringstream all;
  if (standard) all << std::cin.rdbuf();
  if (!standard) all << std::ifstream(name, std::ios::binary).rdbuf();
  return std::make_unique<TraceIndex>(all.str(), standard ? "standard input" : name);
}

}  // namespace

TraceSession::TraceSession(const std::vector<std::string>& names) {
  std::vector<TraceIndex*> traces;
  std::vector<std::string> letters;
  for (const auto& name : names) {
    traces_.push_back(open(name));
    traces.push_back(traces_.back().get());
    letters.emplace_back(1, static_cast<char>('a' + letters.size()));
    if (!title_.empty()) title_ += ", ";
    title_ += names.size() == 1 ? name : letters.back() + ": " + name;
  }
  set_ = std::make_unique<TraceSet>(std::move(traces), std::move(letters));
}

LiveSession::LiveSession(const RunConfig& config, double pace, std::function<void()> wake)
    : wake_(std::move(wake)), out_(config.out) {
  start(config, pace);
}

void LiveSession::start(const RunConfig& config, double pace) {
  training_ = std::make_unique<LiveTraining>(config, pace, wake_);
  trace_ = std::make_unique<TraceSession>(std::vector{training_->folder().string()});
}

void LiveSession::reset() {
  auto config = training_->config();
  const double pace = training_->state().settings.steps_per_s;
  training_->end();
  ended_.push_back(std::move(training_));
  if (!out_.empty()) config.out = fmt::format("{}-{}", out_, ended_.size() + 1);
  start(config, pace);
}

std::vector<std::string> LiveSession::folders() const {
  std::vector<std::string> folders;
  for (const auto& run : ended_) folders.push_back(run->folder().string());
  folders.push_back(training_->folder().string());
  return folders;
}

namespace {

void attach(Viewer& viewer, LiveSession& session) {
  viewer.live = &session.training();
  viewer.look_at(session.trace().traces(), session.trace().title());
}

}  // namespace

void show_live(Viewer& viewer, LiveSession& session) {
  attach(viewer, session);
  viewer.reset_live = [&viewer, &session] {
    session.reset();
    attach(viewer, session);
  };
}

}  // namespace duet::viz
