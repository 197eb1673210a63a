/// Gives a fuzz target every file of the folders that are named, in order: what a campaign found stays fixed.
/// A file's name says what must come of it: taken_*, refused_*, or another name for either.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

bool as_expected(const fs::path& file) {
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);  // the last line names the file that ended the process
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const bool taken = duet::test::takes(bytes);
  const auto name = file.filename().string();
  if (!name.starts_with(taken ? "refused_" : "taken_")) return true;
  std::fprintf(stderr, "replay: %s was %s\n", name.c_str(), taken ? "taken" : "refused");
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  std::size_t files = 0, wrong = 0;
  for (int i = 1; i < count; ++i) {
    for (const auto& file : files_in(arguments[i])) {
      ++files;
      if (!as_expected(file)) ++wrong;
    }
  }
  if (files == 0) std::fprintf(stderr, "replay: no files\n");
  return files == 0 || wrong != 0 ? 1 : 0;
}
