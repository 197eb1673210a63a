#include "train/checkpoint_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/file_error.h"
#include "train/checkpoint_layout.h"

namespace duet {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t largest_header = 100'000'000;  // as safetensors itself has it

// A damaged file may hold anything, and a message goes to a terminal.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isprint(c) == 0; }, '?');
  return text;
}

/// What is wrong with a file's bytes.
[[noreturn]] void refuse(const fs::path& path, const std::string& what, const std::string& usually) {
  throw InputError({.what = fmt::format("the checkpoint cannot be read: {}", printable(what)),
                    .where = path.string(),
                    .usually = usually,
                    .fix = "use an earlier checkpoint of the run"});
}

[[noreturn]] void refuse_cut(const fs::path& path, std::size_t has, std::size_t needs) {
  refuse(path, fmt::format("it is cut off: {} bytes are there, of {}", has, needs),
         "the disk was full, or the file was copied only in part");
}

[[noreturn]] void refuse_altered(const fs::path& path, const std::string& what) {
  refuse(path, what, "the file was edited, or the disk has a fault");
}

[[noreturn]] void refuse_foreign(const fs::path& path) {
  refuse(path, "it is no checkpoint of Duet", "another program wrote it");
}

std::string_view header_in(std::string_view bytes, const fs::path& path) {
  if (bytes.size() <= checkpoint_length_bytes) refuse_cut(path, bytes.size(), checkpoint_length_bytes + 1);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), checkpoint_length_bytes);
  if (bytes[checkpoint_length_bytes] != '{' || length > largest_header) refuse_foreign(path);
  if (length > bytes.size() - checkpoint_length_bytes) refuse_cut(path, bytes.size(), checkpoint_length_bytes + length);
  return bytes.substr(checkpoint_length_bytes, length);
}

std::map<std::string, std::string> metadata_from(const json& header, const fs::path& path) {
  if (!header.is_object() || !header.contains(checkpoint_metadata)) refuse_foreign(path);
  auto metadata = header[checkpoint_metadata].get<std::map<std::string, std::string>>();
  const auto format = metadata.find("format");
  if (format == metadata.end() || format->second != checkpoint_format) refuse_foreign(path);
  const auto& version = metadata.at("version");
  if (version != fmt::to_string(checkpoint_version)) {
    refuse(path, fmt::format("it is of version {}; this Duet reads version {}", version, checkpoint_version),
           "a newer Duet wrote it");
  }
  return metadata;
}

std::uint64_t whole(const json& number) {
  if (!number.is_number_unsigned()) throw std::invalid_argument("a size or an offset is not a whole number");
  return number.get<std::uint64_t>();
}

/// A tensor's place in the data behind the header.
struct Place {
  TensorBytes tensor;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

Place place_from(const std::string& name, const json& entry) {
  Place place;
  place.tensor.name = name;
  place.tensor.dtype = entry.at("dtype").get<std::string>();
  for (const auto& size : entry.at("shape")) place.tensor.sizes.push_back(static_cast<std::int64_t>(whole(size)));
  place.start = whole(entry.at("data_offsets").at(0));
  place.end = whole(entry.at("data_offsets").at(1));
  const auto bytes = bytes_of_tensor(place.tensor.dtype, place.tensor.sizes);
  if (!bytes || place.start > place.end || place.end - place.start != *bytes) {
    throw std::invalid_argument(fmt::format("tensor {} has a wrong type, size or place", name));
  }
  return place;
}

// The tensors in the order of their bytes, which lie one behind the other without a gap.
std::vector<Place> places_from(const json& header) {
  std::vector<Place> places;
  for (const auto& [name, entry] : header.items()) {
    if (name != checkpoint_metadata) places.push_back(place_from(name, entry));
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return std::pair(a.start, a.end) < std::pair(b.start, b.end); });
  std::uint64_t end = 0;
  for (const auto& place : places) {
    if (place.start != end) throw std::invalid_argument(fmt::format("tensor {} overlaps another", place.tensor.name));
    end = place.end;
  }
  return places;
}

void take_tensors(CheckpointFile& file, std::vector<Place> places, std::string_view data, std::size_t data_start,
                  const fs::path& path) {
  const std::size_t needed = places.empty() ? 0 : places.back().end;
  if (needed > data.size()) refuse_cut(path, data_start + data.size(), data_start + needed);
  if (needed < data.size()) refuse_altered(path, fmt::format("{} bytes follow its end", data.size() - needed));
  for (auto& place : places) {
    place.tensor.bytes = std::as_bytes(std::span(data)).subspan(place.start, place.end - place.start);
    file.tensors.push_back(std::move(place.tensor));
  }
}

}  // namespace

CheckpointFile parse_checkpoint_file(std::string bytes, const fs::path& path) {
  CheckpointFile file;
  file.storage = std::make_shared<const std::string>(std::move(bytes));
  const std::string_view all(*file.storage);
  const auto header_text = header_in(all, path);
  const auto data = all.substr(checkpoint_length_bytes + header_text.size());
  try {
    const auto header = json::parse(header_text);
    file.metadata = metadata_from(header, path);
    take_tensors(file, places_from(header), data, checkpoint_length_bytes + header_text.size(), path);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    refuse_altered(path, fmt::format("its header is damaged: {}", error.what()));
  }
  const auto& checksum = file.metadata["checksum"];
  if (checksum.empty() || checkpoint_checksum(std::string(header_text), checksum, {data}) != checksum) {
    refuse_altered(path, "its checksum does not fit its bytes");
  }
  for (const auto* key : {"format", "version", "checksum"}) file.metadata.erase(key);
  return file;
}

CheckpointFile read_checkpoint_file(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) throw file_error("cannot read the checkpoint", path, error.value());
  std::ifstream in(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!in || !in.read(bytes.data(), static_cast<std::streamsize>(size))) {
    throw file_error("cannot read the checkpoint", path, errno);
  }
  return parse_checkpoint_file(std::move(bytes), path);
}

}  // namespace duet
