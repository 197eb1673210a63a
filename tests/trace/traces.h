#pragma once
/// Small traces, and folders to write them to.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "trace/trace.h"

namespace duet::trace {

/// A folder of its own, gone with the test.
class Folder {
 public:
  Folder() {
    auto name = (std::filesystem::temp_directory_path() / "duet folder XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Files of this process may have so many bytes at most, which stands for a full disk that fills up under way.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~SizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline Event phase_event(Phase phase, Direction direction, std::int64_t start_us, std::int64_t end_us) {
  Event event;
  event.phase = phase;
  event.direction = direction;
  event.start_ns = start_us * 1000;
  event.end_ns = end_us * 1000;
  return event;
}

inline Event exchange_event(Phase phase, Direction direction, std::int64_t start_us, std::int64_t end_us,
                            std::uint64_t sequence) {
  auto event = phase_event(phase, direction, start_us, end_us);
  event.operation = Operation::all_to_all;
  event.bytes = 4096;
  event.rows_to = {7, 9};
  event.group = 3;
  event.sequence = sequence;
  return event;
}

/// A step whose two ranks route, dispatch (rank 1 comes 20 us late), run their expert and go backward, from `start_us`
/// on.
inline StepRecord two_rank_step(const std::string& mode, std::int64_t number, std::int64_t start_us) {
  using enum Direction;
  StepRecord step{.mode = mode,
                  .step = number,
                  .loss = 1.0 / static_cast<double>(number + 1),
                  .aux = {{.kind = "std", .value = 0.25, .weight = 0.001}},
                  .grad_norm = 5,
                  .capacity = 12,
                  .step_ns = 200'000,
                  .ranks = {}};
  for (int rank = 0; rank < 2; ++rank) {
    const auto t = start_us + 20 * rank;
    RankStep part;
    part.rank = rank;
    part.events = {
        phase_event(Phase::route, forward, t, t + 10),
        phase_event(Phase::dispatch, forward, t + 10, start_us + 50),
        exchange_event(Phase::dispatch, forward, t + 12, start_us + 48, 2 * static_cast<std::uint64_t>(number)),
        phase_event(Phase::expert, forward, start_us + 50, start_us + 90),
        phase_event(Phase::backward, backward, start_us + 100, start_us + 180),
        phase_event(Phase::combine, backward, start_us + 120, start_us + 140),
        exchange_event(Phase::combine, backward, start_us + 121, start_us + 139,
                       2 * static_cast<std::uint64_t>(number) + 1)};
    auto& layer = part.layers.emplace_back();
    layer.tokens_per_expert = {10 + rank, 6 - rank};
    layer.dropped_per_expert = {rank, 0};
    layer.token_count = 16;
    layer.entropy_sum = 8;
    layer.first_expert = rank;
    layer.expert_grad_norm = {3.0 + rank};
    step.ranks.push_back(part);
  }
  return step;
}

/// `steps` steps of each mode, in turn.
inline Trace trace_of(std::vector<std::string> modes, std::int64_t steps) {
  Trace trace;
  trace.header.config = R"({"tokens":[16],"experts":2})";
  trace.header.world_size = 2;
  trace.header.created = "2025-01-31T12:00:00Z";
  trace.complete = true;
  std::int64_t start_us = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    for (const auto& mode : modes) trace.steps.push_back(two_rank_step(mode, step, start_us += 250));
  }
  return trace;
}

}  // namespace duet::trace
