#pragma once
/// What the system's file errors mean to a person.
#include <filesystem>
#include <string>

#include "core/error.h"

namespace duet {

/// @param what         what was tried, as a sentence: "cannot write the trace"
/// @param error_number errno, right after the call that failed
InputError file_error(const std::string& what, const std::filesystem::path& path, int error_number);

}  // namespace duet
