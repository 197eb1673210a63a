#pragma once
/// Where the time of a step goes: every phase's own work, waiting and transfer (lesson 13).
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/record.h"
#include "trace/statistics.h"

namespace duet::trace {

/// One row of the table: a phase in one direction, or what lies between phases.
struct PhaseKey {
  Phase phase = Phase::route;
  Direction direction = Direction::forward;
  bool between = false;  ///< the time of the step that no phase covers; phase and direction then mean nothing
  bool operator==(const PhaseKey&) const = default;
};

/// The rows in the order of a step; a backward exchange stands beside the backward pass that it interrupts.
std::vector<PhaseKey> phase_order();

/// "route", "combine, backward", "between phases".
std::string label(const PhaseKey& key);

/// A phase's part of one step on one rank, in microseconds. An exchange inside the phase is divided into waiting for
/// the latest peer to start (from the peers' own start stamps) and the transfer after that; where the step's waits
/// cannot be told, all of it counts as transfer.
struct PhaseTime {
  double work_us = 0;
  double wait_us = 0;
  double transfer_us = 0;
  double total_us() const { return work_us + wait_us + transfer_us; }
};

/// The step on its slowest rank, a time for each of phase_order(); they add up to that rank's first event's start to
/// its last event's end.
std::vector<PhaseTime> divide(const StepRecord& step);

struct PhaseRow {
  PhaseKey key;
  Spread work_us, wait_us, transfer_us;
};

/// A mode's steps in figures. Rows that are zero in every step are left out. The rows' means add up to the step's mean;
/// medians need not.
struct Breakdown {
  std::int64_t steps = 0;
  Spread step_us;  ///< slowest rank
  std::vector<PhaseRow> rows;
  /// Mean waiting, transfer of a whole step.
  double wait_us() const;
  double transfer_us() const;
};

/// @param steps what `divide` gave for each step of one mode, those of the warm-up left out
Breakdown break_down(std::span<const std::vector<PhaseTime>> steps);

}  // namespace duet::trace
