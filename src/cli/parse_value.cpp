#include "cli/parse_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/suggest.h"

namespace duet::cli {

namespace {

[[noreturn]] void refuse(const std::string& flag, const std::string& text, const std::string& takes) {
  throw InputError({.what = fmt::format("--{} is '{}'", flag, text),
                    .where = {},
                    .usually = {},
                    .fix = fmt::format("--{} takes {}", flag, takes)});
}

template <typename Number>
bool read_all(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::int64_t parse_integer(const std::string& flag, const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  if (!read_all(text, number) || number < least || number > most) {
    refuse(flag, text, fmt::format("a whole number from {} to {}", least, most));
  }
  return number;
}

double parse_real(const std::string& flag, const std::string& text, double least, double most) {
  double number = 0;
  if (!read_all(text, number) || !std::isfinite(number) || number < least || number > most) {
    refuse(flag, text, fmt::format("a number from {} to {}", least, most));
  }
  return number;
}

std::size_t parse_choice(const std::string& flag, const std::string& text, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == text) return i;
  }
  const auto meant = nearest(text, words);
  refuse(flag, text,
         fmt::format("{}{}", fmt::join(words, ", "), meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
}

bool parse_on_off(const std::string& flag, const std::string& text) {
  return parse_choice(flag, text, {"off", "on", "false", "true"}) % 2 == 1;
}

}  // namespace duet::cli
