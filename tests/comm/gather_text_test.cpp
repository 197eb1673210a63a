#include "comm/gather_text.h"

#include "tests/comm/transports.h"

namespace duet::comm {

namespace {

using GatherText = OnRanks;

std::string text_of(int rank) {
  return std::string(static_cast<std::size_t>(rank * 1000), static_cast<char>('a' + rank));
}

TEST_P(GatherText, BringsEveryRanksTextToRankZero) {
  run([&](Communicator& comm) {
    const auto texts = gather_text(comm, text_of(comm.rank()));
    if (comm.rank() > 0) {
      EXPECT_TRUE(texts.empty());
      return;
    }
    ASSERT_EQ(texts.size(), static_cast<std::size_t>(comm.size()));
    for (int rank = 0; rank < comm.size(); ++rank) EXPECT_EQ(texts[static_cast<std::size_t>(rank)], text_of(rank));
  });
}

TEST_P(GatherText, BroadcastsRankZerosText) {
  run([&](Communicator& comm) {
    EXPECT_EQ(broadcast_text(comm, comm.rank() == 0 ? "here" : "a longer one"), "here");
    EXPECT_EQ(broadcast_text(comm, comm.rank() == 0 ? "" : "x"), "");
  });
}

INSTANTIATE_TEST_SUITE_P(Transports, GatherText, cases({1, 2, 3, 4}), case_name);

}  // namespace

}  // namespace duet::comm
