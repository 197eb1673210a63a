#include "comm/mpi/mpi_handle.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace duet::comm {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw RankError(
      {.what = fmt::format("{} failed: {}", call, std::string_view(text.data(), static_cast<std::size_t>(length))),
       .where = {},
       .usually = "the connection to another rank broke, or the ranks do not agree about a size",
       .fix = "run again in checked mode, which compares what the ranks call before data moves"});
}

MpiHandle::MpiHandle(MPI_Comm comm) : comm_(comm) { MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN); }

MpiHandle MpiHandle::duplicate(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(comm, &made), "MPI_Comm_dup");
  return MpiHandle(made);
}

MpiHandle MpiHandle::split(MPI_Comm comm, int color, int key) {
  MPI_Comm made = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(comm, color, key, &made), "MPI_Comm_split");
  return MpiHandle(made);
}

MpiHandle::~MpiHandle() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

MpiHandle::MpiHandle(MpiHandle&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}

MpiHandle& MpiHandle::operator=(MpiHandle&& other) noexcept {
  std::swap(comm_, other.comm_);
  return *this;
}

}  // namespace duet::comm
