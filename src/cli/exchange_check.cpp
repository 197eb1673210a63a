// ./duet exchange-check: a small exchange on one transport, checked. Hidden: ./duet doctor calls it for each that is
// there.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/mpirun.h"
#include "cli/verbs.h"
#include "comm/mpi/run_mpi.h"
#include "comm/tensors.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/gpu/gpu.h"
#include "train/device.h"
#include "train/ranks.h"

namespace duet::cli {

namespace {

using comm::Communicator;
using comm::Transport;

struct ExchangeFlags {
  std::string transport = "threads";
  int ranks = 2;
  double deadline_s = 10;
  bool list = false;
};

constexpr int rounds = 20;
constexpr std::int64_t rows_to_each = 64;

std::vector<Transport> transports_of_this_build() {
  std::vector<Transport> all{Transport::threads};
  if (comm::mpi_is_built()) all.push_back(Transport::mpi);
  if (gpu::built()) all.push_back(Transport::nccl);
  return all;
}

Transport chosen(const std::string& wanted) {
  for (const auto transport : transports_of_this_build()) {
    if (wanted == comm::name(transport)) return transport;
  }
  throw InputError({.what = fmt::format("--transport {} is not in this build", wanted),
                    .where = "exchange-check",
                    .usually = "the preset default has no nccl, and no mpi where Open MPI was missing",
                    .fix = "exchange-check --list tells what is"});
}

// What rank `from` sends to rank `to`, all of it: no other pair or row has the value.
at::Tensor rows_between(int from, int to, const at::Device& device) {
  const double first = from * 1e6 + to * 1e3;
  return at::arange(rows_to_each, at::TensorOptions().dtype(at::kDouble).device(device)) + first;
}

void expect(const at::Tensor& got, const at::Tensor& expected, const Communicator& comm, const char* operation) {
  const auto wrong = (got - expected).to(at::kCPU).abs();
  if (wrong.max().item<double>() == 0) return;
  const auto row = wrong.argmax().item<std::int64_t>();
  throw RankError({.what = fmt::format("rank {} got {} in row {} where {} was sent", comm.rank(),
                                       got[row].item<double>(), row, expected[row].item<double>()),
                   .where = fmt::format("{} over {}", operation, comm.transport()),
                   .usually = "the transport's library does not fit this machine or this program",
                   .fix = "report it, with what ./duet doctor says"});
}

void exchange_once(Communicator& comm, const at::Device& device) {
  const std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()), rows_to_each);
  std::vector<at::Tensor> send;
  std::vector<at::Tensor> expected;
  for (int peer = 0; peer < comm.size(); ++peer) {
    send.push_back(rows_between(comm.rank(), peer, device));
    expected.push_back(rows_between(peer, comm.rank(), device));
  }
  expect(comm::all_to_all(comm, at::cat(send), counts, counts), at::cat(expected), comm, "all_to_all");
  const auto sum = at::full({1}, comm.rank() + 1.0, at::TensorOptions().dtype(at::kDouble).device(device));
  comm::all_reduce(comm, sum);
  expect(sum, at::full_like(sum, comm.size() * (comm.size() + 1) / 2.0), comm, "all_reduce");
}

// Microseconds of one exchange and one sum with the check, the mean of some after the first.
double measure(Communicator& comm, const at::Device& device) {
  exchange_once(comm, device);
  comm.barrier();
  const auto start = now_ns();
  for (int round = 0; round < rounds; ++round) exchange_once(comm, device);
  return static_cast<double>(now_ns() - start) / 1e3 / rounds;
}

// What was measured; nothing in a process that has no rank 0.
std::optional<double> run_on(Transport transport, const ExchangeFlags& flags) {
  RunConfig config;
  config.transport = transport;
  config.device = transport == Transport::nccl ? DeviceKind::cuda : DeviceKind::cpu;
  config.layout.ranks = flags.ranks;
  config.deadline_s = flags.deadline_s;
  std::optional<double> us;
  run_on_ranks(config, [&](Communicator& comm) {
    const double mine = measure(comm, device_here(config));
    if (comm.rank() == 0) us = mine;
  });
  return us;
}

int run(const ExchangeFlags& flags) {
  if (flags.list) {
    for (const auto transport : transports_of_this_build()) fmt::print("{}\n", comm::name(transport));
    return static_cast<int>(ExitCode::done);
  }
  const auto transport = chosen(flags.transport);
  if (transport == Transport::mpi && !comm::started_by_mpi()) return run_under_mpirun(flags.ranks, own_arguments(), {});
  if (const auto us = run_on(transport, flags)) {
    const nlohmann::json result{{"transport", flags.transport}, {"ranks", flags.ranks}, {"us", *us}};
    fmt::print("{}\n", result.dump());
  }
  return static_cast<int>(ExitCode::done);
}

}  // namespace

void add_exchange_check(CLI::App& program, int& code) {
  const auto flags = std::make_shared<ExchangeFlags>();
  auto* const verb = program.add_subcommand("exchange-check", "one small exchange on a transport, checked")->group("");
  verb->add_option("--transport", flags->transport, "one of those that --list prints");
  verb->add_option("--ranks", flags->ranks)->check(CLI::Range(1, 64));
  verb->add_option("--deadline", flags->deadline_s)->check(CLI::Range(0.001, 86400.0));
  verb->add_flag("--list", flags->list, "print the transports of this build and nothing else");
  verb->callback([flags, &code] { code = run(*flags); });
}

}  // namespace duet::cli
