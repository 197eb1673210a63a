#include "comm/tensors.h"

#include <fmt/format.h>

#include <numeric>

#include "comm/all_reduce.h"
#include "comm/check_arguments.h"
#include "comm/pairwise_all_to_all.h"
#include "comm/ring_all_reduce.h"
#include "comm/staging.h"
#include "comm/tensor_rows.h"
#include "core/error.h"

namespace duet::comm {

namespace {

at::Tensor empty_rows(const at::Tensor& like, std::int64_t rows, std::string_view operation) {
  if (like.dim() == 0) {
    throw InputError({.what = "a tensor without dimensions has no rows",
                      .where = std::string(operation),
                      .usually = {},
                      .fix = "give it one with .view({1})"});
  }
  auto shape = like.sizes().vec();
  shape[0] = rows;
  return at::empty(shape, like.options().requires_grad(false));
}

// What the communicator reads and writes from here on.
void exchange(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
              std::span<const std::int64_t> receive_rows, const at::Tensor& out) {
  const auto outgoing = rows_of(rows, "all_to_all");
  const auto incoming = writable_rows_of(out, "all_to_all");
  if (comm.algorithms().all_to_all == AllToAllAlgorithm::native) {
    return comm.all_to_all(outgoing, send_rows, incoming, receive_rows);
  }
  check_exchange(comm, outgoing, send_rows, incoming, receive_rows);
  pairwise_all_to_all(comm, rows, send_rows, receive_rows, out);
}

void sum_over_ranks(Communicator& comm, const at::Tensor& values) {
  switch (comm.algorithms().all_reduce) {
    case AllReduceAlgorithm::native:
      return comm.all_reduce(writable_rows_of(values, "all_reduce"));
    case AllReduceAlgorithm::naive:
      return all_reduce_naive(comm, values);
    case AllReduceAlgorithm::ring:
      return ring_all_reduce(comm, values);
  }
}

}  // namespace

at::Tensor all_to_all(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                      std::span<const std::int64_t> receive_rows) {
  const auto arriving = std::accumulate(receive_rows.begin(), receive_rows.end(), std::int64_t{0});
  auto out = empty_rows(rows, std::max<std::int64_t>(arriving, 0), "all_to_all");
  all_to_all_into(comm, rows, send_rows, receive_rows, out);
  return out;
}

void all_to_all_into(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                     std::span<const std::int64_t> receive_rows, const at::Tensor& out) {
  const auto outgoing = rows_of(rows, "all_to_all");
  const auto incoming = writable_rows_of(out, "all_to_all");
  if (comm.size() == 1 && needs_staging(comm, out)) {  // one device keeps its rows: no way through the host
    check_exchange(comm, outgoing, send_rows, incoming, receive_rows);
    return copy_back(rows, out);
  }
  const auto arrived = staging_like(comm, out);
  exchange(comm, staged(comm, rows), send_rows, receive_rows, arrived);
  copy_back(arrived, out);
}

void all_reduce(Communicator& comm, const at::Tensor& values) {
  static_cast<void>(writable_rows_of(values, "all_reduce"));  // refused as it is, not as a copy
  if (comm.size() == 1 && needs_staging(comm, values)) return;
  const auto sums = staged(comm, values);
  sum_over_ranks(comm, sums);
  copy_back(sums, values);
}

at::Tensor all_gather(Communicator& comm, const at::Tensor& rows) {
  static_cast<void>(rows_of(rows, "all_gather"));
  const auto mine = staged(comm, rows);
  const auto all = empty_rows(mine, rows.dim() == 0 ? 0 : rows.size(0) * comm.size(), "all_gather");
  comm.all_gather(rows_of(mine, "all_gather"), writable_rows_of(all, "all_gather"));
  return all.to(rows.device());
}

at::Tensor reduce_scatter(Communicator& comm, const at::Tensor& rows) {
  static_cast<void>(rows_of(rows, "reduce_scatter"));
  const auto n = rows.dim() == 0 ? 0 : rows.size(0);
  if (n % comm.size() != 0) {
    throw InputError({.what = fmt::format("{} rows do not divide among {} ranks", n, comm.size()),
                      .where = fmt::format("reduce_scatter on rank {}", comm.rank()),
                      .usually = {},
                      .fix = "pad the rows to a multiple of the number of ranks"});
  }
  const auto all = staged(comm, rows);
  const auto mine = empty_rows(all, n / comm.size(), "reduce_scatter");
  comm.reduce_scatter(rows_of(all, "reduce_scatter"), writable_rows_of(mine, "reduce_scatter"));
  return mine.to(rows.device());
}

void broadcast(Communicator& comm, const at::Tensor& values, int root) {
  static_cast<void>(writable_rows_of(values, "broadcast"));
  const auto copy = staged(comm, values);
  comm.broadcast(writable_rows_of(copy, "broadcast"), root);
  copy_back(copy, values);
}

}  // namespace duet::comm
