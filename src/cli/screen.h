#pragma once
/// What the program says beside its results: colours and the progress line, on a terminal only.
#include <chrono>
#include <cstdint>
#include <string_view>

namespace duet::cli {

/// Whether `file` (1 stdout, 2 stderr) is a terminal on which colours are welcome (https://no-color.org).
bool has_colours(int file);
bool is_terminal(int file);

/// One line on stderr, rewritten in place a few times a second; erased at the end.
class Progress {
 public:
  /// @param shown false: says nothing ever (--quiet, --json, or no terminal)
  explicit Progress(bool shown) : shown_(shown) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `total` 0: unknown.
  void update(std::string_view what, std::int64_t done, std::int64_t total, std::string_view more = {});
  void clear();

 private:
  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace duet::cli
