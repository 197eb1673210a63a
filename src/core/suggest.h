#pragma once
/// "Did you mean": the nearest of the known words.
#include <string>
#include <string_view>
#include <vector>

namespace duet {

/// The known word with the smallest edit distance to `word`, or empty when none is near enough to be meant.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace duet
