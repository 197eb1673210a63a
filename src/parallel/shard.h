#pragma once
/// A global batch is a row of shards; a rank holds neighbouring ones. Local rules (capacity, auxiliary loss) are
/// counted a shard, so that every layout drops the same tokens.
#include <cstdint>
#include <vector>

namespace duet {

/// One rank's part of the global batch.
struct ShardRange {
  std::vector<std::int64_t> tokens;  ///< tokens of each of this rank's shards
  std::int64_t first_token = 0;      ///< global index of this rank's first token
  std::int64_t global_tokens = 0;    ///< of the whole batch
  std::int64_t global_shards = 1;

  std::int64_t local_tokens() const;
};

/// The shards of `rank` when `world` ranks share them in equal neighbouring runs.
/// @param shard_tokens tokens of every shard of the global batch; zeros are allowed
/// @throws InputError unless the world divides the shards
ShardRange shards_of(int rank, int world, const std::vector<std::int64_t>& shard_tokens);

}  // namespace duet
