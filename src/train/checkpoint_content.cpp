#include "train/checkpoint_content.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cstring>
#include <sstream>

#include "core/error.h"
#include "train/checkpoint_reader.h"
#include "train/ranks.h"

namespace duet {

namespace {

namespace fs = std::filesystem;

/// A type as safetensors names it.
struct NamedType {
  at::ScalarType type;
  const char* name;
};

constexpr std::array types{NamedType{at::kFloat, "F32"}, NamedType{at::kDouble, "F64"}, NamedType{at::kLong, "I64"}};

std::string name_of(at::ScalarType type) {
  for (const auto& [known, name] : types) {
    if (known == type) return name;
  }
  throw InputError(fmt::format("{} tensors have no place in a checkpoint", c10::toString(type)));
}

at::Tensor tensor_of(const TensorBytes& bytes) {
  for (const auto& [type, name] : types) {
    if (bytes.dtype != name) continue;
    auto tensor = at::empty(bytes.sizes, type);
    if (!bytes.bytes.empty()) std::memcpy(tensor.data_ptr(), bytes.bytes.data(), bytes.bytes.size());
    return tensor;
  }
  throw InputError(fmt::format("{} tensors have no place in a checkpoint", bytes.dtype));
}

/// The texts of a file's metadata, read strictly.
class Metadata {
 public:
  Metadata(const CheckpointFile& file, const fs::path& path) : texts_(file.metadata), path_(path) {}

  const std::string& text(const std::string& key) const {
    const auto found = texts_.find(key);
    if (found == texts_.end()) refuse(key);
    return found->second;
  }

  template <typename Number>
  Number number(const std::string& key) const {
    return number_from<Number>(key, text(key));
  }

  std::vector<std::int64_t> list(const std::string& key) const {
    std::vector<std::int64_t> numbers;
    std::stringstream in(text(key));
    for (std::string one; std::getline(in, one, ',');) numbers.push_back(number_from<std::int64_t>(key, one));
    return numbers;
  }

  Mode mode(const std::string& key) const {
    for (const auto mode : {Mode::ep, Mode::dp, Mode::single}) {
      if (text(key) == name(mode)) return mode;
    }
    refuse(key);
  }

 private:
  template <typename Number>
  Number number_from(const std::string& key, const std::string& text) const {
    Number number{};
    const auto* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end || number < 0) refuse(key);
    return number;
  }

  [[noreturn]] void refuse(const std::string& key) const {
    throw InputError({.what = fmt::format("the checkpoint cannot be read: its '{}' is missing or wrong", key),
                      .where = path_.string(),
                      .usually = "another program wrote or changed it",
                      .fix = "use an earlier checkpoint of the run"});
  }

  const std::map<std::string, std::string>& texts_;
  const fs::path& path_;
};

}  // namespace

CheckpointInfo checkpoint_info(const RunConfig& config, Mode mode) {
  return {.mode = mode,
          .mesh = layout_of(config, mode).mesh,
          .shard_tokens = shard_sizes(config),
          .seed = config.data.seed,
          .config = {}};
}

void write_checkpoint(const fs::path& path, const TrainState& state, const CheckpointInfo& info) {
  CheckpointFile file;
  file.metadata = {{"step", fmt::to_string(state.step)},
                   {"adam_steps", fmt::to_string(state.adam_steps)},
                   {"loss", fmt::format("{}", state.loss)},
                   {"mode", name(info.mode)},
                   {"ranks", fmt::to_string(info.mesh.world())},
                   {"dp", fmt::to_string(info.mesh.dp)},
                   {"ep", fmt::to_string(info.mesh.ep)},
                   {"shard_tokens", fmt::format("{}", fmt::join(info.shard_tokens, ","))},
                   {"seed", fmt::to_string(info.seed)},
                   {"config", info.config}};
  std::vector<at::Tensor> contiguous;  // hold the memory that the file's spans are of, on the CPU
  for (const auto& [name, tensor] : state.tensors) {
    const auto& values = contiguous.emplace_back(tensor.to(at::kCPU).contiguous());
    file.tensors.push_back({.name = name,
                            .dtype = name_of(values.scalar_type()),
                            .sizes = values.sizes().vec(),
                            .bytes = {static_cast<const std::byte*>(values.const_data_ptr()), values.nbytes()}});
  }
  write_checkpoint_file(path, file);
}

Checkpoint read_checkpoint(const fs::path& path) {
  const auto file = read_checkpoint_file(path);
  const Metadata metadata(file, path);
  Checkpoint checkpoint;
  auto& [state, info] = checkpoint;
  state.step = metadata.number<std::int64_t>("step");
  state.adam_steps = metadata.number<std::int64_t>("adam_steps");
  state.loss = metadata.number<double>("loss");
  for (const auto& tensor : file.tensors) state.tensors.push_back({tensor.name, tensor_of(tensor)});
  info.mode = metadata.mode("mode");
  info.mesh = {.dp = metadata.number<int>("dp"), .ep = metadata.number<int>("ep")};
  info.shard_tokens = metadata.list("shard_tokens");
  info.seed = metadata.number<std::uint64_t>("seed");
  info.config = metadata.text("config");
  return checkpoint;
}

}  // namespace duet
