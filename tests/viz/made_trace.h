#pragma once
/// Traces without a run: the same on every machine, so that pictures and benchmarks of them can be compared.
#include <filesystem>
#include <string>
#include <vector>

#include "trace/record.h"

namespace duet::viz::test {

struct MadeRun {
  int ranks = 2;
  int experts = 8;
  int top_k = 2;
  int layers = 1;
  std::int64_t tokens = 4096;  ///< of all ranks together
  double capacity_factor = 1;
  bool record_tokens = true;
};

/// A step of "ep", "dp" or "single": tokens choose experts unevenly at first and evenly later, experts drop the last
/// ones over their capacity, and the events' rows are those that were kept.
trace::StepRecord made_step(const MadeRun& run, const std::string& mode, std::int64_t step);

/// Those steps of those modes as a whole trace's text.
std::string made_trace(const MadeRun& run, const std::vector<std::string>& modes, std::int64_t steps);

}  // namespace duet::viz::test
