#include "core/file_error.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace duet {

namespace {

struct Cause {
  int error_number;
  const char* usually;
  const char* fix;
};

constexpr std::array causes{
    Cause{ENOSPC, "the disk is full", "free some space, or choose a folder on another disk"},
    Cause{EDQUOT, "your share of the disk is used up", "free some space, or choose a folder on another disk"},
    Cause{EFBIG, "the file would pass a size limit of the file system or of the shell (ulimit -f)",
          "raise the limit, or choose a folder on another disk"},
    Cause{EROFS, "the disk is mounted read-only", "choose a folder that you may write to"},
    Cause{EACCES, "the file or a folder above it belongs to someone else", "choose a path that is yours"},
    Cause{EPERM, "the file or a folder above it is protected", "choose a path that is yours"},
    Cause{ENOENT, "a folder of the path, or the file itself, does not exist", "check the spelling of the path"},
    Cause{ENOTDIR, "a part of the path is a file, not a folder", "check the spelling of the path"},
    Cause{EISDIR, "the path is a folder, not a file", "add the file's name to the path"},
    Cause{EEXIST, "an earlier run left it there", "choose another path, or remove the file if you no longer need it"},
};

}  // namespace

InputError file_error(const std::string& what, const std::filesystem::path& path, int error_number) {
  ErrorText text{.what = fmt::format("{}: {}", what, std::generic_category().message(error_number)),
                 .where = path.string(),
                 .usually = {},
                 .fix = {}};
  for (const auto& cause : causes) {
    if (cause.error_number != error_number) continue;
    text.usually = cause.usually;
    text.fix = cause.fix;
  }
  return InputError(text);
}

}  // namespace duet
