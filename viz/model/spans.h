#pragma once
/// Events as times from the beginning of their step, and where their waiting ends.
#include <vector>

#include "trace/record.h"

namespace duet::viz {

struct Span {
  std::size_t rank = 0;
  std::size_t number = 0;  ///< of the event on its rank
  const trace::Event* event = nullptr;
  double start_us = 0;
  double end_us = 0;
  double wait_end_us = 0;      ///< of a communication: when its last rank had come; else start_us
  std::size_t last_rank = 0;   ///< which rank that was
  bool wait_told = true;       ///< trace::StepRecord::waits_told; if not, wait_end_us is start_us
  double device_start_us = 0;  ///< both 0: nothing was measured on a device
  double device_end_us = 0;
};

/// All events of a step, ranks in order. They live as long as the step.
std::vector<Span> spans_of(const trace::StepRecord& step);

}  // namespace duet::viz
