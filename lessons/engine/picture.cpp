#include "picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "trial.h"

namespace duet::lessons {

namespace {

constexpr std::int64_t most_rows = 12;
constexpr std::int64_t most_columns = 8;
constexpr std::int64_t most_columns_beside = 4;  // of two tables side by side

// A tensor seen as rows: a list is a column, a number one row of one.
at::Tensor as_rows(const at::Tensor& tensor) {
  if (tensor.dim() == 0) return tensor.reshape({1, 1});
  return tensor.reshape({tensor.size(0), tensor.numel() == 0 ? std::int64_t{tensor.size(0) == 0 ? 1 : 0} : -1});
}

std::string row_text(const at::Tensor& row, std::int64_t most, std::size_t width, int digits = 4) {
  std::string text;
  for (std::int64_t i = 0; i < std::min(row.size(0), most); ++i)
    text += fmt::format(" {:>{}}", cell(row[i], digits), width);
  return row.size(0) > most ? text + " .." : text;
}

std::size_t cell_width(const at::Tensor& rows, std::int64_t most, int digits = 4) {
  std::size_t width = 1;
  for (std::int64_t i = 0; i < std::min(rows.size(0), most_rows); ++i) {
    for (std::int64_t j = 0; j < std::min(rows.size(1), most); ++j)
      width = std::max(width, cell(rows[i][j], digits).size());
  }
  return width;
}

std::string label_of(const Labels& labels, std::int64_t row) {
  const auto i = static_cast<std::size_t>(row);
  return i < labels.rows.size() ? labels.rows[i] : fmt::format("{} {}", labels.row, row);
}

std::size_t label_width(const Labels& labels, std::int64_t rows) {
  std::size_t width = 0;
  for (std::int64_t i = 0; i < std::min(rows, most_rows); ++i) width = std::max(width, label_of(labels, i).size());
  return width;
}

// Whether some row differs that four digits show alike.
bool hides_a_difference(const at::Tensor& left, const at::Tensor& right, std::int64_t most) {
  for (std::int64_t i = 0; i < std::min(left.size(0), most_rows); ++i) {
    if (!nearly_equal(left[i], right[i]) && row_text(left[i], most, 0) == row_text(right[i], most, 0)) return true;
  }
  return false;
}

std::string heading(const std::string& title, const at::Tensor& tensor) {
  return fmt::format("  {} [{}]", title, fmt::join(tensor.sizes(), ", "));
}

std::string column_names(const at::Tensor& rows, const Labels& labels, std::size_t indent, std::size_t width) {
  if (labels.column.empty() || rows.size(1) == 0) return "";
  std::string names;
  for (std::int64_t j = 0; j < std::min(rows.size(1), most_columns); ++j) names += fmt::format(" {:>{}}", j, width);
  return fmt::format("{:{}}{} <- {}\n", "", indent, names, labels.column);
}

std::string rest_of(std::int64_t rows) {
  return rows > most_rows ? fmt::format("    .. and {} more\n", rows - most_rows) : "";
}

}  // namespace

std::string cell(const at::Tensor& value, int digits) {
  if (value.scalar_type() == at::kBool) return value.item<bool>() ? "yes" : "no";
  if (!at::isFloatingType(value.scalar_type())) return fmt::format("{}", value.item<std::int64_t>());
  const auto number = value.item<double>();
  return fmt::format("{:.{}g}", number == 0 ? 0.0 : number, digits);  // no -0
}

std::string draw(const std::string& title, const at::Tensor& tensor, const Labels& labels) {
  const auto rows = as_rows(tensor);
  if (rows.numel() == 0) return heading(title, tensor) + ": nothing\n";
  const auto width = cell_width(rows, most_columns);
  const auto indent = label_width(labels, rows.size(0));
  auto text = heading(title, tensor) + "\n" + column_names(rows, labels, indent + 6, width);
  for (std::int64_t i = 0; i < std::min(rows.size(0), most_rows); ++i) {
    text += fmt::format("    {:<{}} |{}\n", label_of(labels, i), indent, row_text(rows[i], most_columns, width));
  }
  return text + rest_of(rows.size(0));
}

std::string compare(const std::string& title, const at::Tensor& expected, const at::Tensor& given,
                    const Labels& labels) {
  const auto left = as_rows(expected);
  const auto right = as_rows(given);
  if (left.numel() == 0) return draw(title, given, labels);
  const auto most = left.size(1) > most_columns_beside ? most_columns_beside : left.size(1);
  const int digits = hides_a_difference(left, right, most) ? 10 : 4;
  const auto width = std::max(cell_width(left, most, digits), cell_width(right, most, digits));
  const auto indent = label_width(labels, left.size(0));
  const auto side = std::max<std::size_t>(8, row_text(left[0], most, width, digits).size());
  auto text =
      heading(title, expected) + "\n" + fmt::format("    {:<{}} | {:<{}} | yours\n", "", indent, "expected", side);
  for (std::int64_t i = 0; i < std::min(left.size(0), most_rows); ++i) {
    const bool same = nearly_equal(left[i], right[i]);
    text += fmt::format("    {:<{}} |{:<{}}  |{}{}\n", label_of(labels, i), indent, row_text(left[i], most, width),
                        side, row_text(right[i], most, width, digits), same ? "" : "   <- differs");
  }
  return text + rest_of(left.size(0));
}

std::string wrap(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  std::string wrapped;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(' ')) {
      wrapped += line + "\n";
      continue;
    }
    std::istringstream words(line);
    std::string current;
    for (std::string word; words >> word;) {
      if (!current.empty() && current.size() + 1 + word.size() > width) {
        wrapped += current + "\n";
        current.clear();
      }
      current += current.empty() ? word : " " + word;
    }
    wrapped += current + "\n";
  }
  return wrapped;
}

}  // namespace duet::lessons
