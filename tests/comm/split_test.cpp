// Communicators of some of the ranks.
#include <map>
#include <set>

#include "tests/comm/transports.h"
#include "trace/recorder.h"

namespace duet::comm {

namespace {

using testing::ElementsAre;

using Split = OnRanks;
INSTANTIATE_TEST_SUITE_P(Comm, Split, cases({1, 2, 3, 4}), case_name);

std::int64_t sum_over(Communicator& comm, std::int64_t mine) {
  std::vector<std::int64_t> value{mine};
  comm.all_reduce(rows(value));
  return value[0];
}

TEST_P(Split, RanksOfOneColorTalkAmongThemselves) {
  run([](Communicator& comm) {
    const auto part = comm.split(comm.rank() % 2, comm.rank());
    std::int64_t expected = 0;
    for (int rank = comm.rank() % 2; rank < comm.size(); rank += 2) expected += rank;
    ASSERT_EQ(part->size(), (comm.size() + 1 - comm.rank() % 2) / 2);
    ASSERT_EQ(part->rank(), comm.rank() / 2);
    ASSERT_EQ(sum_over(*part, comm.rank()), expected);
  });
}

TEST_P(Split, KeyDecidesTheOrderAndTheOldRankBreaksTies) {
  run([](Communicator& comm) {
    ASSERT_EQ(comm.split(0, -comm.rank())->rank(), comm.size() - 1 - comm.rank());
    ASSERT_EQ(comm.split(0, 7)->rank(), comm.rank());
  });
}

TEST_P(Split, ColorsMayBeAnyNumbers) {
  run([](Communicator& comm) {
    const auto alone = comm.split(1000 - 700 * comm.rank(), 0);
    ASSERT_EQ(alone->size(), 1);
    ASSERT_EQ(sum_over(*alone, comm.rank()), comm.rank());
  });
}

TEST_P(Split, OfASplitWorks) {
  run([](Communicator& comm) {
    const auto half = comm.split(comm.rank() / 2, comm.rank());
    const auto quarter = half->split(half->rank(), 0);
    const auto again = half->split(0, 0);
    ASSERT_EQ(quarter->size(), 1);
    ASSERT_EQ(sum_over(*again, 1), half->size());
    ASSERT_EQ(sum_over(comm, 1), comm.size());
  });
}

TEST_P(Split, OutlivesTheCommunicatorThatItCameFrom) {
  run([](Communicator& comm) {
    auto outer = comm.split(0, 0);
    const auto inner = outer->split(0, 0);
    outer.reset();
    ASSERT_EQ(sum_over(*inner, 1), comm.size());
  });
}

TEST_P(Split, InheritsAlgorithmsButNoRecorder) {
  run([](Communicator& comm) {
    trace::Recorder recorder;
    comm.set_recorder(&recorder);
    comm.set_algorithms({.all_reduce = AllReduceAlgorithm::ring, .all_to_all = AllToAllAlgorithm::pairwise});
    const auto part = comm.split(0, 0);
    ASSERT_EQ(part->algorithms().all_reduce, AllReduceAlgorithm::ring);
    ASSERT_EQ(part->algorithms().all_to_all, AllToAllAlgorithm::pairwise);
    ASSERT_EQ(part->recorder(), nullptr);
    comm.set_recorder(nullptr);
  });
}

TEST_P(Split, GivesEachGroupANumberThatItsRanksShare) {
  run([](Communicator& comm) {
    const auto number_of = [](Communicator& group) -> std::int64_t {
      trace::Recorder recorder;
      group.set_recorder(&recorder);
      group.barrier();
      group.set_recorder(nullptr);
      return recorder.events().at(0).group;
    };
    const auto all = comm.split(0, 0);
    const auto half = comm.split(comm.rank() / 2, 0);
    const auto alone = half->split(comm.rank(), 0);
    const std::vector<std::int64_t> mine{number_of(comm), number_of(*all), number_of(*half), number_of(*alone)};
    std::map<std::string, std::set<std::int64_t>> numbers;  // of each group, as its ranks saw them
    const auto ranks = gathered(comm, mine);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      numbers["world"].insert(ranks[rank][0]);
      numbers["all"].insert(ranks[rank][1]);
      numbers["half" + std::to_string(rank / 2)].insert(ranks[rank][2]);
      numbers["alone" + std::to_string(rank)].insert(ranks[rank][3]);
    }
    std::set<std::int64_t> different;
    for (const auto& [label, seen] : numbers) {
      EXPECT_EQ(seen.size(), 1U) << label;
      different.insert(seen.begin(), seen.end());
    }
    EXPECT_EQ(different.size(), numbers.size());
  });
}

}  // namespace

}  // namespace duet::comm
