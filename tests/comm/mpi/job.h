#pragma once
/// The MPI job that a test program runs in: its processes run the same tests in the same order, and these are the plain
/// MPI calls by which they compare how each went.
#include <mpi.h>

#include <string>
#include <vector>

#include "tests/comm/transports.h"

namespace duet::comm {

class Job {
 public:
  explicit Job(MPI_Comm world);

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Every process's text, in rank order. Collective.
  std::vector<std::string> gather(const std::string& mine) const;

  /// What tests may run on here: unchecked, checked, and with messages so short that rows travel in pieces.
  std::vector<TestedTransport> transports() const;

 private:
  struct Kind {
    bool checked = false;
    std::int64_t largest_message = 0;
  };
  void run(int world_size, Deadline deadline, const Body& body, Kind kind) const;

  MPI_Comm world_;
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace duet::comm
