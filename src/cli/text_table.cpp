#include "cli/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace duet::cli {

namespace {

// Characters, not bytes: every byte of UTF-8 but the first of a character starts with the bits 10.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padding(std::size_t width, const std::string& text) {
  return std::string(width > width_of(text) ? width - width_of(text) : 0, ' ');
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    if (row.size() == 1) continue;
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line = row.empty() ? "" : row[0];
    if (row.size() > 1) line += padding(widths[0], row[0]);
    for (std::size_t i = 1; i < row.size(); ++i) line += "  " + padding(widths[i], row[i]) + row[i];
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string grouped(double number, int decimals) {
  if (!std::isfinite(number)) return fmt::format("{}", number);
  if (std::abs(number) < 100) return fmt::format("{:.{}f}", number, decimals);
  auto digits = fmt::format("{:.0f}", std::abs(number));
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  }
  return (number < 0 ? "-" : "") + digits;
}

std::string wrapped(const std::string& text, std::size_t width) {
  std::stringstream words(text);
  std::string lines;
  std::size_t used = 0;
  for (std::string word; words >> word;) {
    const bool fits = used + 1 + width_of(word) <= width;
    if (used > 0) lines += fits ? " " : "\n";
    used = (used > 0 && fits ? used + 1 : 0) + width_of(word);
    lines += word;
  }
  return lines;
}

std::string sparkline(std::span<const double> values, std::size_t width) {
  static constexpr std::array marks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](double v) { return std::isfinite(v); });
  if (finite.empty()) return {};
  const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  std::string line;
  const auto points = std::min(width, finite.size());
  for (std::size_t i = 0; i < points; ++i) {
    const double value = finite[points == 1 ? 0 : i * (finite.size() - 1) / (points - 1)];
    const double height = *high > *low ? (value - *low) / (*high - *low) : 0;
    line += marks[static_cast<std::size_t>(std::lround(height * (marks.size() - 1)))];
  }
  return line;
}

}  // namespace duet::cli
