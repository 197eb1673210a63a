#include "cli/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace duet::cli {

std::string describe(const RunConfig& config) {
  const auto& model = config.model;
  const auto layers = model.layers == 1 ? "" : fmt::format("{} layers of ", model.layers);
  const auto shards = config.data.shards == 0 && config.accumulate == 1 ? "a rank" : "a shard";
  return fmt::format("{}{} {}expert{} of {} -> {} -> {}, top-{}, {} tokens {}, {} rank{} ({}, cpu), {}", layers,
                     model.experts, model.expert == ExpertKind::swiglu ? "SwiGLU " : "", model.experts == 1 ? "" : "s",
                     model.dim, model.hidden, model.dim, model.top_k, fmt::join(config.data.tokens, "+"), shards,
                     config.layout.ranks, config.layout.ranks == 1 ? "" : "s", comm::name(config.transport),
                     config.float64 ? "float64" : "float32");
}

}  // namespace duet::cli
