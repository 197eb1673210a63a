// What arrives where, by rank and repetition.
#include <numeric>

#include "core/clock.h"
#include "tests/comm/transports.h"

namespace duet::comm {

namespace {

using testing::Each;
using testing::ElementsAreArray;
using testing::Eq;

using Collectives = OnRanks;
INSTANTIATE_TEST_SUITE_P(Comm, Collectives, cases({1, 2, 3, 4}), case_name);

constexpr int repetitions = 20;
constexpr std::int64_t width = 3;

// Rows from one rank to another: uneven, and none at all from time to time.
std::int64_t rows_between(int from, int to, int repetition) { return (from * 5 + to * 3 + repetition) % 4; }

std::int64_t value(int from, int to, int repetition, std::int64_t i) {
  return from * 1'000'000 + to * 10'000 + repetition * 100 + i;
}

struct Exchange {
  std::vector<std::int64_t> send, expected, receive, send_rows, receive_rows;
};

Exchange make_exchange(const Communicator& comm, int repetition) {
  Exchange exchange;
  for (int peer = 0; peer < comm.size(); ++peer) {
    exchange.send_rows.push_back(rows_between(comm.rank(), peer, repetition));
    exchange.receive_rows.push_back(rows_between(peer, comm.rank(), repetition));
    for (std::int64_t i = 0; i < exchange.send_rows.back() * width; ++i) {
      exchange.send.push_back(value(comm.rank(), peer, repetition, i));
    }
    for (std::int64_t i = 0; i < exchange.receive_rows.back() * width; ++i) {
      exchange.expected.push_back(value(peer, comm.rank(), repetition, i));
    }
  }
  exchange.receive.assign(exchange.expected.size(), -1);
  return exchange;
}

TEST_P(Collectives, AllToAllBringsEachRankItsRowsInSourceOrder) {
  run([](Communicator& comm) {
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      auto exchange = make_exchange(comm, repetition);
      comm.all_to_all(rows(std::as_const(exchange.send), width), exchange.send_rows, rows(exchange.receive, width),
                      exchange.receive_rows);
      ASSERT_THAT(exchange.receive, ElementsAreArray(exchange.expected)) << "repetition " << repetition;
    }
  });
}

TEST_P(Collectives, AllToAllOfNoRowsAtAllIsOrdinary) {
  run([](Communicator& comm) {
    const std::vector<std::int64_t> none(static_cast<std::size_t>(comm.size()), 0);
    std::vector<float> empty;
    comm.all_to_all(rows(std::as_const(empty), width), none, rows(empty, width), none);
    comm.barrier();
  });
}

TEST_P(Collectives, StartedExchangesEndInAnyOrder) {
  run([](Communicator& comm) {
    std::vector<Exchange> exchanges;
    for (int repetition = 0; repetition < 6; ++repetition) exchanges.push_back(make_exchange(comm, repetition));
    std::vector<std::unique_ptr<Started>> started;
    for (auto& exchange : exchanges) {
      started.push_back(comm.start_all_to_all(rows(std::as_const(exchange.send), width), exchange.send_rows,
                                              rows(exchange.receive, width), exchange.receive_rows));
    }
    std::vector<double> sum(5, comm.rank() + 1);
    auto reduced = comm.start_all_reduce(rows(sum));
    comm.barrier();
    reduced->wait();
    for (auto operation = started.rbegin(); operation != started.rend(); ++operation) (*operation)->wait();
    started.front()->wait();  // again: nothing happens
    for (const auto& exchange : exchanges) ASSERT_THAT(exchange.receive, ElementsAreArray(exchange.expected));
    ASSERT_THAT(sum, Each(Eq(comm.size() * (comm.size() + 1) / 2)));
  });
}

TEST_P(Collectives, AllReduceSumsEveryType) {
  run([](Communicator& comm) {
    const auto check = [&]<typename T>(T) {
      for (const std::size_t n : {0, 1, 2, 3, 7, 4099}) {
        std::vector<T> values(n), expected(n, T(0));
        for (std::size_t i = 0; i < n; ++i) {
          values[i] = static_cast<T>(comm.rank() + static_cast<int>(i % 10));
          for (int rank = 0; rank < comm.size(); ++rank) expected[i] += static_cast<T>(rank + static_cast<int>(i % 10));
        }
        comm.all_reduce(rows(values));
        ASSERT_EQ(values, expected) << "n = " << n << ", " << name(dtype_of<T>());
      }
    };
    check(std::uint8_t{});
    check(std::int64_t{});
    check(float{});
    check(double{});
  });
}

// Values whose sum depends on the order in which they are added.
std::vector<float> awkward_values(int rank) {
  std::vector<float> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto magnitude = static_cast<float>((i * 7919 + static_cast<std::size_t>(rank) * 104729) % 1000) / 7.0F;
    values[i] = (rank + static_cast<int>(i)) % 2 == 0 ? magnitude * 1e6F : -magnitude;
  }
  return values;
}

// In rank order on every transport but NCCL; the same bits on all.
TEST_P(Collectives, AllReduceAddsInRankOrderWithTheSameBitsOnEveryRank) {
  auto expected = awkward_values(0);
  for (int rank = 1; rank < world_size(); ++rank) {
    const auto theirs = awkward_values(rank);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += theirs[i];
  }
  const bool in_rank_order = std::get<0>(GetParam()).in_rank_order;
  run([&](Communicator& comm) {
    std::vector<float> first;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      auto values = awkward_values(comm.rank());
      comm.all_reduce(rows(values));
      if (in_rank_order) {
        ASSERT_EQ(values, expected) << "repetition " << repetition;
      }
      if (first.empty()) {
        first = values;
        comm.broadcast(rows(first), 0);
      }
      ASSERT_EQ(values, first) << "repetition " << repetition;
    }
  });
}

TEST_P(Collectives, AllGatherLaysPartsInRankOrder) {
  run([](Communicator& comm) {
    const std::vector<double> mine(4, comm.rank());
    std::vector<double> all(mine.size() * static_cast<std::size_t>(comm.size()), -1);
    comm.all_gather(rows(mine, 2), rows(all, 2));
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<double>(i / mine.size()));
  });
}

TEST_P(Collectives, ReduceScatterLeavesEachRankItsPartOfTheSum) {
  run([](Communicator& comm) {
    std::vector<std::int64_t> all(3 * static_cast<std::size_t>(comm.size()));
    std::iota(all.begin(), all.end(), comm.rank());
    std::vector<std::int64_t> mine(3, -1);
    comm.reduce_scatter(rows(std::as_const(all)), rows(mine));
    const auto ranks = comm.size() * (comm.size() - 1) / 2;  // what the ranks' own numbers add
    for (int i = 0; i < 3; ++i)
      ASSERT_EQ(mine[static_cast<std::size_t>(i)], (comm.rank() * 3 + i) * comm.size() + ranks);
  });
}

TEST_P(Collectives, BroadcastOverwritesWithTheRootsValues) {
  run([](Communicator& comm) {
    for (int root = 0; root < comm.size(); ++root) {
      std::vector<float> values(100, static_cast<float>(comm.rank()));
      comm.broadcast(rows(values, 10), root);
      ASSERT_THAT(values, Each(Eq(static_cast<float>(root))));
    }
  });
}

// A rank that runs ahead finds the slots of its operations still in use.
TEST_P(Collectives, ManyOperationsWithoutABarrierKeepTheirOrder) {
  run([](Communicator& comm) {
    for (std::int64_t i = 0; i < 500; ++i) {
      std::vector<std::int64_t> value{comm.rank() == 0 ? i : -1};
      comm.broadcast(rows(value), 0);
      ASSERT_EQ(value[0], i);
    }
  });
}

TEST_P(Collectives, BarrierIsLeftOnlyAfterAllHaveEntered) {
  run([](Communicator& comm) {
    std::vector<std::int64_t> entered, left;
    for (int i = 0; i < 50; ++i) {
      entered.push_back(now_ns());
      comm.barrier();
      left.push_back(now_ns());
    }
    const auto all_entered = gathered(comm, entered);
    for (const auto& other : all_entered) {
      for (std::size_t i = 0; i < left.size(); ++i) ASSERT_GE(left[i], other[i]) << "barrier " << i;
    }
  });
}

}  // namespace

}  // namespace duet::comm
