#pragma once
/// Files that appear whole or not at all: a crash or a full disk leaves what stood there before.
#include <filesystem>
#include <string_view>

namespace duet {

/// What becomes of a file that is given up before `commit`.
enum class Unfinished { remove, keep };
/// Whether the unfinished file is made, or goes on behind what it holds.
enum class Start { create, append };

/// Writes beside `path` and takes its name at the end. A path that is no regular file (/dev/stdout, a pipe) is written
/// to directly: nothing may replace it.
///
/// Every function throws InputError when the system refuses: a full disk, a folder that is not there or not ours.
class AtomicFile {
 public:
  /// @param suffix what the file's name ends in until `commit`; no file of that name may exist, but with Start::append
  AtomicFile(std::filesystem::path path, std::string_view suffix, Unfinished unfinished, Start start = Start::create);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends; what was written is the system's when this returns, and survives the end of the process.
  void write(std::string_view text);
  /// Waits until the disk has it, then renames it. Nothing may be written after that.
  void commit();

 private:
  [[noreturn]] void fail(const char* what, int error_number) const;

  std::filesystem::path path_;
  std::filesystem::path partial_;  ///< empty: written to directly
  Unfinished unfinished_;
  int file_ = -1;
};

/// Writes a whole file: afterwards it holds `text`, or what it held before and InputError is thrown.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace duet
