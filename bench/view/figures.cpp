#include "bench/view/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace duet::bench {

namespace {

std::string number(double value) {
  if (value >= 1000) return fmt::format("{:.0f}", value);
  return value >= 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.3f}", value);
}

}  // namespace

std::string table(const Figures& figures) {
  std::size_t width = 4;
  for (const auto& figure : figures) width = std::max(width, figure.what.size());
  auto text = fmt::format("{:<{}}  {:>10} {:<8}  {:>10}\n", "what", width, "figure", "", "limit");
  for (const auto& f : figures) {
    text += fmt::format("{:<{}}  {:>10} {:<8}  {:>10}  {}\n", f.what, width, number(f.value), f.unit,
                        f.limit ? number(*f.limit) : "",
                        !f.limit  ? ""
                        : f.met() ? "met"
                                  : "NOT MET");
  }
  return text;
}

std::string json(const Figures& figures) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& f : figures) {
    list.push_back({{"what", f.what}, {"value", f.value}, {"unit", f.unit}, {"limit", nullptr}});
    if (f.limit) list.back()["limit"] = *f.limit;
  }
  return list.dump(2) + "\n";
}

}  // namespace duet::bench
