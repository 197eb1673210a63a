#pragma once
/// The folder that a run leaves. Nothing overwrites a run.
#include <filesystem>
#include <string>

namespace duet::cli {

/// Makes the folder of a new run: `out`, which must be new or empty, or else runs/VERB-DATE-TIME below the current
/// folder, with a number behind it when that is taken.
/// @throws InputError when it cannot be made or has something in it
std::filesystem::path make_run_folder(const std::string& verb, const std::string& out);

/// Keeps other processes from writing to a run's folder for as long as it lives. The system takes it back when the
/// process ends, however it ends.
class FolderLock {
 public:
  /// @throws InputError when another process holds the folder's lock, or it is no folder
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace duet::cli
