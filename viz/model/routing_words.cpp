#include <fmt/format.h>

#include "viz/model/routing_bands.h"
#include "viz/model/routing_layout.h"
#include "viz/model/token_path.h"

namespace duet::viz {

std::string tell_routing(const trace::StepRecord& step, std::size_t layer, Hit hit) {
  std::vector<Flow> meant;
  for (const auto& flow : flows_of(step, layer)) {
    if (!fades(hit, flow)) meant.push_back(flow);
  }
  const auto [pairs, dropped] = total_of(meant);
  const auto lost = dropped == 0
                        ? std::string("none dropped")
                        : fmt::format("{} dropped: {}", dropped, words_of(layer_of(step, 0, layer)->drop_reason));
  switch (hit.thing) {
    case Thing::rank:
      return fmt::format("rank {} has {} pairs (token, choice); {}", hit.a, pairs, lost);
    case Thing::expert:
      return fmt::format("expert {} on rank {} was chosen {} times; {}", hit.b, hit.a, pairs, lost);
    case Thing::ribbon:
    case Thing::drop:
      if (hit.a < 0 || hit.a >= std::ssize(step.ranks)) return "";
      return fmt::format("rank {} chose expert {} (on rank {}) {} times; {}", hit.a, hit.b,
                         owner_of(step, layer, static_cast<int>(hit.a), hit.b), pairs, lost);
    case Thing::token:
      return fmt::format("token {} of rank {}", hit.b, hit.a);
    default:
      return "";
  }
}

}  // namespace duet::viz
