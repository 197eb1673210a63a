// A program for job_test.py: ranks that exchange rows until something happens to one of them.
// usage: mpirun -n W job_under_test WHAT FOLDER DEADLINE_MS     FOLDER gets rank_R.pid, and rank_R.status on failure
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "comm/mpi/run_mpi.h"
#include "comm/rank_status.h"
#include "core/atomic_file.h"
#include "core/error.h"

namespace duet::comm {
namespace {

void exchange(Communicator& comm, std::int64_t rows_each = 5'000) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const std::vector<std::int64_t> each(ranks, rows_each);
  std::vector<float> out(ranks * static_cast<std::size_t>(rows_each), 1), in(out.size());
  comm.all_to_all({std::as_bytes(std::span(out)), DType::f32, 1}, each,
                  {std::as_writable_bytes(std::span(in)), DType::f32, 1}, each);
}

void exchange_for_ever(Communicator& comm) {
  while (true) exchange(comm);
}

void return_fine(Communicator& comm) {
  exchange(comm);
  if (comm.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // the others wait to finalise
}

void throw_on_rank_1(Communicator& comm) {
  for (int i = 0; i < 3; ++i) exchange(comm);
  if (comm.rank() == 1) throw std::runtime_error("the disk is full");
  exchange_for_ever(comm);
}

void refuse_on_rank_1(Communicator& comm) {
  if (comm.rank() == 1) throw InputError("no such file: tokens.bin");
  exchange_for_ever(comm);
}

void refuse_alike(Communicator&) {
  throw InputError({.what = "3 experts on 2 ranks", .where = {}, .usually = {}, .fix = "take 4"});
}

void return_early(Communicator& comm) {
  exchange(comm);
  if (comm.rank() != 1) exchange_for_ever(comm);
}

void disagree(Communicator& comm) { exchange(comm, comm.rank() == 2 ? 7 : 5); }

int run(const std::string& what, const std::filesystem::path& folder, int deadline_ms) {
  const std::map<std::string, std::function<void(Communicator&)>> bodies{
      {"exchange_for_ever", exchange_for_ever}, {"return_fine", return_fine},     {"throw_on_rank_1", throw_on_rank_1},
      {"refuse_on_rank_1", refuse_on_rank_1},   {"refuse_alike", refuse_alike},   {"return_early", return_early},
      {"disagree_checked", disagree},           {"disagree_unchecked", disagree},
  };
  const MpiOptions options{
      .deadline = Deadline(deadline_ms),
      .checked = what == "disagree_checked",
      .on_failure = [&](int rank, const std::string& reason) { write_status(folder, rank, reason); }};
  run_mpi(options, [&](Communicator& comm) {
    exchange(comm);
    write_file(folder / fmt::format("rank_{}.pid", comm.rank()), fmt::format("{}\n", getpid()));
    bodies.at(what)(comm);
  });
  return 0;
}

}  // namespace
}  // namespace duet::comm

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  return duet::comm::run(argv[1], argv[2], std::stoi(argv[3]));
}
