#pragma once
/// Where thread ranks lay their parts of steps, and one of them joins the parts. (Processes will gather instead.)
#include <vector>

#include "train/rank_trainer.h"

namespace duet {

class StepBoard {
 public:
  explicit StepBoard(int ranks) : parts_(static_cast<std::size_t>(ranks)) {}

  /// Each rank lays its own steps; no two ranks touch the same place.
  void lay(int rank, std::vector<RankStepResult> steps) { parts_[static_cast<std::size_t>(rank)] = std::move(steps); }

  /// One record a step over ranks [0, ranks). Call on one rank, after a barrier; lay again only after another.
  std::vector<trace::StepRecord> join(const std::string& mode, int ranks, const std::vector<AuxTerm>& aux);

 private:
  std::vector<std::vector<RankStepResult>> parts_;
};

}  // namespace duet
