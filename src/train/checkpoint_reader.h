#pragma once
/// Reads a checkpoint file. Any bytes are read or refused with the reason.
#include "train/checkpoint_file.h"

namespace duet {

/// @throws InputError saying why the file is refused: cut off, altered, of another kind, or of a newer version
CheckpointFile read_checkpoint_file(const std::filesystem::path& path);

/// The same from memory.
/// @param path where it came from, for messages
CheckpointFile parse_checkpoint_file(std::string bytes, const std::filesystem::path& path);

}  // namespace duet
