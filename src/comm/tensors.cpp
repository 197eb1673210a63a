#include "comm/tensors.h"

#include <fmt/format.h>

#include <numeric>

#include "comm/all_reduce.h"
#include "comm/check_arguments.h"
#include "comm/pairwise_all_to_all.h"
#include "comm/ring_all_reduce.h"
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
  if (comm.algorithms().all_to_all == AllToAllAlgorithm::native) {
    return comm.all_to_all(outgoing, send_rows, incoming, receive_rows);
  }
  check_exchange(comm, outgoing, send_rows, incoming, receive_rows);
  pairwise_all_to_all(comm, rows, send_rows, receive_rows, out);
}

void all_reduce(Communicator& comm, const at::Tensor& values) {
  const auto rows = writable_rows_of(values, "all_reduce");
  switch (comm.algorithms().all_reduce) {
    case AllReduceAlgorithm::native:
      return comm.all_reduce(rows);
    case AllReduceAlgorithm::naive:
      return all_reduce_naive(comm, values);
    case AllReduceAlgorithm::ring:
      return ring_all_reduce(comm, values);
  }
}

at::Tensor all_gather(Communicator& comm, const at::Tensor& rows) {
  const auto mine = rows_of(rows, "all_gather");
  auto all = empty_rows(rows, rows.dim() == 0 ? 0 : rows.size(0) * comm.size(), "all_gather");
  comm.all_gather(mine, writable_rows_of(all, "all_gather"));
  return all;
}

at::Tensor reduce_scatter(Communicator& comm, const at::Tensor& rows) {
  const auto all = rows_of(rows, "reduce_scatter");
  const auto n = rows.dim() == 0 ? 0 : rows.size(0);
  if (n % comm.size() != 0) {
    throw InputError({.what = fmt::format("{} rows do not divide among {} ranks", n, comm.size()),
                      .where = fmt::format("reduce_scatter on rank {}", comm.rank()),
                      .usually = {},
                      .fix = "pad the rows to a multiple of the number of ranks"});
  }
  auto mine = empty_rows(rows, n / comm.size(), "reduce_scatter");
  comm.reduce_scatter(all, writable_rows_of(mine, "reduce_scatter"));
  return mine;
}

void broadcast(Communicator& comm, const at::Tensor& values, int root) {
  comm.broadcast(writable_rows_of(values, "broadcast"), root);
}

}  // namespace duet::comm
