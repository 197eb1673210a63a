#pragma once
/// A checkpoint with its meaning: the state of training, and what it was trained from (docs/checkpoints.md).
#include <filesystem>

#include "train/checkpoint.h"

namespace duet {

/// What a state belongs to.
struct CheckpointInfo {
  Mode mode = Mode::ep;
  Mesh mesh;                               ///< of the layout that wrote it; nothing depends on it
  std::vector<std::int64_t> shard_tokens;  ///< of the global batch
  std::uint64_t seed = 0;
  std::string config;  ///< the run's configuration as text; the caller's to write and to read
};

struct Checkpoint {
  TrainState state;
  CheckpointInfo info;
};

/// What a run's configuration says of its checkpoints, less the text.
CheckpointInfo checkpoint_info(const RunConfig& config, Mode mode);

/// Writes the file whole or not at all (train/checkpoint_file.h).
void write_checkpoint(const std::filesystem::path& path, const TrainState& state, const CheckpointInfo& info);

/// @throws InputError saying why the file is refused
Checkpoint read_checkpoint(const std::filesystem::path& path);

}  // namespace duet
