#pragma once
/// Reads the value of a flag. All throw InputError that names the flag and what it takes.
#include <cstdint>
#include <string>
#include <vector>

namespace duet::cli {

std::int64_t parse_integer(const std::string& flag, const std::string& text, std::int64_t least, std::int64_t most);

/// A finite number in [least, most].
double parse_real(const std::string& flag, const std::string& text, double least, double most);

/// The place of `text` among `words`; otherwise the error names the nearest.
std::size_t parse_choice(const std::string& flag, const std::string& text, const std::vector<std::string>& words);

/// "on" or "off"; "true" and "false" too, as TOML says it.
bool parse_on_off(const std::string& flag, const std::string& text);

}  // namespace duet::cli
