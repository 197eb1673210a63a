#include "train/keyed_random.h"

#include <ATen/core/PhiloxRNGEngine.h>

#include <cmath>
#include <numbers>

namespace duet {

namespace {

// In (0, 1): the half keeps 0 out, whose logarithm is infinite.
double unit(at::Philox4_32& engine) { return (static_cast<double>(engine()) + 0.5) * 0x1p-32; }

}  // namespace

std::uint64_t random_key(std::uint64_t seed, std::string_view name) {
  // FNV-1a over the name, then the finaliser of splitmix64, so that near seeds give far keys.
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  std::uint64_t key = hash + 0x9e3779b97f4a7c15ULL * (seed + 1);
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9ULL;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebULL;
  return key ^ (key >> 31);
}

void fill_normal(std::uint64_t key, std::uint64_t index, std::span<double> out) {
  at::Philox4_32 engine(key, index);
  for (std::size_t i = 0; i < out.size(); i += 2) {  // Box and Muller's pair
    const double radius = std::sqrt(-2 * std::log(unit(engine)));
    const double angle = 2 * std::numbers::pi * unit(engine);
    out[i] = radius * std::cos(angle);
    if (i + 1 < out.size()) out[i + 1] = radius * std::sin(angle);
  }
}

void fill_uniform(std::uint64_t key, std::uint64_t index, double low, double high, std::span<double> out) {
  at::Philox4_32 engine(key, index);
  for (auto& value : out) value = low + (high - low) * unit(engine);
}

}  // namespace duet
