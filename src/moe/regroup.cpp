#include "moe/regroup.h"

namespace duet {

namespace {

// Cuts `rows` into blocks laid out [outer][inner] and joins them as [inner][outer]. `size(o, i)` is a block's rows.
template <typename Size>
at::Tensor transpose_blocks(const at::Tensor& rows, std::int64_t outer, std::int64_t inner, Size size) {
  std::vector<at::Tensor> blocks(static_cast<std::size_t>(outer * inner));
  std::int64_t start = 0;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      blocks[static_cast<std::size_t>(i * outer + o)] = rows.narrow(0, start, size(o, i));
      start += size(o, i);
    }
  }
  return at::cat(blocks);
}

}  // namespace

at::Tensor group_by_expert(const Plan& plan, const at::Tensor& rows) {
  const auto local = plan.placement.per_rank();
  if (local == 1 || plan.placement.ranks == 1) return rows;  // both orders are the same
  return transpose_blocks(rows, plan.placement.ranks, local, [&](std::int64_t source, std::int64_t expert) {
    return plan.receive_rows[static_cast<std::size_t>(source * local + expert)];
  });
}

at::Tensor group_by_source(const Plan& plan, const at::Tensor& rows) {
  const auto local = plan.placement.per_rank();
  if (local == 1 || plan.placement.ranks == 1) return rows;
  return transpose_blocks(rows, local, plan.placement.ranks, [&](std::int64_t expert, std::int64_t source) {
    return plan.receive_rows[static_cast<std::size_t>(source * local + expert)];
  });
}

}  // namespace duet
