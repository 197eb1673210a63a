#include "comm/rank_status.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

namespace duet::comm {

namespace {

namespace fs = std::filesystem;

class RankStatusFiles : public testing::Test {
 protected:
  RankStatusFiles() { fs::create_directories(folder_ / "tokens-64"); }
  ~RankStatusFiles() override { fs::remove_all(folder_); }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("duet_status_" + std::to_string(::getpid()));
};

TEST_F(RankStatusFiles, TheFirstThatFailedComesFirst) {
  write_status(folder() / "tokens-64", 3, "a logit is not finite");
  write_status(folder(), 0, "rank 3 failed");
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(folder() / "tokens-64" / "rank_3.status", now - std::chrono::seconds(2));
  const auto statuses = read_statuses(folder());
  ASSERT_EQ(statuses.size(), 2U);
  EXPECT_EQ(statuses[0].rank, 3);
  EXPECT_EQ(statuses[0].reason, "a logit is not finite\n");
  EXPECT_EQ(statuses[1].rank, 0);
}

TEST_F(RankStatusFiles, OtherFilesAreNoStatus) {
  for (const auto* name :
       {"rank_.status", "rank_x.status", "rank_1.status.tmp", "rank_99999999999.status", "table.txt"})
    std::ofstream(folder() / name) << "x";
  EXPECT_TRUE(read_statuses(folder()).empty());
}

TEST_F(RankStatusFiles, AFolderThatIsNotThereHidesNoFailure) {
  write_status(folder() / "nowhere", 1, "out of memory");
  EXPECT_TRUE(read_statuses(folder() / "nowhere").empty());
}

}  // namespace

}  // namespace duet::comm
