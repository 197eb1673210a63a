#include "core/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/file_error.h"

namespace duet {

namespace {

namespace fs = std::filesystem;

bool is_special(const fs::path& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// A link to a file stays a link: the file it names is the one replaced.
fs::path behind_links(fs::path path) {
  std::error_code failed;
  if (!fs::is_symlink(path, failed)) return path;
  auto target = fs::canonical(path, failed);
  return failed ? path : target;
}

// Pipes and devices have nothing to flush.
bool cannot_flush(int error_number) { return error_number == EINVAL || error_number == ENOTSUP; }

// A rename is on the disk only when its folder is. Some file systems cannot do it; the file itself is safe by then.
void flush_folder_of(const fs::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

AtomicFile::AtomicFile(fs::path path, std::string_view suffix, Unfinished unfinished, Start start)
    : path_(behind_links(std::move(path))), unfinished_(unfinished) {
  if (std::error_code ignored; fs::is_directory(path_, ignored)) fail("cannot write the file", EISDIR);
  if (is_special(path_)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    partial_ = path_.string().append(suffix);
    const int how = start == Start::create ? O_CREAT | O_EXCL : O_APPEND;
    file_ = ::open(partial_.c_str(), O_WRONLY | O_CLOEXEC | how, 0666);
  }
  if (file_ < 0) fail("cannot write the file", errno);
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  ::close(std::exchange(file_, -1));
  if (unfinished_ == Unfinished::remove && !partial_.empty()) ::unlink(partial_.c_str());
}

void AtomicFile::fail(const char* what, int error_number) const {
  throw file_error(what, error_number == EEXIST ? partial_ : path_, error_number);
}

void AtomicFile::write(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(file_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write the file", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (::fsync(file_) != 0 && !cannot_flush(errno)) fail("cannot write the file to the disk", errno);
  if (!partial_.empty() && ::rename(partial_.c_str(), path_.c_str()) != 0) fail("cannot name the file", errno);
  ::close(std::exchange(file_, -1));
  if (!partial_.empty()) flush_folder_of(path_);
}

void write_file(const fs::path& path, std::string_view text) {
  // The thread's number keeps two writers of one path apart.
  AtomicFile file(path, fmt::format(".{}.partial", ::gettid()), Unfinished::remove);
  file.write(text);
  file.commit();
}

}  // namespace duet
