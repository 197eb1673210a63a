#include "parallel/shard.h"

#include <numeric>

#include "core/error.h"

namespace duet {

namespace {

std::int64_t sum(const std::vector<std::int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

struct Run {
  std::int64_t first = 0;
  std::int64_t last = 0;  ///< one behind
};

// Run `part` of the `parts` into which a run is cut, as equal as can be.
Run cut(const Run& run, std::int64_t part, std::int64_t parts) {
  const auto length = run.last - run.first;
  return {run.first + length * part / parts, run.first + length * (part + 1) / parts};
}

std::int64_t tokens_in(const std::vector<std::int64_t>& shard_tokens, const Run& run) {
  return std::accumulate(shard_tokens.begin() + run.first, shard_tokens.begin() + run.last, std::int64_t{0});
}

}  // namespace

std::int64_t ShardRange::local_tokens() const { return sum(tokens); }

ShardRange shards_of(int rank, int world, const std::vector<std::int64_t>& shard_tokens) {
  return micro_batch_of(rank, world, shard_tokens, 0, 1);
}

ShardRange micro_batch_of(int rank, int world, const std::vector<std::int64_t>& shard_tokens, std::int64_t part,
                          std::int64_t parts) {
  if (shard_tokens.empty()) throw InputError("a global batch needs at least one shard");
  const Run all{0, std::ssize(shard_tokens)};
  ShardRange range{
      .tokens = {}, .first_token = 0, .global_tokens = sum(shard_tokens), .global_shards = all.last, .rank_tokens = {}};
  for (int r = 0; r < world; ++r) {
    range.rank_tokens.push_back(tokens_in(shard_tokens, cut(cut(all, part, parts), r, world)));
  }
  const auto mine = cut(cut(all, part, parts), rank, world);
  range.tokens.assign(shard_tokens.begin() + mine.first, shard_tokens.begin() + mine.last);
  range.first_token = tokens_in(shard_tokens, {0, mine.first});
  return range;
}

std::vector<ShardRange> micro_batches_of(int rank, int world, const std::vector<std::int64_t>& shard_tokens,
                                         std::int64_t parts) {
  std::vector<ShardRange> ranges;
  for (std::int64_t part = 0; part < parts; ++part) {
    ranges.push_back(micro_batch_of(rank, world, shard_tokens, part, parts));
  }
  return ranges;
}

}  // namespace duet
