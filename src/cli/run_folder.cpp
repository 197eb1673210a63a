#include "cli/run_folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "core/error.h"
#include "core/file_error.h"

namespace duet::cli {

namespace {

namespace fs = std::filesystem;

fs::path chosen(const fs::path& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (error) throw file_error("cannot make the run's folder", out, error.value());
  if (!fs::is_empty(out, error) || error) {
    if (error) throw file_error("cannot look into the run's folder", out, error.value());
    throw InputError({.what = fmt::format("{} has something in it", out.string()),
                      .where = "--out",
                      .usually = "an earlier run is there, and nothing overwrites a run",
                      .fix = "give another folder, or leave --out away"});
  }
  return out;
}

}  // namespace

fs::path make_run_folder(const std::string& verb, const std::string& out) {
  if (!out.empty()) return chosen(out);
  const fs::path runs("runs");
  std::error_code error;
  fs::create_directories(runs, error);
  if (error) throw file_error("cannot make the folder for runs", runs, error.value());
  const auto now = fmt::localtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  const auto name = fmt::format("{}-{:%Y%m%d-%H%M%S}", verb, now);
  for (int number = 1;; ++number) {
    auto folder = runs / (number == 1 ? name : fmt::format("{}-{}", name, number));
    if (fs::create_directory(folder, error)) return folder;  // false when another run has just taken it
    if (error) throw file_error("cannot make the run's folder", folder, error.value());
  }
}

FolderLock::FolderLock(const fs::path& folder) : file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (file_ < 0) throw file_error("cannot open the run's folder", folder, errno);
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;  // some file systems have no locks
  ::close(file_);
  throw InputError({.what = "another process is writing to this run",
                    .where = folder.string(),
                    .usually = "the run that you want to go on with has not ended",
                    .fix = "wait for it, end it with Ctrl-C, or give a folder of your own with --out"});
}

FolderLock::~FolderLock() { ::close(file_); }

}  // namespace duet::cli
