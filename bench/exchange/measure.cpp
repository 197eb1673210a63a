#include "bench/exchange/measure.h"

#include <algorithm>
#include <cstring>

#include "comm/tensors.h"
#include "core/clock.h"
#include "core/gpu/gpu.h"

namespace duet::bench {

namespace {

void fill(comm::Communicator& world, const Buffers& buffers) {
  const auto part_rows = buffers.in.size(0) / world.size();
  for (const auto& rows : {buffers.in, buffers.out}) {
    for (int part = 0; part < world.size(); ++part) {
      rows.narrow(0, part * part_rows, part_rows).fill_(value_of(world.rank(), part));
    }
  }
}

bool is_right(comm::Communicator& world, const Operation& operation, const Buffers& buffers) {
  fill(world, buffers);
  world.barrier();
  operation.run(world, buffers);
  const auto part_rows = buffers.out.size(0) / world.size();
  for (int part = 0; part < world.size(); ++part) {
    const auto value = operation.expected(world.size(), world.rank(), part);
    if (value && !buffers.out.narrow(0, part * part_rows, part_rows).eq(*value).all().item<bool>()) return false;
  }
  return true;
}

double time_of(comm::Communicator& world, const at::Device& device, const std::function<void()>& work) {
  gpu::synchronise(device);
  world.barrier();
  const auto start = now_ns();
  work();
  gpu::synchronise(device);
  return static_cast<double>(now_ns() - start) / 1000;
}

void copy(const Buffers& buffers) {
  if (buffers.in.is_cpu()) {
    std::memcpy(buffers.out.data_ptr(), buffers.in.data_ptr(), buffers.in.nbytes());
  } else {
    buffers.out.copy_(buffers.in);
  }
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

Figures measure(comm::Communicator& world, const Operation& operation, std::int64_t bytes, std::int64_t rounds,
                const at::Device& device) {
  const auto rows = std::max<std::int64_t>(1, bytes / row_bytes / world.size()) * world.size();
  const Buffers buffers{at::ones({rows, row_floats}, device), at::ones({rows, row_floats}, device)};
  const bool right = is_right(world, operation, buffers);
  std::vector<double> times, copies;
  buffers.out.fill_(0);  // sums of sums must not grow into infinity
  const double there_and_back = operation.name == "send_receive" ? 2 : 1;
  for (std::int64_t round = 0; round < rounds; ++round) {
    times.push_back(time_of(world, device, [&] { operation.run(world, buffers); }) / there_and_back);
    copies.push_back(time_of(world, device, [&] { copy(buffers); }));
    if (operation.name == "all_reduce") buffers.out.fill_(0);
  }
  const auto mine = at::tensor(
      {*std::ranges::min_element(times), median(times), *std::ranges::min_element(copies), right ? 0.0 : 1.0},
      at::kDouble);
  const auto slowest = std::get<0>(comm::all_gather(world, mine.unsqueeze(0)).max(0));
  const auto* const figures = slowest.const_data_ptr<double>();
  return {.bytes = rows * row_bytes,
          .min_us = figures[0],
          .median_us = figures[1],
          .copy_us = figures[2],
          .right = figures[3] == 0};
}

}  // namespace duet::bench
