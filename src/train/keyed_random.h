#pragma once
/// Random numbers by key: the same key gives the same numbers on every rank, layout and order of drawing.
///
/// Counter-based (Philox 4x32-10; Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"), through ATen's engine.
#include <cstdint>
#include <span>
#include <string_view>

namespace duet {

/// A 64-bit key from a seed and a name ("expert.3.w1", "tokens"), so that streams never meet.
std::uint64_t random_key(std::uint64_t seed, std::string_view name);

/// Fills `out` with standard normal numbers of the stream (key, index).
void fill_normal(std::uint64_t key, std::uint64_t index, std::span<double> out);

/// Fills `out` with uniform numbers in [low, high) of the stream (key, index).
void fill_uniform(std::uint64_t key, std::uint64_t index, double low, double high, std::span<double> out);

}  // namespace duet
