#include "trace/report_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "trace/html.h"
#include "trace/modes.h"

namespace duet::trace {

namespace {

using Matrix = std::map<int, std::vector<std::int64_t>>;  // by rank: pairs of each expert

constexpr double left = 70, row_height = 30, head = 24;
constexpr double strongest = 0.5;  // so that numbers stay readable on every colour

void add(Matrix& matrix, const StepRecord& step, std::size_t layer) {
  for (const auto& rank : step.ranks) {
    if (layer >= rank.layers.size()) continue;
    const auto& counts = rank.layers[layer].tokens_per_expert;
    auto& row = matrix[rank.rank];
    row.resize(std::max(row.size(), counts.size()));
    for (std::size_t e = 0; e < counts.size(); ++e) row[e] += counts[e];
  }
}

std::int64_t sum(const std::vector<std::int64_t>& row) {
  return std::accumulate(row.begin(), row.end(), std::int64_t{0});
}

// `strength` 0 to 1 is the colour's.
std::string cell(double x, double y, double width, std::int64_t count, double strength, const std::string& title) {
  return fmt::format(
      "<g><title>{}</title><rect class=\"heat\" fill-opacity=\"{:.3f}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
      "height=\"{:.1f}\"/><text class=\"middle strong\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
      escape(title), strength * strongest, x, y, width - 3, row_height - 3, x + width / 2 - 1.5, y + row_height / 2 + 3,
      with_commas(count));
}

std::string row_cells(const std::string& name, const std::vector<std::int64_t>& row, double y, double width,
                      std::int64_t largest) {
  std::string out = fmt::format("<text x=\"4\" y=\"{:.1f}\">{}</text>\n", y + row_height / 2 + 3, name);
  const auto total = std::max<std::int64_t>(sum(row), 1);
  for (std::size_t e = 0; e < row.size(); ++e) {
    const auto share = 100 * static_cast<double>(row[e]) / static_cast<double>(total);
    out += cell(left + width * static_cast<double>(e), y, width, row[e],
                static_cast<double>(row[e]) / static_cast<double>(largest),
                fmt::format("{} to expert {}: {} pairs, {:.1f}% of the row", name, e, with_commas(row[e]), share));
  }
  return out;
}

std::string heat_map(const Matrix& matrix, const std::string& caption) {
  std::size_t experts = 0;
  std::int64_t largest = 1, most = 0;
  for (const auto& [rank, row] : matrix) {
    experts = std::max(experts, row.size());
    for (const auto count : row) largest = std::max(largest, count);
    most += sum(row);
  }
  const double width = std::max(74.0, 22 + 8.0 * static_cast<double>(with_commas(most).size()));
  std::string shapes;
  for (std::size_t e = 0; e < experts; ++e) {
    shapes += fmt::format("<text class=\"middle\" x=\"{:.1f}\" y=\"16\">expert {}</text>\n",
                          left + width * (static_cast<double>(e) + 0.5) - 1.5, e);
  }
  double y = head;
  std::vector<std::int64_t> all(experts);
  for (const auto& [rank, row] : matrix) {
    shapes += row_cells(fmt::format("rank {}", rank), row, y, width, largest);
    for (std::size_t e = 0; e < row.size(); ++e) all[e] += row[e];
    y += row_height;
  }
  if (matrix.size() > 1) {
    y += 6;
    shapes += row_cells("all", all, y, width, std::max<std::int64_t>(*std::max_element(all.begin(), all.end()), 1));
    y += row_height;
  }
  return fmt::format("<figure><figcaption>{}</figcaption>\n{}</figure>\n", escape(caption),
                     drawing(caption, left + width * static_cast<double>(experts) + 4, y + 4, shapes));
}

}  // namespace

std::string routing_section(const Trace& trace, const std::string& mode, std::size_t layer) {
  const auto steps = steps_of(trace, mode);
  Matrix last, run;
  for (const auto* step : steps) add(run, *step, layer);
  if (!steps.empty()) add(last, *steps.back(), layer);
  const bool counted = std::any_of(run.begin(), run.end(), [](const auto& row) { return !row.second.empty(); });
  if (!counted) return section("Routing", paragraph("No step was recorded."));
  const auto text =
      fmt::format("Whose tokens went to which expert in {}: (token, choice) pairs before any was dropped.", mode);
  return section("Routing" + of_layer(*steps.back(), layer),
                 paragraph(text) + "<div class=\"side\">" +
                     heat_map(last, fmt::format("The last step, {}", steps.back()->step)) +
                     heat_map(run, fmt::format("All {} steps", with_commas(std::ssize(steps)))) + "</div>\n");
}

}  // namespace duet::trace
