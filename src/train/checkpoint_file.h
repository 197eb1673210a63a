#pragma once
/// A checkpoint as a file (docs/checkpoints.md): named tensors and named texts in the public safetensors layout, so
/// that other programs open it. What the names mean is train/checkpoint.h's to say. No tensors here.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace duet {

/// The version that this program writes, and the newest that it reads.
constexpr int checkpoint_version = 1;

/// A tensor's numbers, row by row.
struct TensorBytes {
  std::string name;
  std::string dtype;  ///< as safetensors names it: F32, F64 or I64
  std::vector<std::int64_t> sizes;
  std::span<const std::byte> bytes;
};

struct CheckpointFile {
  std::map<std::string, std::string> metadata;  ///< less format, version and checksum, which the file alone keeps
  std::vector<TensorBytes> tensors;
  std::shared_ptr<const std::string> storage;  ///< what the tensors' bytes lie in, once read; null: somewhere else
};

/// Writes the file: afterwards `path` holds this checkpoint, on the disk, or what it held before.
/// @throws InputError when the system refuses (a full disk), or a tensor's bytes are not what its sizes ask for
void write_checkpoint_file(const std::filesystem::path& path, const CheckpointFile& file);

}  // namespace duet
