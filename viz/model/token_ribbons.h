#pragma once
/// The routing picture's single tokens: a thin band for each (token, choice) pair in sight, and the whole way of the
/// one that is selected.
#include "viz/model/routing_bands.h"
#include "viz/model/token_path.h"

namespace duet::viz {

/// From so many pixels a pair on, single tokens are drawn instead of ribbons.
constexpr float single_pair_height = 3;

/// Bands, crosses, and the tokens' numbers left of the ranks' boxes.
///
/// @param tokens the record with its single tokens, whose counts `space` was made from
/// @param pinned what of it is selected fades the rest
Shapes lay_out_tokens(const trace::StepRecord& tokens, std::size_t layer, const RoutingSpace& space, Hit pinned,
                      Stop stop, float line);

/// The selected token's pairs: out to their experts, and back with their gates; or to where they were dropped. Those
/// out of sight are left out.
Shapes lay_out_token_path(const TokenPath& path, const RoutingSpace& space, Stop stop, float line);

}  // namespace duet::viz
