#pragma once
/// What happened in a step: plain data, no torch. Table, trace file, report, viewer and grader all read this.
#include <cstdint>
#include <string>
#include <vector>

namespace duet::trace {

/// The fixed names of a step's parts (design: section 5). `backward` is the whole backward pass; the exchanges inside
/// it are events of their own with Direction::backward.
enum class Phase { route, plan, counts, dispatch, expert, combine, loss, backward, grad_sync, optimizer };
enum class Direction { forward, backward };

/// What a communication event was; `none` marks a phase rather than one operation inside it.
enum class Operation { none, send, receive, all_to_all, all_reduce, all_gather, reduce_scatter, broadcast, barrier };

/// A span of time on one rank. Phases nest (dispatch backward lies inside backward), and a communication event lies
/// inside the phase that called it.
struct Event {
  Phase phase = Phase::route;
  Direction direction = Direction::forward;
  Operation operation = Operation::none;
  std::int64_t start_ns = 0;  ///< core/clock.h
  std::int64_t end_ns = 0;
  // Communication events only:
  std::int64_t bytes = 0;             ///< payload bytes that left this rank
  bool modelled = false;              ///< bytes follow the ring formula: a native all-reduce shows no messages
  std::vector<std::int64_t> rows_to;  ///< all_to_all: rows sent to each peer, own rank included
  std::uint32_t group = 0;            ///< the same number on every rank of one communicator
  std::uint64_t sequence = 0;         ///< the same number on every rank for one operation of that group
};

/// Why a (token, choice) pair did not reach its expert.
enum class DropReason : std::int8_t { kept = 0, over_capacity = 1 };

/// One token's routing, kept only when per-token recording is on.
struct TokenRoute {
  std::int64_t token = 0;            ///< global token index
  std::vector<float> logits;         ///< [E]
  std::vector<std::int32_t> expert;  ///< [k], best first
  std::vector<float> gate;           ///< [k]
  std::vector<DropReason> reason;    ///< [k]
};

/// One rank's part of a step.
struct RankStep {
  int rank = 0;
  std::vector<Event> events;
  std::vector<std::int64_t> tokens_per_expert;   ///< [E], this rank's tokens, before dropping, over all k choices
  std::vector<std::int64_t> dropped_per_expert;  ///< [E], over capacity
  std::vector<TokenRoute> tokens;                ///< empty unless recorded
};

/// One step of one mode ("ep", "dp", "single"), all ranks.
struct StepRecord {
  std::string mode;
  std::int64_t step = 0;
  double loss = 0;  ///< MSE over the global batch, without the auxiliary loss
  double aux = 0;   ///< auxiliary loss before its weight, mean over shards
  double aux_weight = 0;
  std::int64_t capacity = -1;  ///< per expert and (largest) shard; -1: no limit
  std::int64_t step_ns = 0;    ///< slowest rank, first event to last
  std::vector<RankStep> ranks;
};

/// The name of an enumerator, as it stands in a trace.
const char* name(Phase phase);
const char* name(Direction direction);
const char* name(Operation operation);
const char* name(DropReason reason);

}  // namespace duet::trace
