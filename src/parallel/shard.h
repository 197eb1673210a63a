#pragma once
/// A global batch is a row of shards; a rank holds neighbouring ones. Local rules (capacity, auxiliary loss) are
/// counted a shard, so that every layout drops the same tokens.
#include <cstdint>
#include <vector>

namespace duet {

/// One rank's part of the global batch, or of one of its micro-batches.
struct ShardRange {
  std::vector<std::int64_t> tokens;       ///< tokens of each of this rank's shards
  std::int64_t first_token = 0;           ///< global index of this rank's first token
  std::int64_t global_tokens = 0;         ///< of the whole batch, all micro-batches together
  std::int64_t global_shards = 1;         ///< of the whole batch
  std::vector<std::int64_t> rank_tokens;  ///< tokens of every rank here; they add up to global_tokens for a whole batch

  std::int64_t local_tokens() const;
};

/// The shards of `rank` when `world` ranks share them in neighbouring runs. Where the world does not divide the shards
/// some ranks have one more; with fewer shards than ranks some have none.
/// @param shard_tokens tokens of every shard of the global batch; zeros are allowed
/// @throws InputError without shards
ShardRange shards_of(int rank, int world, const std::vector<std::int64_t>& shard_tokens);

/// The same, of micro-batch `part` of `parts`: run `part` of the batch's shards, the same tokens on every layout.
ShardRange micro_batch_of(int rank, int world, const std::vector<std::int64_t>& shard_tokens, std::int64_t part,
                          std::int64_t parts);

/// All micro-batches of a rank.
std::vector<ShardRange> micro_batches_of(int rank, int world, const std::vector<std::int64_t>& shard_tokens,
                                         std::int64_t parts);

}  // namespace duet
