#include "train/config.h"

#include <fmt/format.h>

#include "core/error.h"

namespace duet {

std::vector<std::int64_t> shard_sizes(const RunConfig& config) {
  const auto& data = config.data;
  const auto a_rank = config.layout.ranks * config.accumulate;
  const auto shards = static_cast<std::size_t>(data.shards == 0 ? a_rank : data.shards);
  if (data.tokens.size() == 1) return std::vector<std::int64_t>(shards, data.tokens.front());
  if (data.tokens.size() != shards) {
    throw InputError({.what = fmt::format("{} token counts for {} shards", data.tokens.size(), shards),
                      .where = "--tokens, --shards",
                      .usually = "--tokens takes one number for every shard, or one for each",
                      .fix = fmt::format("give 1 or {} numbers", shards)});
  }
  return data.tokens;
}

const char* name(Mode mode) {
  switch (mode) {
    case Mode::ep:
      return "ep";
    case Mode::dp:
      return "dp";
    case Mode::single:
      break;
  }
  return "single";
}

const char* name(DeviceKind device) {
  switch (device) {
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::cuda:
      return "cuda";
    case DeviceKind::automatic:
      break;
  }
  return "auto";
}

}  // namespace duet
