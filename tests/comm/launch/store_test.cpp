// Ranks (threads here, each with a Store of its own) that meet through a TCPStore; and what they hear when one does
// not.
#include "comm/launch/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "comm/launch/listen_at.h"
#include "core/error.h"

namespace duet::comm {

namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

int free_port() {
  const int file = listen_at("127.0.0.1", 0, false);
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  getsockname(file, reinterpret_cast<sockaddr*>(&address), &size);
  close(file);
  return ntohs(address.sin_port);
}

Launch launch_of(int rank, int size, int port) {
  return {.launcher = Launcher::torchrun,
          .rank = rank,
          .world_size = size,
          .local_rank = rank,
          .local_world_size = size,
          .store_host = "127.0.0.1",
          .store_port = port};
}

// What each rank threw, or "" where it came to its end.
std::vector<std::string> run(int size, milliseconds deadline, const std::function<void(Store&)>& body) {
  const int port = free_port();
  std::vector<std::string> errors(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      auto& error = errors[static_cast<std::size_t>(rank)];
      try {
        Store store(launch_of(rank, size, port), deadline);
        try {
          body(store);
          store.leave();
        } catch (const Error& failure) {
          store.fail(failure.text().what);
          throw;
        }
      } catch (const std::exception& failure) {
        error = failure.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return errors;
}

constexpr milliseconds long_deadline{20'000};
constexpr milliseconds short_deadline{1'000};

TEST(Store, OneProcessAloneMeetsItself) {
  Store store({}, long_deadline);
  store.barrier();
  EXPECT_THAT(store.gather("who", "me"), ElementsAre("me"));
  EXPECT_THAT(store.address(), HasSubstr("127.0.0.1:"));
  store.leave();
}

TEST(Store, EveryRankGetsWhatEveryRankGaveInRankOrder) {
  for (const int size : {2, 3, 4}) {
    const auto errors = run(size, long_deadline, [](Store& store) {
      const auto all = store.gather("who", "rank " + std::to_string(store.rank()));
      for (int rank = 0; rank < store.size(); ++rank) {
        EXPECT_EQ(all.at(static_cast<std::size_t>(rank)), "rank " + std::to_string(rank));
      }
    });
    EXPECT_THAT(errors, testing::Each("")) << size;
  }
}

TEST(Store, AnIdOfAnyBytesArrivesWhole) {
  std::string id(128, '\0');
  for (std::size_t i = 0; i < id.size(); ++i) id[i] = static_cast<char>(i * 7);
  const auto errors = run(3, long_deadline, [&](Store& store) {
    EXPECT_EQ(store.broadcast("id", store.rank() == 1 ? id : "not mine", 1), id);
    EXPECT_EQ(store.broadcast("nothing", "", 0), "");
  });
  EXPECT_THAT(errors, testing::Each(""));
}

TEST(Store, NobodyLeavesABarrierBeforeAllCame) {
  std::atomic<int> arrived{0};
  const auto errors = run(3, long_deadline, [&](Store& store) {
    for (int round = 1; round <= 5; ++round) {
      std::this_thread::sleep_for(milliseconds(store.rank() * 5));
      ++arrived;
      store.barrier();
      EXPECT_GE(arrived.load(), round * 3);
      store.barrier();
    }
  });
  EXPECT_THAT(errors, testing::Each(""));
}

TEST(Store, CountsAndKeysAreShared) {
  const auto errors = run(3, long_deadline, [](Store& store) {
    store.add("count", 2);
    store.barrier();
    EXPECT_EQ(store.add("count", 0), 6);
    if (store.rank() == 2) store.set("late", "value");
    EXPECT_EQ(store.get("late"), "value");
  });
  EXPECT_THAT(errors, testing::Each(""));
}

TEST(Store, AFailingRankWakesTheOthersWithItsReason) {
  for (int bad = 0; bad < 3; ++bad) {
    const auto begin = std::chrono::steady_clock::now();
    const auto errors = run(3, long_deadline, [&](Store& store) {
      if (store.rank() == bad) throw RankError({.what = "the disk is full", .where = {}, .usually = {}, .fix = {}});
      store.barrier();
    });
    const auto told = "rank " + std::to_string(bad) + " failed: the disk is full";
    for (int rank = 0; rank < 3; ++rank) {
      const auto& error = errors[static_cast<std::size_t>(rank)];
      if (rank == bad) {
        EXPECT_EQ(error, "the disk is full");
      } else {
        EXPECT_THAT(error, AllOf(HasSubstr(told), HasSubstr("barrier #1"), HasSubstr("127.0.0.1:")));
      }
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, long_deadline / 2);
  }
}

TEST(Store, TheFirstFailureCounts) {
  Store store({}, long_deadline);
  EXPECT_EQ(store.failure(), std::nullopt);
  store.fail("first");
  store.fail("second");
  EXPECT_EQ(store.failure(), "rank 0 failed: first");
}

TEST(Store, ARankThatDoesNotComeIsNamedWithWhereItRuns) {
  const auto errors = run(3, short_deadline, [&](Store& store) {
    if (store.rank() == 1) {
      std::this_thread::sleep_for(short_deadline * 2);
    } else {
      store.gather("sizes", "");
    }
  });
  for (const int rank : {0, 2}) {
    EXPECT_THAT(errors[static_cast<std::size_t>(rank)],
                AllOf(testing::MatchesRegex(
                          "rank (0 failed: |2 failed: )?(rank )?1 \\(process.*did not come within 1 s(.|\n)*"),
                      HasSubstr("sizes"), HasSubstr(std::to_string(getpid()))));
  }
}

TEST(Store, ARankThatNeverConnectedIsNamed) {
  Store store(launch_of(0, 3, free_port()), milliseconds(200));
  try {
    store.barrier();
    FAIL();
  } catch (const RankError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("rank 1 (it never connected), rank 2 (it never connected) did not come within 0.2 s"));
  }
}

TEST(Store, AKeyThatNobodySetsEndsTheWait) {
  Store store({}, milliseconds(200));
  try {
    store.get("nothing");
    FAIL();
  } catch (const RankError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("nothing"), HasSubstr("0.2 s")));
  }
}

TEST(Store, NobodyToMeetIsToldWithHostAndPort) {
  const int port = free_port();
  try {
    const Store store(launch_of(1, 2, port), short_deadline);
    FAIL();
  } catch (const RankError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("127.0.0.1:" + std::to_string(port)), HasSubstr("rank 0 was never started")));
  }
}

TEST(Store, AHostThatVanishesIsTold) {
  const int port = free_port();
  auto host = std::make_unique<Store>(launch_of(0, 2, port), long_deadline);
  Store other(launch_of(1, 2, port), long_deadline);
  host.reset();
  for (int i = 0; i < 2; ++i) {
    try {
      other.barrier();
      FAIL();
    } catch (const RankError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("is gone"), HasSubstr("rank 0, which keeps it")));
    }
  }
}

TEST(Store, TwoProcessesOfOneRankAreTold) {
  const int port = free_port();
  Store host(launch_of(0, 2, port), long_deadline);
  const Store first(launch_of(1, 2, port), long_deadline);
  try {
    const Store second(launch_of(1, 2, port), long_deadline);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 1 of 2"), HasSubstr("MASTER_PORT of its own")));
  }
}

TEST(Store, RanksWithoutAPlaceToMeetAreToldHowToGiveOne) {
  for (const auto& [launcher, words] :
       {std::pair{Launcher::open_mpi, "mpirun -x MASTER_ADDR"}, std::pair{Launcher::slurm, "scontrol"}}) {
    try {
      const Store store({.launcher = launcher, .rank = 1, .world_size = 2, .local_rank = 1, .local_world_size = 2});
      FAIL();
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("MASTER_ADDR"), HasSubstr(words)));
    }
  }
}

TEST(Store, AnEarlierAttemptsKeysAreNotSeen) {
  // As torchrun's agent: a store that outlives its ranks.
  const int port = free_port();
  Store agent(launch_of(0, 1, port), long_deadline);
  auto first = launch_of(0, 1, 0);
  first.agent_store = true;
  first.store_port = std::stoi(agent.address().substr(agent.address().find(':') + 1));
  auto second = first;
  first.attempt = 1;
  second.attempt = 2;
  Store(first, long_deadline).fail("went wrong");
  EXPECT_EQ(Store(second, long_deadline).failure(), std::nullopt);
}

}  // namespace

}  // namespace duet::comm
