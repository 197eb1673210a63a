#pragma once
/// The checkpoints of a run: a folder of files step-000100.safetensors.
#include <filesystem>
#include <optional>

#include "train/checkpoint_content.h"

namespace duet {

/// A file by its name; nothing is said of what is in it.
struct CheckpointName {
  std::int64_t step = 0;
  std::filesystem::path path;
};

std::filesystem::path checkpoint_path(const std::filesystem::path& folder, std::int64_t step);

/// Those of the folder, oldest first. Files of other names are not ours; a folder that is not there holds none.
std::vector<CheckpointName> list_checkpoints(const std::filesystem::path& folder);

/// Writes the state after `state.step` steps, then deletes all but the last `keep` of those up to that step. Later ones
/// stay: a run that went back to an earlier one did not write them. One run at a time may write to a folder.
void save_checkpoint(const std::filesystem::path& folder, const TrainState& state, const CheckpointInfo& info,
                     std::int64_t keep);

struct NewestCheckpoint {
  std::optional<Checkpoint> checkpoint;  ///< nothing when none can be read
  std::filesystem::path path;
  std::vector<std::string> refused;  ///< why each newer file was passed over, newest first
};

/// The newest checkpoint that can be read.
NewestCheckpoint newest_checkpoint(const std::filesystem::path& folder);

}  // namespace duet
