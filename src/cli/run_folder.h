#pragma once
/// The folder that a run leaves. Nothing overwrites a run.
#include <filesystem>
#include <string>

namespace duet::cli {

/// Makes the folder of a new run: `out`, which must be new or empty, or else runs/VERB-DATE-TIME below the current
/// folder, with a number behind it when that is taken.
/// @throws InputError when it cannot be made or has something in it
std::filesystem::path make_run_folder(const std::string& verb, const std::string& out);

}  // namespace duet::cli
