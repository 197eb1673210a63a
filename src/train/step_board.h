#pragma once
/// Where ranks lay their parts of steps, and rank 0 joins the parts.
#include <optional>
#include <vector>

#include "train/rank_trainer.h"

namespace duet {

class StepBoard {
 public:
  explicit StepBoard(int ranks) : parts_(static_cast<std::size_t>(ranks)) {}

  /// Each rank lays its own steps; when it returns, rank 0 may join those of all. Ranks that are threads share one
  /// board, and no two touch the same place; those that are processes have one each, and send what they have to rank 0
  /// (less the choices of single tokens, which nothing joins). Collective.
  /// @param patience how long the others may take to come here, when that is not the world's own deadline
  void lay(comm::Communicator& world, std::vector<RankStepResult> steps,
           std::optional<comm::Deadline> patience = std::nullopt);

  /// One record a step over ranks [0, ranks), on rank 0. Lay again only after a barrier.
  std::vector<trace::StepRecord> join(const std::string& mode, int ranks, const std::vector<AuxTerm>& aux);

 private:
  void look_at(comm::Communicator& world);

  std::vector<std::vector<RankStepResult>> parts_;
  std::optional<bool> waits_told_;  ///< asked once
};

}  // namespace duet
