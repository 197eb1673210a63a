#include "train/checkpoint_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/file_error.h"

namespace duet {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "step-";
constexpr std::string_view extension = ".safetensors";

std::optional<std::int64_t> step_of(const std::string& name) {
  if (name.rfind(prefix, 0) != 0 || name.size() <= prefix.size() + extension.size()) return {};
  const auto* const end = name.data() + name.size() - extension.size();
  if (end != extension) return {};
  std::int64_t step = 0;
  const auto read = std::from_chars(name.data() + prefix.size(), end, step);
  if (read.ec != std::errc{} || read.ptr != end || step < 0) return {};
  return step;
}

Checkpoint read_named(const CheckpointName& name) {
  auto checkpoint = read_checkpoint(name.path);
  if (checkpoint.state.step != name.step) {
    throw InputError({.what = fmt::format("the checkpoint is of step {}", checkpoint.state.step),
                      .where = name.path.string(),
                      .usually = "the file was renamed",
                      .fix = {}});
  }
  return checkpoint;
}

// What killed runs did not get to rename.
void remove_unfinished(const fs::path& folder) {
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    if (entry->path().extension() == ".partial") fs::remove(entry->path(), ignored);
  }
}

}  // namespace

fs::path checkpoint_path(const fs::path& folder, std::int64_t step) {
  return folder / fmt::format("{}{:06}{}", prefix, step, extension);
}

std::vector<CheckpointName> list_checkpoints(const fs::path& folder) {
  std::vector<CheckpointName> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const auto step = step_of(entry->path().filename().string());
    std::error_code ignored;
    if (step && entry->is_regular_file(ignored)) names.push_back({*step, entry->path()});
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw file_error("cannot look for checkpoints", folder, error.value());
  }
  std::sort(names.begin(), names.end(),
            [](const CheckpointName& a, const CheckpointName& b) { return a.step < b.step; });
  return names;
}

void save_checkpoint(const fs::path& folder, const TrainState& state, const CheckpointInfo& info, std::int64_t keep) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw file_error("cannot make the folder for checkpoints", folder, error.value());
  remove_unfinished(folder);
  write_checkpoint(checkpoint_path(folder, state.step), state, info);
  auto names = list_checkpoints(folder);
  std::erase_if(names, [&](const CheckpointName& name) { return name.step > state.step; });
  for (std::int64_t i = 0; i < std::ssize(names) - keep; ++i) {
    fs::remove(names[static_cast<std::size_t>(i)].path, error);
    if (error)
      throw file_error("cannot delete an old checkpoint", names[static_cast<std::size_t>(i)].path, error.value());
  }
}

NewestCheckpoint newest_checkpoint(const fs::path& folder) {
  NewestCheckpoint newest;
  auto names = list_checkpoints(folder);
  std::reverse(names.begin(), names.end());
  for (const auto& name : names) {
    try {
      newest.checkpoint = read_named(name);
      newest.path = name.path;
      break;
    } catch (const InputError& error) {
      newest.refused.emplace_back(error.what());
    }
  }
  return newest;
}

}  // namespace duet
