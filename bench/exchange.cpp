// An exchange between thread ranks against its limit: copying the same rows by memcpy, all ranks at once.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "bench/flags.h"
#include "comm/tensors.h"
#include "core/clock.h"
#include "train/ranks.h"

namespace duet {

namespace {

struct Figures {
  double exchange_us = std::numeric_limits<double>::infinity();
  double copy_us = std::numeric_limits<double>::infinity();
};

void take_fastest(double& best, std::int64_t start) {
  best = std::min(best, static_cast<double>(now_ns() - start) / 1000);
}

// Both in the same round, so that drift hits both.
Figures measure(comm::Communicator& world, std::int64_t rows_each, std::int64_t rounds) {
  const std::vector<std::int64_t> each(static_cast<std::size_t>(world.size()), rows_each);
  const auto rows = at::ones({rows_each * world.size(), 32});
  const auto out = at::empty_like(rows);
  Figures figures;
  for (std::int64_t round = 0; round < rounds; ++round) {
    world.barrier();
    auto start = now_ns();
    comm::all_to_all_into(world, rows, each, each, out);
    take_fastest(figures.exchange_us, start);
    world.barrier();
    start = now_ns();
    std::memcpy(out.data_ptr(), rows.data_ptr(), rows.nbytes());
    take_fastest(figures.copy_us, start);
  }
  return figures;
}

int run(int argc, char** argv) {
  const auto config = bench::read_flags(argc, argv, "an all-to-all of thread ranks, and memcpy alone");
  fmt::print("rows to each rank | bytes a rank | all_to_all us | memcpy us | ratio\n--- | --- | --- | --- | ---\n");
  for (const std::int64_t rows : {0, 32, 512, 8192, 65536}) {
    std::vector<Figures> ranks(static_cast<std::size_t>(config.layout.ranks));
    run_on_ranks(config, [&](comm::Communicator& world) {
      ranks[static_cast<std::size_t>(world.rank())] = measure(world, rows, config.steps);
    });
    Figures slowest = ranks.front();
    for (const auto& rank : ranks) {
      slowest.exchange_us = std::max(slowest.exchange_us, rank.exchange_us);
      slowest.copy_us = std::max(slowest.copy_us, rank.copy_us);
    }
    fmt::print("{} | {} | {:.2f} | {:.2f} | {:.1f}\n", rows, rows * config.layout.ranks * 32 * 4, slowest.exchange_us,
               slowest.copy_us, slowest.exchange_us / slowest.copy_us);
  }
  return 0;
}

}  // namespace

}  // namespace duet

int main(int argc, char** argv) { return duet::run(argc, argv); }
