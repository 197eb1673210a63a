#pragma once
/// Synthetic data, keyed by (seed, step, global token index): every layout sees the same global batch.
#include "core/tensor.h"
#include "parallel/shard.h"
#include "train/config.h"

namespace duet {

/// One rank's part of a step's global batch.
struct Batch {
  at::Tensor x;       ///< [T, dim]
  at::Tensor target;  ///< [T, dim]
  at::Tensor kind;    ///< [T] int64: which function made the target (0 for `random`)
  ShardRange shards;
};

/// Draws batches.
///
/// `two-functions`: a token is one of two kinds, each a Gaussian cluster of unit variance round a mean of +3 or -3 in
/// every dimension (signs drawn once from the seed), and each kind has its own linear-ReLU-linear teacher. So there is
/// something for two experts to learn apart. `random` is the seed project's: normal inputs, unrelated normal targets;
/// with fresh batches the loss floors at the targets' variance, 1.
class DataSource {
 public:
  DataSource(const DataConfig& config, std::int64_t dim, at::ScalarType dtype);

  /// The tokens [shards.first_token, + local) of the batch of `step`.
  Batch batch(std::int64_t step, const ShardRange& shards) const;

 private:
  struct Teacher {
    at::Tensor w1, w2;  ///< [hidden, dim], [dim, hidden]
  };

  Batch two_functions(std::uint64_t key, const ShardRange& shards) const;
  at::Tensor teach(std::size_t kind, const at::Tensor& x) const;  ///< the answers of one kind to x [N, dim]

  Dataset dataset_;
  std::uint64_t seed_;
  std::int64_t dim_;
  at::ScalarType dtype_;
  at::Tensor signs_;  ///< [dim] float64, +1 or -1
  std::vector<Teacher> teachers_;
};

}  // namespace duet
