#pragma once
/// Everything a run is made from. The command line and the TOML file fill it; the run's folder keeps it.
#include <cstdint>
#include <string>
#include <vector>

#include "comm/algorithms.h"
#include "comm/transport.h"
#include "moe/aux_kind.h"
#include "moe/capacity_rule.h"
#include "moe/expert_kind.h"

namespace duet {

enum class Dataset { two_functions, random };
enum class Mode { ep, dp, single };
/// Where tensors are. `automatic`: on GPUs where there are any (train/device.h).
enum class DeviceKind { cpu, cuda, automatic };
/// As it stands in traces and JSON.
const char* name(Mode mode);
const char* name(DeviceKind device);

struct ModelConfig {
  std::int64_t dim = 32;
  std::int64_t hidden = 64;
  std::int64_t experts = 2;
  std::int64_t layers = 1;  ///< MoE layers, one after the other
  std::int64_t top_k = 1;
  ExpertKind expert = ExpertKind::relu;
  bool router_bias = true;               ///< the router's linear layer has a bias
  bool renormalize = false;              ///< gates divided by their sum over the chosen (Mixtral); refused at top_k 1
  bool constant_gate = false;            ///< unless this allows it
  std::string capacity_factor = "none";  ///< decimal text, or "none"
  std::int64_t min_capacity = 0;
  Scope capacity_scope = Scope::local;
  DropPolicy drop = DropPolicy::position;
  SlotOrder slot_order = SlotOrder::token;
  bool residual = false;  ///< a dropped pair adds its token, not zero
  std::vector<AuxTerm> aux{{AuxKind::std, 0.001}};
  Scope aux_scope = Scope::local;
  Estimator estimator = Estimator::unbiased;  ///< of aux std and cv
  double bias_rate = 0;                       ///< of the loss-free balancing bias; 0: none
  double router_jitter = 0;                   ///< the router's input times uniform [1 - j, 1 + j)
  double router_noise = 0;                    ///< spread of the normal noise on the logits
};

struct DataConfig {
  Dataset dataset = Dataset::two_functions;
  std::vector<std::int64_t> tokens{64};  ///< tokens of each shard; a single number holds for all
  int shards = 0;                        ///< 0: as many as ranks
  std::uint64_t seed = 1;
};

struct LayoutConfig {
  int ranks = 2;
  int dp = 0;  ///< 0: what ranks and ep leave
  int ep = 0;  ///< 0: what ranks and dp leave; both 0: as many ranks as the experts can be shared by
};

struct OptimizerConfig {
  double lr = 3e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;  ///< decoupled, as AdamW's
  double clip_norm = 0;     ///< largest norm of all gradients together; 0: no limit
};

struct RunConfig {
  ModelConfig model;
  DataConfig data;
  LayoutConfig layout;
  OptimizerConfig optimizer;
  comm::Algorithms algorithms;
  comm::Transport transport = comm::Transport::threads;
  bool checked = false;  ///< ranks compare what they ask for before data moves; always so on threads
  DeviceKind device = DeviceKind::cpu;
  std::int64_t steps = 200;
  std::int64_t accumulate = 1;  ///< micro-batches that a step's batch is cut into
  bool float64 = false;
  bool input_grad = true;      ///< the layer's input requires a gradient: one more exchange
  bool record_tokens = false;  ///< per-token routing in the trace
  std::string out;             ///< the run's folder; empty: runs/<verb>-<date>-<n>
  std::string folder;          ///< once it is made, on rank 0; no flag
  double deadline_s = 30;
  std::int64_t checkpoint_every = 100;  ///< steps between checkpoints of `train`; 0: only at the end
  std::int64_t keep_checkpoints = 3;    ///< older ones are deleted
};

/// Tokens of every shard, from `tokens` and the number of shards (0: one a rank and micro-batch). Throws InputError
/// when the counts disagree.
std::vector<std::int64_t> shard_sizes(const RunConfig& config);

}  // namespace duet
