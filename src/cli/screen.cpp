#include "cli/screen.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace duet::cli {

namespace {

constexpr auto first_after = std::chrono::milliseconds(500);
constexpr auto between = std::chrono::milliseconds(150);
constexpr int bar_width = 24;

}  // namespace

// Under mpirun standard error is a pipe, at whose end may stand a terminal: the one who started it says so.
bool is_terminal(int file) {
  return isatty(file) == 1 || (file == STDERR_FILENO && std::getenv("DUET_STDERR_IS_TERMINAL") != nullptr);
}

bool has_colours(int file) {
  const char* const no_color = std::getenv("NO_COLOR");
  return is_terminal(file) && (no_color == nullptr || *no_color == '\0');
}

void Progress::update(std::string_view what, std::int64_t done, std::int64_t total, std::string_view more) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now - start_ < first_after || now - last_ < between) return;
  last_ = now;
  drawn_ = true;
  const auto seconds = std::chrono::duration<double>(now - start_).count();
  if (total > 0) {
    const auto filled = static_cast<std::size_t>(bar_width * done / total);
    fmt::print(stderr, "\r\033[K{} [{:<{}}] {} of {}  {:.0f} s  {}", what, std::string(filled, '='), bar_width, done,
               total, seconds, more);
  } else {
    fmt::print(stderr, "\r\033[K{}  step {}  {:.0f} s  {}", what, done, seconds, more);
  }
  std::fflush(stderr);
}

void Progress::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

}  // namespace duet::cli
