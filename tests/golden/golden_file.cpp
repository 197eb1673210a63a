#include "tests/golden/golden_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

namespace duet::test {

namespace {

// Of what is made from numbers of size 1 and may cancel to nearly nothing; in multiples of the tolerance.
constexpr double rounding = 1e-5;

at::ScalarType dtype_of(const std::string& text) {
  if (text == "float32") return at::kFloat;
  if (text == "float64") return at::kDouble;
  if (text == "bool") return at::kBool;
  if (text == "int32") return at::kInt;
  if (text == "int64") return at::kLong;
  throw std::runtime_error("unknown dtype in a golden: " + text);
}

at::Tensor data_of(const nlohmann::json& tensor) {
  std::vector<double> values;
  for (const auto& value : tensor.at("data")) values.push_back(number_of(value));
  return at::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, at::kDouble).clone();
}

double largest_of(const at::Tensor& values) { return values.numel() == 0 ? 0 : values.abs().max().item<double>(); }

// Elements 0, stride, 2 * stride, ... and sums over all.
void expect_sampled(const at::Tensor& flat, const nlohmann::json& golden, double tolerance, const std::string& what) {
  const auto stride = golden.at("stride").get<std::int64_t>();
  const auto sampled = flat.slice(0, 0, std::nullopt, stride);
  const auto expected = data_of(golden);
  const double largest = golden.at("max_abs").get<double>() + rounding;
  const double all = largest * static_cast<double>(flat.numel());
  ASSERT_EQ(sampled.numel(), expected.numel()) << what;
  EXPECT_LE(largest_of(sampled - expected), tolerance * largest) << what;
  EXPECT_NEAR(largest_of(flat), golden.at("max_abs").get<double>(), tolerance * largest) << what << ": max_abs";
  const auto weights = at::arange(flat.numel(), at::kDouble).remainder(7) + 1;
  EXPECT_NEAR(flat.sum().item<double>(), golden.at("sum").get<double>(), tolerance * all) << what << ": sum";
  EXPECT_NEAR(flat.square().sum().item<double>(), golden.at("sum_sq").get<double>(), tolerance * all * largest)
      << what << ": sum of squares";
  EXPECT_NEAR((flat * weights).sum().item<double>(), golden.at("weighted_sum").get<double>(), 7 * tolerance * all)
      << what << ": weighted sum";
}

GoldenFile read_golden(const std::filesystem::path& path) {
  std::ifstream in(path);
  try {
    auto content = nlohmann::json::parse(in);
    if (content.at("schema") != 1) throw std::runtime_error(path.string() + ": only schema 1 is known");
    const auto family = content.at("family").get<std::string>();
    return {path.filename().string(), family, std::move(content)};
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(path.string() + ": no golden file: " + error.what());
  }
}

}  // namespace

std::filesystem::path golden_folder() {
  const char* const named = std::getenv("DUET_GOLDENS");
  return named != nullptr && *named != '\0' ? named : DUET_DEFAULT_GOLDENS;
}

std::vector<GoldenFile> read_goldens(const std::filesystem::path& folder) {
  std::vector<GoldenFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    files.push_back(read_golden(entry.path()));
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

at::Tensor tensor_of(const nlohmann::json& tensor) {
  return data_of(tensor).to(dtype_of(tensor.at("dtype"))).view(tensor.at("shape").get<std::vector<std::int64_t>>());
}

nlohmann::json json_of(const at::Tensor& counts) {
  const auto values = counts.to(at::kLong).contiguous();
  return std::vector<std::int64_t>(values.data_ptr<std::int64_t>(), values.data_ptr<std::int64_t>() + values.numel());
}

double number_of(const nlohmann::json& value) {
  if (!value.is_string()) return value.is_boolean() ? value.get<bool>() : value.get<double>();
  const auto text = value.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw std::runtime_error("not a number in a golden: " + text);
}

void expect_golden(const at::Tensor& ours, const nlohmann::json& golden, double tolerance, const std::string& what) {
  ASSERT_EQ(ours.sizes().vec(), golden.at("shape").get<std::vector<std::int64_t>>()) << what;
  const auto flat = ours.detach().to(at::kDouble).contiguous().view(-1);
  if (golden.contains("stride")) return expect_sampled(flat, golden, tolerance, what);
  const auto expected = data_of(golden);
  ASSERT_EQ(flat.numel(), expected.numel()) << what;
  const double apart = largest_of(flat - expected);
  EXPECT_LE(apart, tolerance * (largest_of(expected) + rounding))
      << what << ": up to " << apart << " apart, of " << largest_of(expected);
}

void expect_golden(double ours, double golden, double tolerance, const std::string& what) {
  EXPECT_LE(std::abs(ours - golden), tolerance * std::max(1.0, std::abs(golden)))
      << what << ": ours " << ours << ", golden " << golden;
}

}  // namespace duet::test
