#include "moe/placement.h"

#include <fmt/format.h>

#include "core/error.h"

namespace duet {

Placement place_in_blocks(std::int64_t experts, int ranks) {
  if (experts < 1 || ranks < 1 || experts % ranks != 0) {
    throw InputError({.what = fmt::format("{} experts cannot be shared equally by {} ranks", experts, ranks),
                      .where = "the placement of experts on an expert-parallel group",
                      .usually = "--experts is not a multiple of the ranks that share them (--ep)",
                      .fix = fmt::format("use a multiple of {} experts, or a smaller --ep with --dp", ranks)});
  }
  return {experts, ranks};
}

}  // namespace duet
