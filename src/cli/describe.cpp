#include "cli/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace duet::cli {

std::string describe(const RunConfig& config) {
  return fmt::format("{} experts of {} -> {} -> {}, top-{}, {} tokens a rank, {} ranks (threads, cpu), {}",
                     config.model.experts, config.model.dim, config.model.hidden, config.model.dim, config.model.top_k,
                     fmt::join(config.data.tokens, "+"), config.layout.ranks, config.float64 ? "float64" : "float32");
}

}  // namespace duet::cli
