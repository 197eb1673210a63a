#include "train/dataset.h"

#include <fmt/format.h>

#include <cmath>

#include "train/keyed_random.h"

namespace duet {

namespace {

constexpr std::int64_t teacher_hidden = 64;
constexpr double cluster_mean = 3;

std::span<double> values_of(const at::Tensor& tensor) {
  return {tensor.data_ptr<double>(), static_cast<std::size_t>(tensor.numel())};
}

at::Tensor normal(std::uint64_t key, at::IntArrayRef sizes, double scale) {
  const auto tensor = at::empty(sizes, at::kDouble);
  fill_normal(key, 0, values_of(tensor));
  return tensor * scale;
}

// One row a token, each from its own stream, so that any rank can draw any token.
at::Tensor token_rows(std::uint64_t key, const ShardRange& shards, std::int64_t width) {
  auto rows = at::empty({shards.local_tokens(), width}, at::kDouble);
  const auto values = values_of(rows);
  for (std::int64_t t = 0; t < rows.size(0); ++t) {
    const auto row = values.subspan(static_cast<std::size_t>(t * width), static_cast<std::size_t>(width));
    fill_normal(key, static_cast<std::uint64_t>(shards.first_token + t), row);
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
  const auto width = dataset_ == Dataset::two_functions ? dim_ + 1 : 2 * dim_;
  const auto drawn = token_rows(key, shards, width);
  const auto noise = drawn.narrow(1, 0, dim_);
  if (dataset_ == Dataset::random) {
    return {noise.to(dtype_).contiguous(), drawn.narrow(1, dim_, dim_).to(dtype_).contiguous(),
            at::zeros({drawn.size(0)}, at::kLong), shards};
  }
  const auto second_kind = drawn.select(1, dim_).gt(0);  // [T]: half the tokens
  const auto side = at::where(second_kind, 1.0, -1.0).to(at::kDouble).unsqueeze(1);
  const auto x = noise + side * signs_ * cluster_mean;
  std::array<at::Tensor, 2> answers;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    answers[kind] = at::linear(at::relu(at::linear(x, teachers_[kind].w1)), teachers_[kind].w2);
  }
  const auto target = at::where(second_kind.unsqueeze(1), answers[1], answers[0]);
  return {x.to(dtype_), target.to(dtype_), second_kind.to(at::kLong), shards};
}

}  // namespace duet
