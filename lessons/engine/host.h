#pragma once
/// The student's process: it gets inputs, runs the unit, and returns what came out. Every lesson's host.cpp defines
/// `run_unit`; lessons/engine/host_main.cpp does the rest.
#include "comm/communicator.h"
#include "values.h"

namespace duet::lessons {

/// Calls the unit with `in` and returns its outputs by name.
///
/// @param call which of the lesson's calls, where it has several
/// @param comm this rank's communicator; null for a call that runs alone
Values run_unit(const std::string& call, const Values& in, comm::Communicator* comm);

}  // namespace duet::lessons
