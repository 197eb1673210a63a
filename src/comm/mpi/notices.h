#pragma once
/// What ranks tell each other beside their data: that one failed or left, and what one waits for.
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "comm/mpi/mpi_handle.h"

namespace duet::comm {

enum class Topic : int { failed, left, question, answer };

/// A few texts under a topic.
struct Notice {
  Topic topic = Topic::failed;
  int from = 0;
  std::vector<std::string> parts;
};

/// The second communicator of a world, which carries notices only, so that no data can be taken for one.
class Notices {
 public:
  explicit Notices(MPI_Comm world) : comm_(MpiHandle::duplicate(world)) {}

  /// Sends without waiting. A long part is cut: a notice must arrive although its sender does nothing more for it.
  /// Throws nothing, as it is called where a failure is told: one that MPI does not take is lost.
  void tell(int rank, Topic topic, const std::vector<std::string>& parts);
  /// The next notice that has come; no value when none has.
  std::optional<Notice> poll();
  /// After a failure: what was sent may still be under way.
  void leave_open() { comm_.leave_open(); }
  /// Whether all that was told has been taken.
  bool all_taken();

 private:
  struct Sent {
    std::string text;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  MpiHandle comm_;
  std::list<Sent> sent_;
};

}  // namespace duet::comm
