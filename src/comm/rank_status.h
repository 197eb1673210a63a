#pragma once
/// The word that a failing process leaves for whoever started it.
#include <filesystem>
#include <string>
#include <vector>

namespace duet::comm {

/// Writes FOLDER/rank_R.status, whole or not at all. Never throws: the failure that it tells of is the one that counts.
void write_status(const std::filesystem::path& folder, int rank, const std::string& reason) noexcept;

struct RankStatus {
  int rank = 0;
  std::string reason;
  std::filesystem::file_time_type written = {};
};

/// What the ranks of a run left in `folder` and the folders below, the first one written first: the others mostly tell
/// only that they heard of it.
std::vector<RankStatus> read_statuses(const std::filesystem::path& folder);

}  // namespace duet::comm
