#include "bench/exchange/operations.h"

#include <fmt/format.h>

#include "comm/point_to_point.h"
#include "comm/tensor_rows.h"
#include "comm/tensors.h"
#include "core/error.h"

namespace duet::bench {

namespace {

double most_leaves(int ranks) { return static_cast<double>(ranks - 1) / ranks; }
double twice_most_leaves(int ranks) { return 2 * most_leaves(ranks); }
double all_leaves(int ranks) { return ranks > 1 ? 1 : 0; }

at::Tensor first_part(const comm::Communicator& world, const at::Tensor& rows) {
  return rows.narrow(0, 0, rows.size(0) / world.size());
}

void all_to_all(comm::Communicator& world, const Buffers& buffers) {
  const std::vector<std::int64_t> each(static_cast<std::size_t>(world.size()), buffers.in.size(0) / world.size());
  comm::all_to_all_into(world, buffers.in, each, each, buffers.out);
}

void all_reduce(comm::Communicator& world, const Buffers& buffers) { comm::all_reduce(world, buffers.out); }

void all_gather(comm::Communicator& world, const Buffers& buffers) {
  world.all_gather(comm::rows_of(first_part(world, buffers.in), "all_gather"),
                   comm::writable_rows_of(buffers.out, "all_gather"));
}

void reduce_scatter(comm::Communicator& world, const Buffers& buffers) {
  world.reduce_scatter(comm::rows_of(buffers.in, "reduce_scatter"),
                       comm::writable_rows_of(first_part(world, buffers.out), "reduce_scatter"));
}

void broadcast(comm::Communicator& world, const Buffers& buffers) { comm::broadcast(world, buffers.out, 0); }

void send_receive(comm::Communicator& world, const Buffers& buffers) {
  if (world.size() == 1 || world.rank() > 1) return;
  const int other = 1 - world.rank();
  if (world.rank() == 0) comm::send(world, buffers.in, other);
  comm::receive(world, buffers.out, other);
  if (world.rank() == 1) comm::send(world, buffers.out, other);
}

double sum(int ranks, std::int64_t part) {
  double all = 0;
  for (int rank = 0; rank < ranks; ++rank) all += value_of(rank, part);
  return all;
}

std::vector<Operation> all() {
  using Value = std::optional<double>;
  return {
      {"all_to_all", most_leaves, all_to_all,
       [](int, int rank, std::int64_t part) { return Value(value_of(static_cast<int>(part), rank)); }},
      {"all_reduce", twice_most_leaves, all_reduce,
       [](int ranks, int, std::int64_t part) { return Value(sum(ranks, part)); }},
      {"all_gather", most_leaves, all_gather,
       [](int, int, std::int64_t part) { return Value(value_of(static_cast<int>(part), 0)); }},
      {"reduce_scatter", most_leaves, reduce_scatter,
       [](int ranks, int rank, std::int64_t part) { return part == 0 ? Value(sum(ranks, rank)) : std::nullopt; }},
      {"broadcast", all_leaves, broadcast, [](int, int, std::int64_t part) { return Value(value_of(0, part)); }},
      {"send_receive", all_leaves, send_receive,
       [](int ranks, int rank, std::int64_t part) {
         return ranks > 1 && rank < 2 ? Value(value_of(0, part)) : std::nullopt;
       }},
  };
}

}  // namespace

std::vector<Operation> operations(const std::string& name) {
  std::vector<Operation> chosen;
  std::string names = "all";
  for (auto& operation : all()) {
    names += ", " + operation.name;
    if (name == "all" || name == operation.name) chosen.push_back(std::move(operation));
  }
  if (chosen.empty()) {
    throw InputError({.what = fmt::format("--operation is '{}'", name),
                      .where = {},
                      .usually = {},
                      .fix = "choose one of " + names});
  }
  return chosen;
}

}  // namespace duet::bench
