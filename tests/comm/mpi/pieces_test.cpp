// Messages longer than MPI can count.
#include "comm/mpi/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace duet::comm {
namespace {

using testing::ElementsAre;

std::vector<std::string> cut(const std::string& text, std::int64_t largest) {
  std::vector<std::string> pieces;
  const std::span bytes(text.data(), text.size());
  for (std::int64_t i = 0; i < piece_count(text.size(), largest); ++i) {
    const auto piece = piece_of(bytes, largest, i);
    pieces.emplace_back(piece.begin(), piece.end());
  }
  return pieces;
}

TEST(Pieces, AreAllOfTheLargestSizeButTheLast) {
  EXPECT_THAT(cut("abcdefgh", 3), ElementsAre("abc", "def", "gh"));
  EXPECT_THAT(cut("abcdef", 3), ElementsAre("abc", "def"));
  EXPECT_THAT(cut("ab", 3), ElementsAre("ab"));
}

TEST(Pieces, OfNothingAreOneEmptyMessage) { EXPECT_THAT(cut("", 3), ElementsAre("")); }

TEST(Pieces, CountPastTwoToTheThirtyOne) {
  const std::size_t bytes = (5ULL << 31) + 1;
  EXPECT_EQ(piece_count(bytes, 1LL << 30), 11);
}

}  // namespace
}  // namespace duet::comm
