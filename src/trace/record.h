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
  int layer = 0;              ///< the MoE layer that it belongs to; 0 for what no layer owns
  std::int64_t start_ns = 0;  ///< core/clock.h
  std::int64_t end_ns = 0;
  /// When the device began and ended what this event started on it (CUDA events, on the host's clock); the host may be
  /// elsewhere by then, so the two are never added up or put into one column. Both 0: not measured, or no device.
  std::int64_t device_start_ns = 0;
  std::int64_t device_end_ns = 0;
  bool on_device() const { return device_end_ns > device_start_ns; }
  // Communication events only:
  std::int64_t bytes = 0;             ///< payload bytes that left this rank
  bool modelled = false;              ///< bytes follow the ring formula: a native all-reduce shows no messages
  std::vector<std::int64_t> rows_to;  ///< all_to_all: rows sent to each peer, own rank included
  std::uint32_t group = 0;            ///< the same number on every rank of one communicator
  std::uint64_t sequence = 0;         ///< the same number on every rank for one operation of that group
};

/// Why a (token, choice) pair did not reach its expert: the rule that chose it among those over capacity.
enum class DropReason : std::int8_t { kept = 0, over_capacity = 1, low_probability = 2, random = 3 };

/// One token's routing, kept only when per-token recording is on.
struct TokenRoute {
  std::int64_t token = 0;            ///< global token index
  std::vector<float> logits;         ///< [E]
  std::vector<std::int32_t> expert;  ///< [k], best first
  std::vector<float> gate;           ///< [k]
  std::vector<DropReason> reason;    ///< [k]
};

/// One MoE layer's routing of one rank's tokens.
struct LayerStep {
  std::vector<std::int64_t> tokens_per_expert;         ///< [E], before dropping, over all k choices
  std::vector<std::int64_t> dropped_per_expert;        ///< [E]
  DropReason drop_reason = DropReason::over_capacity;  ///< of those dropped
  std::int64_t token_count = 0;
  double entropy_sum = 0;                ///< of the router's probabilities, in nats, summed over the tokens
  std::int64_t first_expert = 0;         ///< the first expert that this rank holds
  std::vector<double> expert_grad_norm;  ///< of each expert here, averaged over ranks, before clipping
  std::vector<TokenRoute> tokens;        ///< empty unless recorded
};

/// One rank's part of a step.
struct RankStep {
  int rank = 0;
  std::vector<Event> events;
  std::vector<LayerStep> layers;
};

/// An auxiliary loss of a step.
struct AuxValue {
  std::string kind;  ///< "std", "z" and so on
  double value = 0;  ///< before its weight; summed over layers, each a mean over shards (scope local)
  double weight = 0;
};

/// One step of one mode ("ep", "dp", "single"), all ranks.
struct StepRecord {
  std::string mode;
  std::int64_t step = 0;
  double loss = 0;             ///< MSE over the global batch, without the auxiliary losses
  std::vector<AuxValue> aux;   ///< what is added to it, weight times value each
  double grad_norm = 0;        ///< of all gradients, every expert once, before clipping
  std::int64_t capacity = -1;  ///< per expert and (largest) shard; -1: no limit
  std::int64_t step_ns = 0;    ///< slowest rank, first event to last
  /// Whether an exchange's waiting can be told from its transfer, by when each rank came. Not inside NCCL's kernels,
  /// nor across hosts, whose clocks differ: there an exchange is one bar, waiting included.
  bool waits_told = true;
  std::vector<RankStep> ranks;
};

/// The name of an enumerator, as it stands in a trace.
const char* name(Phase phase);
const char* name(Direction direction);
const char* name(Operation operation);
const char* name(DropReason reason);

}  // namespace duet::trace
