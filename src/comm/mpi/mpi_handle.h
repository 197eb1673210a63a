#pragma once
/// MPI's error codes as exceptions, and a communicator that knows when to go.
#include <mpi.h>

namespace duet::comm {

/// @throws RankError with MPI's own words unless `code` is MPI_SUCCESS. @param call "MPI_Isend"
void check_mpi(int code, const char* call);

/// Owns an MPI communicator whose calls return their errors rather than ending the job.
class MpiHandle {
 public:
  MpiHandle() = default;
  static MpiHandle duplicate(MPI_Comm comm);                  ///< collective
  static MpiHandle split(MPI_Comm comm, int color, int key);  ///< collective
  ~MpiHandle();
  MpiHandle(MpiHandle&& other) noexcept;
  MpiHandle& operator=(MpiHandle&& other) noexcept;

  MPI_Comm get() const { return comm_; }
  /// Keeps it until the process ends: after a failure a message of it may still be under way.
  void leave_open() { comm_ = MPI_COMM_NULL; }

 private:
  explicit MpiHandle(MPI_Comm comm);
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace duet::comm
