#pragma once
/// What a rank is told whose wait came to nothing: the same words on every transport.
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "core/error.h"

namespace duet::comm {

/// A rank that waits, and for whom; ranks are the world's.
struct Waiting {
  int rank = 0;
  std::string operation;     ///< "all_to_all #3"
  std::vector<int> missing;  ///< who has not come; nobody where all have, and what they do does not end
};

/// Rank `gone` returned although `waiting` needs it.
ErrorText returned_early(int gone, const Waiting& waiting);

/// The deadline of `first` passed. `ask` says what another rank waits for (nothing: it is in no communication); it is
/// asked along the chain of those who wait for one rank each, so that a ring of waits is told whole.
ErrorText too_late(const Waiting& first, Deadline deadline, const std::function<std::optional<Waiting>(int rank)>& ask);

/// `waiting` was in an operation when rank `failed` failed.
ErrorText because_of_failure(int failed, const std::string& reason, const Waiting& waiting);

/// Rank `rank` let go of a started operation ("all_reduce #1") before its wait().
ErrorText never_waited(int rank, const std::string& operation);
/// Rank `rank` would start one more operation while `count` others run; `operation` is the oldest.
ErrorText too_many_started(int rank, std::size_t count, const std::string& operation);

/// The message of an exception, without a backtrace; of an Error, the line that says what happened.
std::string what_happened(const std::exception_ptr& error);

/// Whether a debugger watches this process: then no deadline holds.
bool debugger_attached();

}  // namespace duet::comm
