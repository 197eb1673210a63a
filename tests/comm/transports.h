#pragma once
/// Runs a test on every transport and world size, and the small things that all communication tests need.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "comm/communicator.h"
#include "comm/threads/run_ranks.h"
#include "core/error.h"

namespace duet::comm {

using Body = std::function<void(Communicator&)>;

struct TestedTransport {
  std::string name;
  std::function<void(int world_size, Deadline deadline, const Body& body)> run;
  int only_world_size = 0;     ///< the one it was started with; 0: any
  int largest_world_size = 4;  ///< as many as there are devices, where each rank needs one
  bool checks = true;          ///< disagreements are found before data moves
  bool in_rank_order = true;   ///< sums are taken in rank order; NCCL has an order of its own
  /// Brings what each rank noted at its own place ([rank]) to all processes; nothing to do where ranks are threads.
  std::function<void(std::vector<std::string>& noted)> share = [](std::vector<std::string>&) {};
};

/// What this program's own main chose instead of the transports below (tests/comm/mpi/main.cpp,
/// tests/nccl_double/main.cpp).
inline std::vector<TestedTransport>& chosen_transports() {
  static std::vector<TestedTransport> chosen;
  return chosen;
}

/// A later transport is one more line here; then every test of this folder runs on it.
inline std::vector<TestedTransport> transports() {
  if (!chosen_transports().empty()) return chosen_transports();
  return {{"threads", [](int world_size, Deadline deadline, const Body& body) {
             run_ranks(world_size, {.deadline = deadline, .grace = std::chrono::seconds(20)}, body);
           }}};
}

using Case = std::tuple<TestedTransport, int>;

/// Without it GoogleTest prints the bytes of a Case.
inline void PrintTo(const TestedTransport& transport, std::ostream* out) { *out << transport.name; }

inline std::string case_name(const testing::TestParamInfo<Case>& info) {
  return std::get<0>(info.param).name + std::to_string(std::get<1>(info.param));
}

/// A test on GetParam's transport and number of ranks.
class OnRanks : public testing::TestWithParam<Case> {
 protected:
  int world_size() const { return std::get<1>(GetParam()); }
  void run(const Body& body) const { std::get<0>(GetParam()).run(world_size(), std::chrono::seconds(20), body); }
};

inline auto cases(std::initializer_list<int> world_sizes) {
  std::vector<Case> all;
  for (const auto& transport : transports()) {
    for (const int size : world_sizes) {
      const bool fits = transport.only_world_size == 0 || transport.only_world_size == size;
      if (fits && size <= transport.largest_world_size) all.emplace_back(transport, size);
    }
  }
  return testing::ValuesIn(all);
}

template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return DType::u8;
  if constexpr (std::is_same_v<T, std::int64_t>) return DType::i64;
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  if constexpr (std::is_same_v<T, double>) return DType::f64;
}

template <typename T>
Rows rows(std::vector<T>& values, std::int64_t row_elements = 1) {
  return {std::as_writable_bytes(std::span(values)), dtype_of<T>(), row_elements};
}

template <typename T>
ConstRows rows(const std::vector<T>& values, std::int64_t row_elements = 1) {
  return {std::as_bytes(std::span(values)), dtype_of<T>(), row_elements};
}

/// Every rank's numbers ([rank][i]), on every rank; the same count on each. Ranks may be processes: what they saw
/// cannot be compared in memory that they share.
inline std::vector<std::vector<std::int64_t>> gathered(Communicator& comm, const std::vector<std::int64_t>& mine) {
  std::vector<std::int64_t> all(mine.size() * static_cast<std::size_t>(comm.size()));
  comm.all_gather(rows(mine), rows(all));
  std::vector<std::vector<std::int64_t>> ranks;
  for (auto at = all.begin(); at != all.end(); at += std::ssize(mine)) ranks.emplace_back(at, at + std::ssize(mine));
  return ranks;
}

/// How a run went that something went wrong in.
struct Outcome {
  std::vector<std::string> errors;               ///< [rank] what the body threw there; empty if nothing
  std::vector<std::chrono::milliseconds> ended;  ///< [rank] since the start
  std::string thrown;                            ///< what the caller of the run got
  bool is_input_error = false;
};

inline Outcome run_and_fail(const TestedTransport& transport, int world_size, Deadline deadline, const Body& body) {
  Outcome outcome;
  outcome.errors.resize(static_cast<std::size_t>(world_size));
  outcome.ended.resize(static_cast<std::size_t>(world_size));
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  };
  try {
    transport.run(world_size, deadline, [&](Communicator& comm) {
      const auto rank = static_cast<std::size_t>(comm.rank());
      try {
        body(comm);
        outcome.ended[rank] = elapsed();
      } catch (const std::exception& error) {
        outcome.errors[rank] = error.what();
        outcome.ended[rank] = elapsed();
        throw;
      }
    });
  } catch (const Error& error) {
    outcome.thrown = error.what();
    outcome.is_input_error = dynamic_cast<const InputError*>(&error) != nullptr;
  }
  transport.share(outcome.errors);
  std::vector<std::string> ended;
  for (const auto time : outcome.ended) ended.push_back(std::to_string(time.count()));
  transport.share(ended);
  for (std::size_t rank = 0; rank < ended.size(); ++rank) {
    outcome.ended[rank] = std::chrono::milliseconds(std::stoll(ended[rank]));
  }
  return outcome;
}

/// The transports that tests of what goes wrong run on, each with as many ranks as it needs, 4 at most.
inline std::vector<TestedTransport> checking_transports() {
  auto some = transports();
  std::erase_if(some, [](const TestedTransport& each) {
    return !each.checks || (each.only_world_size != 0 && each.only_world_size < 4) || each.largest_world_size < 4;
  });
  return some;
}

/// A test of what goes wrong: on every transport, with as many ranks as the test needs.
class Failing : public testing::TestWithParam<TestedTransport> {
 protected:
  static constexpr Deadline short_deadline = std::chrono::milliseconds(300);
  Outcome run(int world_size, const Body& body, Deadline deadline = std::chrono::seconds(20)) const {
    return run_and_fail(GetParam(), world_size, deadline, body);
  }
};

inline std::string transport_name(const testing::TestParamInfo<TestedTransport>& info) { return info.param.name; }

}  // namespace duet::comm
