#include "comm/add_rows.h"

#include <algorithm>

namespace duet::comm {

namespace {

template <typename T>
void add_as(std::byte* into, const std::byte* from, std::int64_t values) {
  auto* const to = reinterpret_cast<T*>(into);
  const auto* const add = reinterpret_cast<const T*>(from);
  for (std::int64_t i = 0; i < values; ++i) to[i] = static_cast<T>(to[i] + add[i]);
}

}  // namespace

Chunk chunk_of(std::int64_t values, int parts, int index) {
  const auto each = values / parts;
  const auto longer = values % parts;
  return {.start = index * each + std::min<std::int64_t>(index, longer), .size = each + (index < longer ? 1 : 0)};
}

void add_values(DType dtype, std::byte* into, const std::byte* from, std::int64_t values) {
  switch (dtype) {
    case DType::u8:
      return add_as<std::uint8_t>(into, from, values);
    case DType::i64:
      return add_as<std::int64_t>(into, from, values);
    case DType::f32:
      return add_as<float>(into, from, values);
    case DType::f64:
      return add_as<double>(into, from, values);
  }
}

}  // namespace duet::comm
