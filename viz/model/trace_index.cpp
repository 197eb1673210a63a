#include "viz/model/trace_index.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "core/file_error.h"
#include "trace/json_step.h"
#include "trace/reader.h"
#include "viz/model/token_lists.h"

namespace duet::viz {

namespace {

constexpr std::size_t parsed_kept = 8;
constexpr std::size_t with_tokens_kept = 2;
constexpr std::size_t head_of_line = 200;  // the writer puts step and mode first

// The header alone, with the reader's own messages for a file that is no trace.
trace::Header header_of(std::string_view text, const std::filesystem::path& path) {
  std::istringstream first(std::string(text.substr(0, text.find('\n'))));
  return trace::read_trace(first, path).header;
}

// The step's single tokens stand in lists of their own; where those are in a form that only the general reader knows,
// it reads the whole line.
trace::StepRecord read_step(std::string_view line, bool tokens) {
  using trace::UnknownWords;
  const auto parse = [](std::string_view text) {
    if (trace::too_deep(text)) throw std::invalid_argument("it is nested too deep");
    return trace::step_from_json(nlohmann::ordered_json::parse(text), UnknownWords::leave_out);
  };
  const auto cut = cut_tokens(line);
  auto step = parse(cut.rest);
  for (auto& rank : step.ranks) {
    for (auto& layer : rank.layers) {
      if (layer.tokens.empty()) continue;
      const auto number = static_cast<std::size_t>(layer.tokens.front().token);
      layer.tokens.clear();
      if (!tokens || number >= cut.lists.size()) continue;
      auto list = read_tokens(cut.lists[number]);
      if (!list) return parse(line);
      layer.tokens = std::move(*list);
    }
  }
  return step;
}

}  // namespace

/// A file in memory, as long as it was when it was mapped.
struct TraceIndex::Mapped {
  explicit Mapped(const std::filesystem::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || fstat(file, &status) != 0) {
      const int error = errno;
      if (file >= 0) close(file);
      throw file_error("cannot read the trace", path, error);
    }
    if (!S_ISREG(status.st_mode)) {  // /dev/zero has no end, a terminal no beginning
      close(file);
      throw InputError({.what = "the trace is no file: " + path.string(),
                        .where = {},
                        .usually = {},
                        .fix = "name a run's folder or its trace.jsonl, or - for standard input"});
    }
    size = static_cast<std::size_t>(status.st_size);
    if (size > 0) start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    const int error = errno;
    close(file);
    if (start == MAP_FAILED) throw file_error("cannot map the trace into memory", path, error);
  }
  ~Mapped() {
    if (start != nullptr) munmap(start, size);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  void* start = nullptr;
  std::size_t size = 0;
};

TraceIndex::TraceIndex(const std::filesystem::path& path)
    : path_(path), mapped_(std::make_unique<Mapped>(path)), header_(header_of(text(), path)) {
  index_from(0);
}

TraceIndex::TraceIndex(std::string text, const std::filesystem::path& name)
    : path_(name), owned_(std::move(text)), header_(header_of(owned_, name)) {
  index_from(0);
}

TraceIndex::~TraceIndex() = default;

std::string_view TraceIndex::text() const {
  return mapped_ ? std::string_view(static_cast<const char*>(mapped_->start), mapped_->size) : owned_;
}

void TraceIndex::index_from(std::size_t offset) {
  const auto all = text();
  while (offset < all.size()) {
    const auto end = all.find('\n', offset);
    torn_ = end == std::string_view::npos;
    if (torn_) break;
    if (offset > 0) add_line(offset, end - offset);  // the first line is the header
    offset = end + 1;
  }
  indexed_ = offset;
  steps_.clear();
  for (const auto& place : places_) steps_.push_back(place.step);
  std::sort(steps_.begin(), steps_.end());
  steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
}

void TraceIndex::add_line(std::size_t offset, std::size_t size) {
  const auto head = text().substr(offset, std::min(size, head_of_line));
  if (head.starts_with("{\"footer\"")) {
    complete_ = true;
    return;
  }
  const auto number = after(head, "\"step\":");
  const auto mode = after(head, "\"mode\":\"");
  StepPlace place{.offset = offset, .size = size};
  if (number.empty() || mode.empty()) return;              // no step: `find` never sees it
  constexpr std::int64_t largest = std::int64_t{1} << 53;  // as trace/json_number.h
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), place.step);
  if (error != std::errc{} || place.step < 0 || place.step > largest) return;
  const std::string name(mode.substr(0, mode.find('"')));
  const auto known = std::find(modes_.begin(), modes_.end(), name);
  place.mode = static_cast<int>(known - modes_.begin());
  if (known == modes_.end()) modes_.push_back(name);
  place_of_.try_emplace({place.mode, place.step}, places_.size());
  places_.push_back(place);
}

const trace::StepRecord* TraceIndex::find(int mode, std::int64_t step) const {
  return look_up(parsed_, parsed_kept, false, mode, step);
}

const trace::StepRecord* TraceIndex::find_with_tokens(int mode, std::int64_t step) const {
  return look_up(parsed_with_tokens_, with_tokens_kept, true, mode, step);
}

const trace::StepRecord* TraceIndex::look_up(Memory& memory, std::size_t most, bool tokens, int mode,
                                             std::int64_t step) const {
  const auto known = place_of_.find({mode, step});
  if (known == place_of_.end()) return nullptr;
  const auto& place = places_[known->second];
  for (auto it = memory.begin(); it != memory.end(); ++it) {
    if (it->offset != place.offset) continue;
    memory.splice(memory.begin(), memory, it);
    return &memory.front().step;
  }
  const auto line = text().substr(place.offset, place.size);
  try {
    memory.push_front({place.offset, read_step(line, tokens)});
  } catch (const std::exception& error) {
    throw InputError({.what = "a step of the trace cannot be read: " + std::string(error.what()),
                      .where = path_.string() + ", step " + std::to_string(step),
                      .usually = "the file was edited, or copied only in part",
                      .fix = "take the file that Duet wrote"});
  }
  if (memory.size() > most) memory.pop_back();
  return &memory.front().step;
}

const std::vector<StepSummary>& TraceIndex::summaries() const {
  summaries_.reserve(places_.size());
  for (auto i = summaries_.size(); i < places_.size(); ++i) {
    summaries_.push_back(summarize(text().substr(places_[i].offset, places_[i].size)));
    summaries_.back().step = places_[i].step;
    summaries_.back().mode = places_[i].mode;
  }
  return summaries_;
}

bool TraceIndex::refresh() {
  if (!mapped_ || complete_) return false;
  if (path_.extension() == ".partial" && !std::filesystem::exists(path_)) path_.replace_extension();  // the run ended
  auto now = std::make_unique<Mapped>(path_);
  if (now->size <= mapped_->size) return false;
  mapped_ = std::move(now);
  const auto before = places_.size();
  index_from(indexed_);
  return places_.size() > before;
}

}  // namespace duet::viz
