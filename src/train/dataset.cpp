#include "train/dataset.h"

#include <fmt/format.h>

#include <cmath>

#include "train/keyed_random.h"

namespace duet {

namespace {

constexpr std::int64_t teacher_hidden = 64;
constexpr double cluster_mean = 3;
// Targets are computed in blocks of this many tokens, cut at multiples of it in the global batch. A matrix product of
// another height may round a row otherwise, and a token's target must not depend on which rank draws it.
constexpr std::int64_t teacher_rows = 32;

std::span<double> values_of(const at::Tensor& tensor) {
  return {tensor.data_ptr<double>(), static_cast<std::size_t>(tensor.numel())};
}

at::Tensor normal(std::uint64_t key, at::IntArrayRef sizes, double scale) {
  const auto tensor = at::empty(sizes, at::kDouble);
  fill_normal(key, 0, values_of(tensor));
  return tensor * scale;
}

// One row a token, each from its own stream, so that any rank can draw any token.
at::Tensor token_rows(std::uint64_t key, std::int64_t first, std::int64_t tokens, std::int64_t width) {
  auto rows = at::empty({tokens, width}, at::kDouble);
  const auto values = values_of(rows);
  for (std::int64_t t = 0; t < tokens; ++t) {
    const auto row = values.subspan(static_cast<std::size_t>(t * width), static_cast<std::size_t>(width));
    fill_normal(key, static_cast<std::uint64_t>(first + t), row);
  }
  return rows;
}

}  // namespace

DataSource::DataSource(const DataConfig& config, std::int64_t dim, at::ScalarType dtype)
    : dataset_(config.dataset), seed_(config.seed), dim_(dim), dtype_(dtype) {
  if (dataset_ != Dataset::two_functions) return;
  signs_ = normal(random_key(seed_, "cluster"), {dim}, 1).sign();
  // Weights that keep the targets' size near 1: the clusters lie 3 from the origin in every dimension.
  const double first = 1 / (cluster_mean * std::sqrt(static_cast<double>(dim)));
  const double second = 1 / std::sqrt(static_cast<double>(teacher_hidden) / 2);
  for (int kind = 0; kind < 2; ++kind) {
    teachers_.push_back({normal(random_key(seed_, fmt::format("teacher.{}.w1", kind)), {teacher_hidden, dim}, first),
                         normal(random_key(seed_, fmt::format("teacher.{}.w2", kind)), {dim, teacher_hidden}, second)});
  }
}

Batch DataSource::batch(std::int64_t step, const ShardRange& shards) const {
  const at::NoGradGuard no_grad;
  const auto key = random_key(seed_, fmt::format("tokens.{}", step));
  if (dataset_ == Dataset::two_functions) return two_functions(key, shards);
  const auto drawn = token_rows(key, shards.first_token, shards.local_tokens(), 2 * dim_);
  return {drawn.narrow(1, 0, dim_).to(dtype_).contiguous(), drawn.narrow(1, dim_, dim_).to(dtype_).contiguous(),
          at::zeros({drawn.size(0)}, at::kLong), shards};
}

Batch DataSource::two_functions(std::uint64_t key, const ShardRange& shards) const {
  const auto skipped = shards.first_token % teacher_rows;
  const auto first = shards.first_token - skipped;
  const auto tokens = shards.local_tokens();
  const auto blocks = (skipped + tokens + teacher_rows - 1) / teacher_rows;
  const auto drawn = token_rows(key, first, blocks * teacher_rows, dim_ + 1);
  const auto second_kind = drawn.select(1, dim_).gt(0);  // half the tokens
  const auto side = at::where(second_kind, 1.0, -1.0).to(at::kDouble).unsqueeze(1);
  const auto x = drawn.narrow(1, 0, dim_) + side * signs_ * cluster_mean;
  const auto target = at::empty_like(x);
  for (std::int64_t block = 0; block < blocks; ++block) {
    const auto rows = x.narrow(0, block * teacher_rows, teacher_rows);
    const auto is_second = second_kind.narrow(0, block * teacher_rows, teacher_rows).unsqueeze(1);
    target.narrow(0, block * teacher_rows, teacher_rows).copy_(at::where(is_second, teach(1, rows), teach(0, rows)));
  }
  const auto own = [&](const at::Tensor& all) { return all.narrow(0, skipped, tokens); };
  return {own(x).to(dtype_).contiguous(), own(target).to(dtype_).contiguous(), own(second_kind).to(at::kLong), shards};
}

at::Tensor DataSource::teach(std::size_t kind, const at::Tensor& x) const {
  return at::linear(at::relu(at::linear(x, teachers_[kind].w1)), teachers_[kind].w2);
}

}  // namespace duet
