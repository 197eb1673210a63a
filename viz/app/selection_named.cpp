#include "viz/app/selection_named.h"

#include <cstdio>

#include "core/error.h"
#include "viz/model/flows.h"

namespace duet::viz {

Hit selection_named(const std::string& name, const Frame& frame) {
  long long first = 0, second = 0;
  char rest = 0;
  if (std::sscanf(name.c_str(), "rank:%lld%c", &first, &rest) == 1) return {Thing::rank, first, 0};
  if (std::sscanf(name.c_str(), "token:%lld:%lld%c", &first, &second, &rest) == 2) return {Thing::token, first, second};
  if (std::sscanf(name.c_str(), "expert:%lld%c", &first, &rest) == 1) {
    const auto* const step = frame.modes.empty() ? nullptr : frame.modes[frame.shown].step;
    const bool there = step != nullptr && !step->ranks.empty();
    return {Thing::expert, there ? owner_of(*step, frame.layer, 0, first) : 0, first};
  }
  throw InputError({.what = "--select is '" + name + "'",
                    .where = {},
                    .usually = {},
                    .fix = "write it as rank:1, expert:3 or token:0:17 (token 17 of rank 0)"});
}

}  // namespace duet::viz
