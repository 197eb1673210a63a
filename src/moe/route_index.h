#pragma once
/// Top-1 routing in one pass over the logits: the arithmetic of moe/route.cu, as moe/permute_index.h has it.
///
/// Tokens are cut into tiles, a block each. Positions within an expert are found in a tile first and then moved behind
/// those of the earlier tiles, so they follow token order whatever order the blocks run in: no atomics.
#include <cmath>
#include <cstdint>

#include "core/host_device.h"

namespace duet::route_top1 {

constexpr int tile_tokens = 256;

inline std::int64_t tiles_of(std::int64_t tokens) { return (tokens + tile_tokens - 1) / tile_tokens; }

template <typename T>
struct RouteTop1 {
  const T* logits;  ///< [T, E]
  const T* bias;    ///< [E], added to the probabilities to choose, not to weigh; or null
  std::int64_t tokens;
  std::int64_t experts;
  T* probs;                  ///< [T, E], written: softmax
  std::int64_t* expert;      ///< [T], written: the most probable; a tie goes to the lowest index
  T* gate;                   ///< [T], written: its probability
  std::int64_t* position;    ///< [T], written: how many earlier tokens chose the same expert
  std::int64_t* summary;     ///< [E + 1], written: tokens of each expert, then the first token whose logits are not
                             ///< all finite (T: none). One small copy tells the host all that it has to know
  std::int64_t* tile_parts;  ///< [tiles, E + 1], working memory: the same of each tile, then what lies before it

  /// Softmax and choice of one token. A logit that is not finite leaves a choice inside [0, E).
  DUET_HOST_DEVICE void choose(std::int64_t token) const {
    const T* const own = logits + token * experts;
    T* const prob = probs + token * experts;
    T largest = own[0];
    for (std::int64_t e = 1; e < experts; ++e) largest = own[e] > largest ? own[e] : largest;
    T sum = 0;
    for (std::int64_t e = 0; e < experts; ++e) sum += prob[e] = std::exp(own[e] - largest);
    std::int64_t best = 0;
    T best_score = 0;
    for (std::int64_t e = 0; e < experts; ++e) {
      prob[e] /= sum;
      const T score = bias == nullptr ? prob[e] : prob[e] + bias[e];
      if (e > 0 && !(score > best_score)) continue;
      best = e;
      best_score = score;
    }
    expert[token] = best;
    gate[token] = prob[best];
  }

  /// How many tokens before it in its tile chose the same expert. After `choose` of the whole tile.
  DUET_HOST_DEVICE void place(std::int64_t token) const {
    std::int64_t earlier = 0;
    for (std::int64_t other = token / tile_tokens * tile_tokens; other < token; ++other) {
      earlier += expert[other] == expert[token] ? 1 : 0;
    }
    position[token] = earlier;
  }

  /// One number of a tile's part: tokens of expert `e`, or for e = E its first bad token. After `choose` of the tile.
  DUET_HOST_DEVICE void count(std::int64_t tile, std::int64_t e) const {
    const std::int64_t first = tile * tile_tokens;
    const std::int64_t last = first + tile_tokens < tokens ? first + tile_tokens : tokens;
    std::int64_t found = e == experts ? tokens : 0;
    for (std::int64_t token = first; token < last; ++token) {
      if (e < experts) {
        found += expert[token] == e ? 1 : 0;
      } else if (found == tokens && !all_finite(token)) {
        found = token;
      }
    }
    tile_parts[tile * (experts + 1) + e] = found;
  }

  /// Adds expert `e` up over the tiles, leaving in each what lies before it; for e = E the first bad token of all.
  DUET_HOST_DEVICE void total(std::int64_t tiles, std::int64_t e) const {
    std::int64_t sum = e == experts ? tokens : 0;
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      std::int64_t& part = tile_parts[tile * (experts + 1) + e];
      const std::int64_t own = part;
      part = sum;
      sum = e < experts ? sum + own : (own < sum ? own : sum);
    }
    summary[e] = sum;
  }

  /// Moves a token behind those of the earlier tiles. After `total` of all experts.
  DUET_HOST_DEVICE void shift(std::int64_t token) const {
    position[token] += tile_parts[token / tile_tokens * (experts + 1) + expert[token]];
  }

 private:
  DUET_HOST_DEVICE bool all_finite(std::int64_t token) const {
    for (std::int64_t e = 0; e < experts; ++e) {
      const T logit = logits[token * experts + e];
      if (!(logit - logit == 0)) return false;  // NaN and infinity are not equal to themselves minus themselves
    }
    return true;
  }
};

}  // namespace duet::route_top1
