#include "tests/viz/made_trace.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>

#include "trace/writer.h"

namespace duet::viz::test {

namespace {

using trace::Direction;
using trace::DropReason;
using trace::Event;
using trace::Operation;
using trace::Phase;

// From 0 to 1, by the numbers alone: the standard's distributions differ from library to library.
double chance(std::int64_t a, std::int64_t b, std::int64_t c = 0) {
  auto x = static_cast<std::uint64_t>(a) * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(b) * 0xBF58476D1CE4E5B9U +
           static_cast<std::uint64_t>(c) * 0x94D049BB133111EBU + 0x2545F4914F6CDD1DU;
  for (int i = 0; i < 2; ++i) {
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
    x ^= x >> 31U;
  }
  return static_cast<double>(x >> 11U) / 9007199254740992.0;
}

// To four places, so that the last bits of exp and cos, which libraries round differently, do not show.
float rounded(double value) { return static_cast<float>(std::round(value * 1e4) / 1e4); }

trace::TokenRoute route(const MadeRun& run, std::int64_t step, std::int64_t layer, std::int64_t token) {
  trace::TokenRoute one;
  one.token = token;
  const double uneven = 1.5 * std::exp(-static_cast<double>(step) / 60);
  double sum = 0;
  for (int e = 0; e < run.experts; ++e) {
    const double liked = uneven * std::cos(2.4 * e + static_cast<double>(layer));
    one.logits.push_back(rounded(liked + 2 * chance(step * 64 + layer, token, e) - 1));
    sum += std::exp(static_cast<double>(one.logits.back()));
  }
  std::vector<std::int32_t> order(one.logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return one.logits[static_cast<std::size_t>(a)] > one.logits[static_cast<std::size_t>(b)];
  });
  for (int k = 0; k < run.top_k; ++k) {
    const auto expert = order[static_cast<std::size_t>(k)];
    one.expert.push_back(expert);
    one.gate.push_back(rounded(std::exp(static_cast<double>(one.logits[static_cast<std::size_t>(expert)])) / sum));
    one.reason.push_back(DropReason::kept);
  }
  return one;
}

struct Share {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

Share share_of(const MadeRun& run, int ranks, int rank) {
  const auto first = run.tokens * rank / ranks;
  return {first, run.tokens * (rank + 1) / ranks - first};
}

std::int64_t capacity_of(const MadeRun& run, int ranks) {
  const auto pairs = static_cast<double>(share_of(run, ranks, ranks - 1).count * run.top_k);
  return static_cast<std::int64_t>(std::ceil(run.capacity_factor * pairs / run.experts));
}

trace::LayerStep layer_of(const MadeRun& run, std::int64_t step, int layer, Share share, std::int64_t capacity) {
  trace::LayerStep made;
  made.tokens_per_expert.resize(static_cast<std::size_t>(run.experts));
  made.dropped_per_expert.resize(static_cast<std::size_t>(run.experts));
  made.token_count = share.count;
  for (std::int64_t t = share.first; t < share.first + share.count; ++t) {
    auto token = route(run, step, layer, t);
    for (std::size_t k = 0; k < token.expert.size(); ++k) {
      const auto expert = static_cast<std::size_t>(token.expert[k]);
      if (++made.tokens_per_expert[expert] <= capacity) continue;
      ++made.dropped_per_expert[expert];
      token.reason[k] = DropReason::over_capacity;
    }
    made.entropy_sum += 0.8 * std::log(run.experts);
    if (run.record_tokens) made.tokens.push_back(std::move(token));
  }
  return made;
}

// Writes each rank's events one after the other; an exchange ends on all ranks a while after the last one came.
class Clock {
 public:
  Clock(trace::StepRecord& step, std::int64_t seed) : step_(step), seed_(seed), now_(step.ranks.size(), 1'000'000) {}

  void phase(Phase phase, Direction direction, int layer, double us) {
    for (std::size_t rank = 0; rank < now_.size(); ++rank) {
      const auto start = now_[rank];
      now_[rank] += length(us, static_cast<std::int64_t>(rank));
      add(rank, phase, direction, layer, start, now_[rank]);
    }
    ++calls_;
  }

  void exchange(Phase phase, Direction direction, int layer, Operation operation, std::int64_t bytes,
                const std::vector<std::vector<std::int64_t>>& rows) {
    const auto last = *std::max_element(now_.begin(), now_.end());
    const auto end = last + length(8 + static_cast<double>(bytes) / 2000, 0);
    for (std::size_t rank = 0; rank < now_.size(); ++rank) {
      add(rank, phase, direction, layer, now_[rank], end + 3000);
      Event event = {};
      event.phase = phase, event.direction = direction, event.operation = operation, event.layer = layer;
      event.start_ns = now_[rank] + 1000, event.end_ns = end;
      event.bytes = bytes, event.group = 1, event.sequence = static_cast<std::uint64_t>(calls_ + 1);
      if (rank < rows.size()) event.rows_to = rows[rank];
      event.modelled = operation == Operation::all_reduce;
      step_.ranks[rank].events.push_back(event);
      now_[rank] = end + 4000;
    }
    ++calls_;
  }

  std::size_t ranks() const { return now_.size(); }
  std::int64_t now(std::size_t rank) const { return now_[rank]; }

  // `backward` was written before what lies inside it was known.
  void set_end(Phase phase) {
    for (std::size_t rank = 0; rank < now_.size(); ++rank) {
      for (auto& event : step_.ranks[rank].events) {
        if (event.phase == phase) event.end_ns = std::max(event.end_ns, now_[rank]);
      }
    }
  }

 private:
  std::int64_t length(double us, std::int64_t rank) const {
    return static_cast<std::int64_t>(us * (700 + 600 * chance(seed_, calls_, rank))) + 500;
  }

  void add(std::size_t rank, Phase phase, Direction direction, int layer, std::int64_t start, std::int64_t end) {
    Event event = {};
    event.phase = phase, event.direction = direction, event.layer = layer, event.start_ns = start, event.end_ns = end;
    step_.ranks[rank].events.push_back(event);
  }

  trace::StepRecord& step_;
  std::int64_t seed_;
  std::vector<std::int64_t> now_;
  std::int64_t calls_ = 0;
};

// Kept rows by destination: expert e lives on rank e * ranks / experts.
std::vector<std::vector<std::int64_t>> rows_of(const trace::StepRecord& step, std::size_t layer) {
  const auto ranks = step.ranks.size();
  std::vector<std::vector<std::int64_t>> rows(ranks, std::vector<std::int64_t>(ranks));
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto& one = step.ranks[rank].layers[layer];
    const auto experts = one.tokens_per_expert.size();
    for (std::size_t e = 0; e < experts; ++e) {
      rows[rank][e * ranks / experts] += one.tokens_per_expert[e] - one.dropped_per_expert[e];
    }
  }
  return rows;
}

void add_events(const MadeRun& run, trace::StepRecord& step, std::int64_t seed) {
  using enum Direction;
  Clock clock(step, seed);
  const bool ep = step.mode == "ep";
  const double work = 20 + static_cast<double>(run.tokens) / static_cast<double>(clock.ranks()) / 8;
  const auto bytes = run.tokens / static_cast<std::int64_t>(clock.ranks()) * run.top_k * 64;
  const auto exchange = [&](Phase phase, Direction direction, int layer) {
    if (!ep) return clock.phase(phase, direction, layer, work / 10);
    clock.exchange(phase, direction, layer, Operation::all_to_all, bytes,
                   rows_of(step, static_cast<std::size_t>(layer)));
  };
  for (int layer = 0; layer < run.layers; ++layer) {
    clock.phase(Phase::route, forward, layer, work);
    clock.phase(Phase::plan, forward, layer, work / 4);
    if (ep) clock.exchange(Phase::counts, forward, layer, Operation::all_to_all, 32, {});
    exchange(Phase::dispatch, forward, layer);
    clock.phase(Phase::expert, forward, layer, 2 * work);
    exchange(Phase::combine, forward, layer);
  }
  clock.phase(Phase::loss, forward, 0, 10);
  clock.phase(Phase::backward, backward, 0, work);
  for (int layer = run.layers - 1; layer >= 0; --layer) {
    exchange(Phase::combine, backward, layer);
    exchange(Phase::dispatch, backward, layer);
  }
  clock.set_end(Phase::backward);
  if (clock.ranks() > 1) {
    clock.exchange(Phase::grad_sync, backward, 0, Operation::all_reduce, ep ? 1'000 : 20'000 * run.experts, {});
  }
  clock.phase(Phase::optimizer, forward, 0, 12);
  for (std::size_t rank = 0; rank < clock.ranks(); ++rank) {
    step.step_ns = std::max(step.step_ns, clock.now(rank) - 1'000'000);
  }
}

}  // namespace

trace::StepRecord made_step(const MadeRun& run, const std::string& mode, std::int64_t step) {
  const int ranks = mode == "single" ? 1 : run.ranks;
  trace::StepRecord made;
  made.mode = mode;
  made.step = step;
  made.loss = 1 / (1 + 0.05 * static_cast<double>(step)) + 0.02 * chance(step, 1);
  made.aux = {{"switch", 1 + 0.2 * chance(step, 2), 0.01}};
  made.grad_norm = 0.5 + chance(step, 3);
  made.capacity = capacity_of(run, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    auto& one = made.ranks.emplace_back();
    one.rank = rank;
    for (int layer = 0; layer < run.layers; ++layer) {
      auto part = layer_of(run, step, layer, share_of(run, ranks, rank), made.capacity);
      const bool whole = mode != "ep";
      part.first_expert = whole ? 0 : static_cast<std::int64_t>(run.experts) * rank / ranks;
      const int held = whole ? run.experts : run.experts / ranks;
      for (int e = 0; e < held; ++e) part.expert_grad_norm.push_back(rounded(0.1 + chance(step, rank, e)));
      one.layers.push_back(std::move(part));
    }
  }
  add_events(run, made, step * 8 + static_cast<std::int64_t>(mode.size()));
  return made;
}

std::string made_trace(const MadeRun& run, const std::vector<std::string>& modes, std::int64_t steps) {
  static int made = 0;
  const auto path = std::filesystem::temp_directory_path() /
                    ("duet_made_" + std::to_string(::getpid()) + "_" + std::to_string(++made) + ".jsonl");
  {
    trace::TraceWriter writer(path, {.created = "2025-01-01T00:00:00Z"});
    for (std::int64_t step = 0; step < steps; ++step) {
      for (const auto& mode : modes) writer.write(made_step(run, mode, step));
    }
    writer.finish(false);
  }
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  std::filesystem::remove(path);
  return text;
}

}  // namespace duet::viz::test
