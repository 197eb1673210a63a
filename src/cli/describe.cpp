#include "cli/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace duet::cli {

std::string describe(const RunConfig& config) {
  return fmt::format("{} expert{} of {} -> {} -> {}, top-{}, {} tokens a rank, {} rank{} (threads, cpu), {}",
                     config.model.experts, config.model.experts == 1 ? "" : "s", config.model.dim, config.model.hidden,
                     config.model.dim, config.model.top_k, fmt::join(config.data.tokens, "+"), config.layout.ranks,
                     config.layout.ranks == 1 ? "" : "s", config.float64 ? "float64" : "float32");
}

}  // namespace duet::cli
