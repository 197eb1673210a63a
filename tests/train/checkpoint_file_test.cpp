#include "train/checkpoint_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "core/error.h"
#include "tests/trace/traces.h"
#include "train/checkpoint_reader.h"

namespace duet {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using trace::Folder;
using trace::SizeLimit;
using trace::text_of;
using trace::write_text;

const std::vector<float> weights{1, 2, 3, 4, 5, -0.0F};
const std::vector<double> moments{0.1, 1e-300};

CheckpointFile example() {
  CheckpointFile file;
  file.metadata = {{"step", "7"}, {"config", "a = 1\n\"quoted\""}};
  file.tensors = {{"weights", "F32", {2, 3}, std::as_bytes(std::span(weights))},
                  {"adam.mean.weights", "F64", {2}, std::as_bytes(std::span(moments))},
                  {"empty", "F32", {0, 3}, {}}};
  return file;
}

std::string example_bytes() {
  const Folder folder;
  write_checkpoint_file(folder / "a", example());
  return text_of(folder / "a");
}

std::string refusal(const std::string& bytes) {
  try {
    parse_checkpoint_file(bytes, "the file");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A file with this header, and `data` behind it.
std::string with_header(const std::string& header, const std::string& data = {}) {
  const std::uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + data;
}

std::string with_tensors(const std::string& tensors, const std::string& data = {}) {
  return with_header(R"({"__metadata__":{"format":"duet-checkpoint","version":"1","checksum":"0"})" + tensors + "}",
                     data);
}

TEST(CheckpointFile, ReadsBackWhatWasWritten) {
  const Folder folder;
  write_checkpoint_file(folder / "a", example());
  const auto file = read_checkpoint_file(folder / "a");
  EXPECT_EQ(file.metadata, example().metadata);
  ASSERT_EQ(file.tensors.size(), 3U);
  const auto expected = example();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto found = std::find_if(file.tensors.begin(), file.tensors.end(),
                                    [&](const TensorBytes& tensor) { return tensor.name == expected.tensors[i].name; });
    ASSERT_NE(found, file.tensors.end()) << expected.tensors[i].name;
    EXPECT_EQ(found->dtype, expected.tensors[i].dtype);
    EXPECT_EQ(found->sizes, expected.tensors[i].sizes);
    EXPECT_TRUE(std::equal(found->bytes.begin(), found->bytes.end(), expected.tensors[i].bytes.begin(),
                           expected.tensors[i].bytes.end()));
  }
}

TEST(CheckpointFile, IsInTheLayoutOfSafetensors) {
  const auto bytes = example_bytes();
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  EXPECT_EQ(length % 8, 0U) << "the numbers start aligned";
  EXPECT_EQ(bytes[8], '{');
  EXPECT_EQ(bytes.size(), 8 + length + 6 * 4 + 2 * 8);
  EXPECT_THAT(bytes, HasSubstr(R"("weights":{"data_offsets":[0,24],"dtype":"F32","shape":[2,3]})"));
  EXPECT_EQ(std::memcmp(bytes.data() + 8 + length, weights.data(), 24), 0);
}

TEST(CheckpointFile, RefusesEveryCut) {
  const auto bytes = example_bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THAT(refusal(bytes.substr(0, length)), AllOf(HasSubstr("cut off"), HasSubstr("the file"))) << length;
  }
  EXPECT_THAT(refusal(bytes + "x"), HasSubstr("1 bytes follow its end"));
}

TEST(CheckpointFile, RefusesEveryAlteredByte) {
  const auto bytes = example_bytes();
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    auto altered = bytes;
    altered[place] = static_cast<char>(altered[place] ^ 1);
    EXPECT_NE(refusal(altered), "") << "byte " << place;
  }
}

TEST(CheckpointFile, RefusesAnotherProgramsFile) {
  EXPECT_THAT(refusal("not a checkpoint at all"), HasSubstr("no checkpoint of Duet"));
  EXPECT_THAT(refusal(with_header("{}")), HasSubstr("no checkpoint of Duet"));
  EXPECT_THAT(refusal(with_header(R"({"__metadata__":{"format":"pt"}})")), HasSubstr("no checkpoint of Duet"));
}

TEST(CheckpointFile, RefusesANewerVersion) {
  EXPECT_THAT(refusal(with_header(R"({"__metadata__":{"format":"duet-checkpoint","version":"2"},"new":3})")),
              AllOf(HasSubstr("version 2"), HasSubstr("a newer Duet wrote it")));
}

TEST(CheckpointFile, RefusesPlacesThatDoNotFit) {
  EXPECT_THAT(refusal(with_tensors(R"(,"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]})", "12345678")),
              HasSubstr("overlaps another"));
  EXPECT_THAT(refusal(with_tensors(R"(,"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]})", "1234")),
              HasSubstr("wrong type, size or place"));
  EXPECT_THAT(refusal(with_tensors(R"(,"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]})")),
              HasSubstr("wrong type, size or place"));
  EXPECT_THAT(refusal(with_tensors(R"(,"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", "1234")),
              HasSubstr("not a whole number"));
  EXPECT_THAT(refusal(with_tensors(R"(,"a":{"dtype":"Q9","shape":[],"data_offsets":[0,4]})", "1234")),
              HasSubstr("wrong type, size or place"));
}

TEST(CheckpointFile, SendsNoControlCharactersToTheTerminal) {
  const auto said = refusal(with_header(R"({"__metadata__":{"format":"duet-checkpoint","version":"\u001b[31m"}})"));
  EXPECT_EQ(said.find('\x1b'), std::string::npos) << said;
}

TEST(CheckpointFile, ReadsOrRefusesAnyBytes) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto good = example_bytes();
  for (int i = 0; i < 5'000; ++i) {
    auto bytes = good;
    for (int change = 0; change < 3; ++change) bytes[random() % bytes.size()] = static_cast<char>(random());
    static_cast<void>(refusal(bytes));  // anything but an InputError ends the test
  }
}

TEST(CheckpointFile, LeavesTheOldFileWhenTheDiskFillsUp) {
  const Folder folder;
  write_text(folder / "a", "old");
  try {
    const SizeLimit limit(100);
    write_checkpoint_file(folder / "a", example());
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr((folder / "a").string()));
  }
  EXPECT_EQ(text_of(folder / "a"), "old");
}

TEST(CheckpointFile, SaysThatTheDiskIsFull) {
  try {
    write_checkpoint_file("/dev/full", example());
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the disk is full"));
  }
}

TEST(CheckpointFile, ReplacesWhatAKilledRunLeft) {
  const Folder folder;
  write_text(folder / "a.partial", "half");
  write_checkpoint_file(folder / "a", example());
  EXPECT_EQ(read_checkpoint_file(folder / "a").metadata.at("step"), "7");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.partial"));
}

}  // namespace
}  // namespace duet
