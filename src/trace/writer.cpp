#include "trace/writer.h"

#include <fmt/chrono.h>

#include <cerrno>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/file_error.h"
#include "trace/json_step.h"

namespace duet::trace {

namespace {

using nlohmann::ordered_json;

// A run's trace is its only record, so none is ever written over.
const std::filesystem::path& must_be_new(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) throw file_error("cannot write the trace", path, EEXIST);
  return path;
}

constexpr const char* partial = ".partial";

// One line; bytes that are not UTF-8 (a path may hold some) are replaced, for JSON cannot hold them.
std::string line_of(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ordered_json header_to_json(const Header& header) {
  auto config = ordered_json::parse(header.config, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) throw InputError("a trace's configuration is a JSON object, not: " + header.config);
  ordered_json json;
  json["duet_trace"] = {{"major", schema_major}, {"minor", schema_minor}};
  json["created"] = header.created.empty() ? fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr))) : header.created;
  json["world_size"] = header.world_size;
  json["transport"] = header.transport;
  json["device"] = header.device;
  json["clock"] = "steady, the same on every rank, ns since the start of the run";
  json["warm_up"] = header.warm_up;
  json["config"] = std::move(config);
  return json;
}

// At every moment PATH or PATH.partial is a trace that holds `before`; a reader prefers PATH.
const std::filesystem::path& replace_beginning(const std::filesystem::path& path, const Header& header,
                                               std::span<const StepRecord> before) {
  constexpr const char* unfinished = ".resumed";
  auto file = path;
  file += partial;
  std::error_code ignored;
  std::filesystem::remove(file.string().append(unfinished), ignored);  // of a run that was killed here
  AtomicFile beginning(file, unfinished, Unfinished::remove);
  beginning.write(line_of(header_to_json(header)));
  for (const auto& step : before) beginning.write(line_of(step_to_json(step, /*start_ns=*/0)));
  beginning.commit();
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) throw file_error("cannot replace the trace", path, error.value());
  return path;
}

}  // namespace

TraceWriter::TraceWriter(const std::filesystem::path& path, const Header& header)
    : file_(must_be_new(path), partial, Unfinished::keep), start_ns_(header.start_ns) {
  file_.write(line_of(header_to_json(header)));
}

TraceWriter::TraceWriter(const std::filesystem::path& path, const Header& header, std::span<const StepRecord> before)
    : file_(replace_beginning(path, header, before), partial, Unfinished::keep, Start::append),
      start_ns_(header.start_ns),
      steps_(std::ssize(before)) {}

void TraceWriter::write(const StepRecord& step) {
  file_.write(line_of(step_to_json(step, start_ns_)));
  ++steps_;
}

void TraceWriter::finish(bool interrupted) {
  file_.write(line_of({{"footer", {{"steps", steps_}, {"interrupted", interrupted}}}}));
  file_.commit();
}

}  // namespace duet::trace
