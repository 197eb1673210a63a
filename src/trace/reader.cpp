#include "trace/reader.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/file_error.h"
#include "trace/json_number.h"
#include "trace/json_step.h"

namespace duet::trace {

namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, std::size_t number, const std::string& why) {
  throw InputError({.what = fmt::format("line {} of the trace cannot be read: {}", number, why),
                    .where = path.string(),
                    .usually = "the file was edited, or copied only in part",
                    .fix = "take the file that Duet wrote; without the bad line the rest reads"});
}

// The value of a line, or one that is discarded where the text is no JSON.
ordered_json parse(const std::string& text, std::size_t number, const fs::path& path) {
  if (too_deep(text)) refuse(path, number, "it is nested too deep");
  return ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
}

Header header_from(const ordered_json& json, const fs::path& path) {
  Header header;
  const auto& version = json.at("duet_trace");
  header.major = to_int(version.at("major"));
  header.minor = to_int(version.at("minor"));
  if (header.major != schema_major) {
    throw InputError({.what = fmt::format("the trace is of version {}.{}; this Duet reads version {}", header.major,
                                          header.minor, schema_major),
                      .where = path.string(),
                      .usually = header.major > schema_major ? "a newer Duet wrote it" : "an older Duet wrote it",
                      .fix = "read it with the Duet that wrote it"});
  }
  header.created = json.value("created", "");
  header.world_size = to_int(json.at("world_size"));
  header.transport = json.value("transport", "");
  header.device = json.value("device", "");
  header.warm_up = json.contains("warm_up") ? to_integer(json["warm_up"]) : 0;
  header.config = json.value("config", ordered_json::object()).dump();
  return header;
}

Header read_header(const std::string& text, const fs::path& path) {
  const auto json = parse(text, 1, path);
  if (!json.is_object() || !json.contains("duet_trace")) {
    throw InputError({.what = text.empty() ? "the trace is empty" : "this is not a Duet trace",
                      .where = path.string(),
                      .usually = "another kind of file, or a run that was cut off before its first step",
                      .fix = "give a run's folder, or the trace.jsonl in it"});
  }
  try {
    return header_from(json, path);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    refuse(path, 1, error.what());
  }
}

// Adds a line after the first: a step, or the footer.
void add_line(const ordered_json& json, UnknownWords unknown, Trace& trace) {
  if (trace.complete) throw std::invalid_argument("it stands after the footer");
  if (!json.contains("footer")) {
    trace.steps.push_back(step_from_json(json, unknown));
    return;
  }
  const auto steps = to_integer(json["footer"].at("steps"));
  if (steps != std::ssize(trace.steps)) {
    throw std::invalid_argument(fmt::format("it counts {} steps, and there are {}", steps, trace.steps.size()));
  }
  trace.interrupted = json["footer"].value("interrupted", false);
  trace.complete = true;
}

}  // namespace

fs::path trace_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path;
  for (const auto* name : {"trace.jsonl", "trace.jsonl.partial"}) {
    if (fs::exists(path / name, ignored)) return path / name;
  }
  throw InputError({.what = "the folder holds no trace.jsonl",
                    .where = path.string(),
                    .usually = "it is not the folder of one run, but one above it",
                    .fix = "name one of the folders in runs/"});
}

Trace read_trace(const fs::path& path) {
  const auto file = trace_file(path);
  std::ifstream in(file, std::ios::binary);
  if (!in) throw file_error("cannot read the trace", file, errno);
  return read_trace(in, file);
}

Trace read_trace(std::istream& in, const fs::path& path) {
  std::string text;
  std::getline(in, text);
  Trace trace;
  trace.header = read_header(text, path);
  const auto unknown = trace.header.minor > schema_minor ? UnknownWords::leave_out : UnknownWords::refuse;
  for (std::size_t number = 2; std::getline(in, text); ++number) {
    const bool cut_off = in.eof();  // a whole line ends in a newline
    const auto json = parse(text, number, path);
    trace.torn = json.is_discarded() && cut_off;
    if (trace.torn) break;
    try {
      if (!json.is_object()) throw std::invalid_argument("it is not a JSON object");
      add_line(json, unknown, trace);
    } catch (const std::exception& error) {
      refuse(path, number, error.what());
    }
  }
  if (in.bad()) throw file_error("cannot read the trace", path, EIO);
  return trace;
}

}  // namespace duet::trace
