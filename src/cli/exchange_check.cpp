// ./duet exchange-check: a small exchange on one transport, checked. Hidden: ./duet doctor calls it for each that is
// there.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/verbs.h"
#include "comm/threads/run_ranks.h"
#include "core/clock.h"
#include "core/error.h"

namespace duet::cli {

namespace {

using comm::Communicator;

struct ExchangeFlags {
  std::string transport = "threads";
  int ranks = 2;
  double deadline_s = 10;
  bool list = false;
};

constexpr int rounds = 20;
constexpr std::int64_t rows_to_each = 64;

comm::Rows rows_of(std::vector<double>& values) {
  return {std::as_writable_bytes(std::span(values)), comm::DType::f64, 1};
}

// What rank `from` sends to rank `to`: no other pair or row has the value.
double value(int from, int to, std::int64_t row) { return from * 1e6 + to * 1e3 + static_cast<double>(row); }

void expect(double got, double expected, const Communicator& comm, const char* operation) {
  if (got == expected) return;
  throw RankError({.what = fmt::format("rank {} got {} where {} was sent", comm.rank(), got, expected),
                   .where = fmt::format("{} over {}", operation, comm.transport()),
                   .usually = "the transport's library does not fit this machine or this program",
                   .fix = "report it, with what ./duet doctor says"});
}

void exchange_once(Communicator& comm) {
  const auto size = static_cast<std::size_t>(comm.size());
  const std::vector<std::int64_t> counts(size, rows_to_each);
  std::vector<double> send;
  std::vector<double> received(size * rows_to_each);
  for (int to = 0; to < comm.size(); ++to) {
    for (std::int64_t row = 0; row < rows_to_each; ++row) send.push_back(value(comm.rank(), to, row));
  }
  comm.all_to_all(rows_of(send), counts, rows_of(received), counts);
  for (int from = 0; from < comm.size(); ++from) {
    for (std::int64_t row = 0; row < rows_to_each; ++row) {
      expect(received[static_cast<std::size_t>(from * rows_to_each + row)], value(from, comm.rank(), row), comm,
             "all_to_all");
    }
  }
  std::vector<double> sum{static_cast<double>(comm.rank() + 1)};
  comm.all_reduce(rows_of(sum));
  expect(sum.front(), comm.size() * (comm.size() + 1) / 2.0, comm, "all_reduce");
}

// Microseconds of one exchange and one sum, the mean of some after the first.
double measure(Communicator& comm) {
  exchange_once(comm);
  comm.barrier();
  const auto start = now_ns();
  for (int round = 0; round < rounds; ++round) exchange_once(comm);
  return static_cast<double>(now_ns() - start) / 1e3 / rounds;
}

double run_on_threads(const ExchangeFlags& flags) {
  double us = 0;
  comm::run_ranks(flags.ranks, {.deadline = std::chrono::milliseconds(static_cast<int>(flags.deadline_s * 1000))},
                  [&](Communicator& comm) {
                    const double mine = measure(comm);
                    if (comm.rank() == 0) us = mine;
                  });
  return us;
}

// A transport is a line here.
const std::vector<std::pair<std::string, double (*)(const ExchangeFlags&)>>& transports() {
  static const std::vector<std::pair<std::string, double (*)(const ExchangeFlags&)>> all{{"threads", run_on_threads}};
  return all;
}

int run(const ExchangeFlags& flags) {
  for (const auto& [name, run_on] : transports()) {
    if (flags.list) {
      fmt::print("{}\n", name);
    } else if (name == flags.transport) {
      const nlohmann::json result{{"transport", name}, {"ranks", flags.ranks}, {"us", run_on(flags)}};
      fmt::print("{}\n", result.dump());
      return static_cast<int>(ExitCode::done);
    }
  }
  if (flags.list) return static_cast<int>(ExitCode::done);
  throw InputError(
      fmt::format("--transport {} is not in this build; exchange-check --list tells what is", flags.transport));
}

}  // namespace

void add_exchange_check(CLI::App& program, int& code) {
  const auto flags = std::make_shared<ExchangeFlags>();
  auto* const verb = program.add_subcommand("exchange-check", "one small exchange on a transport, checked")->group("");
  verb->add_option("--transport", flags->transport, "one of those that --list prints");
  verb->add_option("--ranks", flags->ranks)->check(CLI::Range(1, 64));
  verb->add_option("--deadline", flags->deadline_s)->check(CLI::PositiveNumber);
  verb->add_flag("--list", flags->list, "print the transports of this build and nothing else");
  verb->callback([flags, &code] { code = run(*flags); });
}

}  // namespace duet::cli
