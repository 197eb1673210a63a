#include "core/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/trace/traces.h"

namespace duet {
namespace {

using ::testing::HasSubstr;
using trace::Folder;
using trace::SizeLimit;
using trace::text_of;
using trace::write_text;

std::ptrdiff_t files_in(const Folder& folder) {
  return std::distance(std::filesystem::directory_iterator(folder.path()), {});
}

TEST(WriteFile, ReplacesAFile) {
  const Folder folder;
  write_file(folder / "a", "old and long");
  write_file(folder / "a", "new");
  EXPECT_EQ(text_of(folder / "a"), "new");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteFile, LeavesTheOldFileWhenTheDiskFillsUp) {
  const Folder folder;
  write_file(folder / "a", "old");
  {
    const SizeLimit limit(1000);
    EXPECT_THROW(write_file(folder / "a", std::string(5000, 'x')), InputError);
  }
  EXPECT_EQ(text_of(folder / "a"), "old");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteFile, WritesThroughALink) {
  const Folder folder;
  write_file(folder / "a", "old");
  std::filesystem::create_symlink("a", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_EQ(text_of(folder / "a"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}

TEST(WriteFile, ReplacesNoDevice) {
  write_file("/dev/null", "text");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THROW(write_file("/dev/full", "text"), InputError);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(WriteFile, SaysWhatIsWrongWithThePath) {
  const Folder folder;
  write_text(folder / "file", "");
  const auto error_at = [](const std::filesystem::path& path) -> std::string {
    try {
      write_file(path, "text");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(error_at(folder / "none/a"), HasSubstr("does not exist"));
  EXPECT_THAT(error_at(folder / "file/a"), HasSubstr("a file, not a folder"));
  EXPECT_THAT(error_at(folder.path()), HasSubstr("add the file's name"));
  EXPECT_THAT(error_at("/proc/a"), HasSubstr("/proc/a"));
}

}  // namespace
}  // namespace duet
