#pragma once
/// Single tokens are nearly all of a line that has them, so they are read by a reader of their own, or passed over.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/record.h"

namespace duet::viz {

/// A step's line in two: JSON without its lists of tokens, and those lists.
struct CutLine {
  std::string rest;  ///< each list replaced by one token that has the list's number and nothing else
  std::vector<std::string_view> lists;
};

CutLine cut_tokens(std::string_view line);

/// Reads a list of tokens as trace/writer.h writes it. Nothing for a list in another form, with other keys or unknown
/// words, which is no error: trace/json_step.h reads those.
std::optional<std::vector<trace::TokenRoute>> read_tokens(std::string_view list);

}  // namespace duet::viz
