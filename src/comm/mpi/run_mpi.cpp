#include "comm/mpi/run_mpi.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "comm/mpi/run_world.h"

namespace duet::comm {

namespace {

const char* level_name(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    default:
      return "MPI_THREAD_MULTIPLE";
  }
}

// MPI can be initialised once in the life of a process, and so is finalised at its end.
void initialise(bool gpu) {
  const int needed = gpu ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED;
  int provided = MPI_THREAD_SINGLE;
  int already = 0;
  check_mpi(MPI_Initialized(&already), "MPI_Initialized");
  if (already != 0) {
    check_mpi(MPI_Query_thread(&provided), "MPI_Query_thread");
  } else {
    check_mpi(MPI_Init_thread(nullptr, nullptr, needed, &provided), "MPI_Init_thread");
    std::atexit([] { MPI_Finalize(); });
  }
  if (provided >= needed) return;
  throw InputError(
      {.what = fmt::format("this MPI gives {}, and Duet needs {}", level_name(provided), level_name(needed)),
       .where = "MPI_Init_thread",
       .usually = "it was built without support for threads",
       .fix = "use another: Debian's and Ubuntu's Open MPI (apt install libopenmpi-dev) has it"});
}

std::string text_of(const MpiFailure& failure) {
  try {
    throw_failure(failure);
  } catch (const Error& error) {
    return error.what();
  }
}

// The rank that speaks ends the job. The others, whom MPI_Abort ends meanwhile, do so only if it does not.
[[noreturn]] void end_job(const WorldEnd& end, const MpiOptions& options) {
  if (!end.speaks) std::this_thread::sleep_for(std::chrono::seconds(5));
  if (options.print_reason && end.failure->own) fmt::print(stderr, "error: {}\n", text_of(*end.failure));
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(end.refused_alike ? ExitCode::bad_input : ExitCode::rank_failed));
  std::_Exit(static_cast<int>(ExitCode::rank_failed));
}

}  // namespace

bool mpi_is_built() { return true; }

void run_mpi(const MpiOptions& options, const std::function<void(Communicator&)>& body) {
  initialise(options.gpu);
  const auto end = run_world(MPI_COMM_WORLD, options, body, [&](const MpiFailure& failure) {
    if (options.on_failure) options.on_failure(failure.rank, text_of(failure));
  });
  if (end.failure) end_job(end, options);
}

}  // namespace duet::comm
