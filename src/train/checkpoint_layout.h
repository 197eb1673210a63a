#pragma once
/// What writing and reading a checkpoint file share: 8 bytes with the header's length, the header (JSON), the tensors'
/// bytes. All numbers are little-endian (docs/checkpoints.md).
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace duet {

constexpr std::size_t checkpoint_length_bytes = 8;
constexpr std::string_view checkpoint_format = "duet-checkpoint";
constexpr std::string_view no_checksum = "0000000000000000";  ///< what stands in its place while it is computed
constexpr const char* checkpoint_metadata = "__metadata__";

/// Bytes of a tensor; nothing when its type is not ours, or it is larger than any file.
std::optional<std::size_t> bytes_of_tensor(std::string_view dtype, const std::vector<std::int64_t>& sizes);

/// Where in the header the digits of `checksum` stand; npos when they do not.
std::size_t place_of_checksum(std::string_view header, std::string_view checksum);

/// The checksum of a header, with zeros where its own `digits` stand, and of the data. Empty when they stand nowhere.
std::string checkpoint_checksum(std::string header, std::string_view digits, const std::vector<std::string_view>& data);

}  // namespace duet
