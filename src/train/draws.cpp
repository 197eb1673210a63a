#include "train/draws.h"

#include <fmt/format.h>

#include "train/keyed_random.h"

namespace duet {

namespace {

// One row a token, each from its own stream. `fill` takes the key, the token and the row.
template <typename Fill>
at::Tensor rows_by_token(const ShardRange& shards, std::int64_t width, Fill fill) {
  auto rows = at::empty({shards.local_tokens(), width}, at::kDouble);
  auto* const values = rows.data_ptr<double>();
  for (std::int64_t t = 0; t < rows.size(0); ++t) {
    fill(static_cast<std::uint64_t>(shards.first_token + t),
         std::span<double>(values + t * width, static_cast<std::size_t>(width)));
  }
  return rows;
}

}  // namespace

RouterDraws draw_router(const RunConfig& config, std::int64_t step, std::int64_t layer, const ShardRange& shards,
                        const at::TensorOptions& options) {
  const auto& model = config.model;
  const auto key = [&](const char* name) {
    return random_key(config.data.seed, fmt::format("{}.{}.{}", name, layer, step));
  };
  RouterDraws draws;
  if (const double j = model.router_jitter; j > 0) {
    const auto uniform = [k = key("jitter"), j](auto token, auto row) { fill_uniform(k, token, 1 - j, 1 + j, row); };
    draws.jitter = rows_by_token(shards, model.dim, uniform).to(options);
  }
  if (model.router_noise > 0) {
    const auto normal = [k = key("noise")](auto token, auto row) { fill_normal(k, token, row); };
    draws.noise = rows_by_token(shards, model.experts, normal).mul_(model.router_noise).to(options);
  }
  if (model.drop == DropPolicy::random && model.capacity_factor != "none") {
    const auto uniform = [k = key("drop")](auto token, auto row) { fill_uniform(k, token, 0, 1, row); };
    draws.drop = rows_by_token(shards, model.top_k, uniform).to(options.device());
  }
  return draws;
}

}  // namespace duet
