#include "train/checkpoint_layout.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

namespace duet {

namespace {

static_assert(std::endian::native == std::endian::little, "the file's numbers are little-endian");

std::size_t width_of(std::string_view dtype) {
  if (dtype == "F32") return 4;
  return dtype == "F64" || dtype == "I64" ? 8 : 0;
}

// FNV-1a, 64 bits. An altered byte always changes it.
class Checksum {
 public:
  void add(std::string_view bytes) {
    for (const unsigned char byte : bytes) sum_ = (sum_ ^ byte) * 0x100000001b3U;
  }
  std::string text() const { return fmt::format("{:016x}", sum_); }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325U;
};

}  // namespace

std::optional<std::size_t> bytes_of_tensor(std::string_view dtype, const std::vector<std::int64_t>& sizes) {
  std::uint64_t bytes = width_of(dtype);
  if (bytes == 0) return {};
  for (const auto size : sizes) {
    const auto factor = static_cast<std::uint64_t>(size);
    if (size < 0 || (factor != 0 && bytes > std::numeric_limits<std::int64_t>::max() / factor)) return {};
    bytes *= factor;
  }
  return bytes;
}

std::size_t place_of_checksum(std::string_view header, std::string_view checksum) {
  const auto entry = fmt::format("\"checksum\":\"{}\"", checksum);
  const auto start = header.find(entry);
  return start == std::string_view::npos ? start : start + entry.size() - 1 - checksum.size();
}

std::string checkpoint_checksum(std::string header, std::string_view digits,
                                const std::vector<std::string_view>& data) {
  const auto place = place_of_checksum(header, digits);
  if (place == std::string::npos || digits.size() != no_checksum.size()) return {};
  header.replace(place, no_checksum.size(), no_checksum);
  Checksum sum;
  sum.add(header);
  for (const auto& part : data) sum.add(part);
  return sum.text();
}

}  // namespace duet
