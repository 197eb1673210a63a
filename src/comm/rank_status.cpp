#include "comm/rank_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/atomic_file.h"

namespace duet::comm {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view before = "rank_";
constexpr std::string_view behind = ".status";

// The rank in rank_R.status, or -1 for another file.
int rank_of(const std::string& name) {
  if (!name.starts_with(before) || !name.ends_with(behind)) return -1;
  const auto digits = name.substr(before.size(), name.size() - before.size() - behind.size());
  const bool number =
      !digits.empty() && digits.size() < 9 && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  return number ? std::stoi(digits) : -1;
}

}  // namespace

void write_status(const fs::path& folder, int rank, const std::string& reason) noexcept {
  try {
    write_file(folder / fmt::format("{}{}{}", before, rank, behind), reason + '\n');
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a full disk must not hide the reason itself
  }
}

std::vector<RankStatus> read_statuses(const fs::path& folder) {
  std::vector<RankStatus> all;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
    const int rank = rank_of(entry.path().filename().string());
    if (rank < 0) continue;
    std::ifstream file(entry.path());
    all.push_back({.rank = rank,
                   .reason = {std::istreambuf_iterator<char>(file), {}},
                   .written = entry.last_write_time(ignored)});
  }
  std::ranges::stable_sort(all, {}, &RankStatus::written);
  return all;
}

}  // namespace duet::comm
