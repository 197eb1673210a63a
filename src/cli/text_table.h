#pragma once
/// Figures as text that a person can read and paste.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace duet::cli {

/// Rows of cells in columns: the first column to the left, the others to the right. A row of one cell is a heading.
class TextTable {
 public:
  void add(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// 12345.67 as "12,346"; below 100 with `decimals`.
std::string grouped(double number, int decimals = 1);

/// Lines of at most `width` characters, broken at spaces.
std::string wrapped(const std::string& text, std::size_t width = 100);

/// A curve of at most `width` characters, from the lowest value to the highest; empty without finite values.
std::string sparkline(std::span<const double> values, std::size_t width = 20);

}  // namespace duet::cli
