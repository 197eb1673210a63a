#pragma once
/// A step as the JSON object of one line of a trace, and back (docs/trace.md).
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "trace/record.h"

namespace duet::trace {

/// Whether lists and objects stand in one another deeper than any trace needs. Copying and printing a value goes down
/// into it by recursion, and 100,000 levels would end the program: ask before parsing a line.
bool too_deep(std::string_view text);

/// @param start_ns subtracted from every time
nlohmann::ordered_json step_to_json(const StepRecord& step, std::int64_t start_ns);

/// How to read words that this program does not know: those of a newer minor version are left out.
enum class UnknownWords { refuse, leave_out };

/// Keys that it does not know are ignored. Throws nlohmann's exceptions or std::invalid_argument, both
/// std::exception, for what is no step.
StepRecord step_from_json(const nlohmann::ordered_json& line, UnknownWords unknown);

}  // namespace duet::trace
