/// The reader of checkpoint files on any bytes: it reads them or throws an InputError, and what it read can be written
/// and read again. A checksum stands between most made-up bytes and the end of the reader, so they are given to it once
/// more with the right one.
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "tests/fuzz/target.h"
#include "train/checkpoint_layout.h"
#include "train/checkpoint_reader.h"

namespace duet::test {

namespace {

namespace fs = std::filesystem;

// The bytes with the checksum that fits them; as they are where none stands in the header.
std::string with_checksum(std::string bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof(length)) return bytes;
  std::memcpy(&length, bytes.data(), sizeof(length));
  const std::string_view behind = std::string_view(bytes).substr(sizeof(length));
  if (length > behind.size()) return bytes;
  const std::string header(behind.substr(0, length));
  const std::string_view before = "\"checksum\":\"";
  const auto key = header.find(before);
  if (key == std::string::npos) return bytes;
  const auto digits = header.substr(key + before.size(), no_checksum.size());
  const auto checksum = checkpoint_checksum(header, digits, {behind.substr(length)});
  const auto place = place_of_checksum(header, digits);
  if (digits.size() != checksum.size() || place == std::string::npos) return bytes;
  return bytes.replace(sizeof(length) + place, checksum.size(), checksum);
}

bool same(const TensorBytes& a, const TensorBytes& b) {
  return a.name == b.name && a.dtype == b.dtype && a.sizes == b.sizes && std::ranges::equal(a.bytes, b.bytes);
}

void expect_the_same_again(const CheckpointFile& file) {
  const fs::path memory = "/dev/shm";
  const auto folder = fs::is_directory(memory) ? memory : fs::temp_directory_path();
  const auto path = folder / ("duet_fuzz_" + std::to_string(getpid()) + ".checkpoint");
  write_checkpoint_file(path, file);
  const auto again = read_checkpoint_file(path);
  expect(again.metadata == file.metadata, "the texts read back as others");
  expect(std::ranges::equal(again.tensors, file.tensors, same), "a tensor reads back as another one");
  fs::remove(path);
}

bool takes_as_it_is(const std::string& bytes) {
  CheckpointFile file;
  try {
    file = parse_checkpoint_file(bytes, "fuzz");
  } catch (const InputError& error) {
    expect(!error.text().what.empty(), "an error without words");
    return false;
  }
  expect_the_same_again(file);
  return true;
}

}  // namespace

bool takes(const std::string& bytes) { return takes_as_it_is(bytes) || takes_as_it_is(with_checksum(bytes)); }

}  // namespace duet::test
