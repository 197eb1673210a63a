#include "parallel/shard.h"

#include <fmt/format.h>

#include <numeric>

#include "core/error.h"

namespace duet {

std::int64_t ShardRange::local_tokens() const { return std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0}); }

ShardRange shards_of(int rank, int world, const std::vector<std::int64_t>& shard_tokens) {
  const auto shards = std::ssize(shard_tokens);
  if (shards == 0 || shards % world != 0) {
    throw InputError({.what = fmt::format("{} shards cannot be shared equally by {} ranks", shards, world),
                      .where = "--shards, --ranks",
                      .usually = "the batch was cut for another number of ranks",
                      .fix = fmt::format("use a multiple of {} shards (0: one a rank)", world)});
  }
  const auto each = shards / world;
  const auto first = shard_tokens.begin() + rank * each;
  return {.tokens = {first, first + each},
          .first_token = std::accumulate(shard_tokens.begin(), first, std::int64_t{0}),
          .global_tokens = std::accumulate(shard_tokens.begin(), shard_tokens.end(), std::int64_t{0}),
          .global_shards = shards};
}

}  // namespace duet
