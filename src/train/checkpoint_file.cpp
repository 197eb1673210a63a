#include "train/checkpoint_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "core/error.h"
#include "train/checkpoint_layout.h"

namespace duet {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view unfinished = ".partial";

std::string_view view(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string header_of(const CheckpointFile& file, const fs::path& path) {
  auto header = json::object();
  auto& metadata = header[checkpoint_metadata] = file.metadata;
  metadata["format"] = checkpoint_format;
  metadata["version"] = fmt::to_string(checkpoint_version);
  metadata["checksum"] = no_checksum;
  std::size_t start = 0;
  for (const auto& tensor : file.tensors) {
    if (bytes_of_tensor(tensor.dtype, tensor.sizes) != tensor.bytes.size()) {
      throw InputError({.what = fmt::format("{} bytes are no {} of these sizes", tensor.bytes.size(), tensor.dtype),
                        .where = fmt::format("{}, tensor {}", path.string(), tensor.name),
                        .usually = {},
                        .fix = {}});
    }
    const auto end = start + tensor.bytes.size();
    header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.sizes}, {"data_offsets", {start, end}}};
    start = end;
  }
  // A text that is not UTF-8 (a path may be none) is replaced where it is not: JSON cannot hold it.
  auto text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.append((checkpoint_length_bytes - text.size() % checkpoint_length_bytes) % checkpoint_length_bytes,
              ' ');  // the numbers start aligned
  return text;
}

}  // namespace

void write_checkpoint_file(const fs::path& path, const CheckpointFile& file) {
  auto header = header_of(file, path);
  std::vector<std::string_view> data;
  for (const auto& tensor : file.tensors) data.push_back(view(tensor.bytes));
  header.replace(place_of_checksum(header, no_checksum), no_checksum.size(),
                 checkpoint_checksum(header, no_checksum, data));
  const std::uint64_t length = header.size();
  std::error_code ignored;  // of a run that was killed while it wrote
  fs::remove(path.string().append(unfinished), ignored);
  AtomicFile out(path, unfinished, Unfinished::remove);
  out.write({reinterpret_cast<const char*>(&length), checkpoint_length_bytes});
  out.write(header);
  for (const auto& part : data) out.write(part);
  out.commit();
}

}  // namespace duet
