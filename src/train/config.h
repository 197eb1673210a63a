#pragma once
/// Everything a run is made from. The command line and the TOML file fill it; the run's folder keeps it.
#include <cstdint>
#include <string>
#include <vector>

#include "comm/algorithms.h"
#include "moe/aux_kind.h"

namespace duet {

enum class Dataset { two_functions, random };
enum class Mode { ep, dp, single };
/// As it stands in traces and JSON.
const char* name(Mode mode);

struct ModelConfig {
  std::int64_t dim = 32;
  std::int64_t hidden = 64;
  std::int64_t experts = 2;
  std::int64_t top_k = 1;
  bool renormalize = false;              ///< gates divided by their sum over the chosen (Mixtral); refused at top_k 1
  std::string capacity_factor = "none";  ///< decimal text, or "none"
  AuxTerm aux{AuxKind::std, 0.001};
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
  int ep = 0;  ///< 0: what ranks and dp leave (`train` and `compare`'s EP: all ranks)
};

struct OptimizerConfig {
  double lr = 3e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
};

struct RunConfig {
  ModelConfig model;
  DataConfig data;
  LayoutConfig layout;
  OptimizerConfig optimizer;
  comm::Algorithms algorithms;
  std::int64_t steps = 200;
  bool float64 = false;
  bool input_grad = true;      ///< the layer's input requires a gradient: one more exchange
  bool record_tokens = false;  ///< per-token routing in the trace
  std::string out;             ///< the run's folder; empty: runs/<verb>-<date>-<n>
  double deadline_s = 30;
};

/// Tokens of every shard, from `tokens` and the number of shards. Throws InputError when the counts disagree.
std::vector<std::int64_t> shard_sizes(const DataConfig& data, int world_size);

}  // namespace duet
