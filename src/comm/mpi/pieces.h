#pragma once
/// A long message as several that MPI can count: an int holds 2^31 - 1.
#include <cstddef>
#include <cstdint>
#include <span>

namespace duet::comm {

/// How many messages `bytes` bytes travel in, none longer than `largest`: one at least, as an empty message is one.
std::int64_t piece_count(std::size_t bytes, std::int64_t largest);

/// Piece `index` of them: all of `largest` bytes, but the last.
template <typename Byte>
std::span<Byte> piece_of(std::span<Byte> bytes, std::int64_t largest, std::int64_t index) {
  const auto start = static_cast<std::size_t>(index * largest);
  const auto rest = bytes.size() - start;
  return bytes.subspan(start, rest < static_cast<std::size_t>(largest) ? rest : static_cast<std::size_t>(largest));
}

}  // namespace duet::comm
