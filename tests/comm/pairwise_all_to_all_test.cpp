#include "comm/pairwise_all_to_all.h"

#include "tests/comm/transports.h"

namespace duet::comm {
namespace {

using PairwiseAllToAll = OnRanks;
INSTANTIATE_TEST_SUITE_P(Comm, PairwiseAllToAll, cases({1, 2, 3, 4}), case_name);

std::int64_t rows_between(int from, int to) { return (from * 5 + to * 3) % 4; }  // some are 0

// A row tells where it comes from, where it goes, and its number.
at::Tensor row(int from, int to, std::int64_t number) {
  return at::full({1, 2}, from * 1000.0 + to * 10.0 + static_cast<double>(number), at::kDouble);
}

struct Exchange {
  at::Tensor send, expected;
  std::vector<std::int64_t> send_rows, receive_rows;
};

Exchange make_exchange(const Communicator& comm) {
  Exchange exchange;
  std::vector<at::Tensor> send{at::empty({0, 2}, at::kDouble)}, expected{at::empty({0, 2}, at::kDouble)};
  for (int peer = 0; peer < comm.size(); ++peer) {
    exchange.send_rows.push_back(rows_between(comm.rank(), peer));
    exchange.receive_rows.push_back(rows_between(peer, comm.rank()));
    for (std::int64_t i = 0; i < exchange.send_rows.back(); ++i) send.push_back(row(comm.rank(), peer, i));
    for (std::int64_t i = 0; i < exchange.receive_rows.back(); ++i) expected.push_back(row(peer, comm.rank(), i));
  }
  exchange.send = at::cat(send);
  exchange.expected = at::cat(expected);
  return exchange;
}

TEST_P(PairwiseAllToAll, BringsEachRankItsRowsInSourceOrder) {
  run([](Communicator& comm) {
    const auto exchange = make_exchange(comm);
    const auto received = at::full_like(exchange.expected, -1);
    pairwise_all_to_all(comm, exchange.send, exchange.send_rows, exchange.receive_rows, received);
    EXPECT_TRUE(received.equal(exchange.expected)) << "rank " << comm.rank() << " got\n" << received;
  });
}

TEST_P(PairwiseAllToAll, SendsNoMessageForAPairWithoutRowsNorForOwnRows) {
  run([](Communicator& comm) {
    trace::Recorder recorder;
    comm.set_recorder(&recorder);
    const auto exchange = make_exchange(comm);
    pairwise_all_to_all(comm, exchange.send, exchange.send_rows, exchange.receive_rows, exchange.expected.clone());
    std::int64_t expected = 0;
    for (int peer = 0; peer < comm.size(); ++peer) {
      if (peer == comm.rank()) continue;
      expected += (rows_between(comm.rank(), peer) > 0) + (rows_between(peer, comm.rank()) > 0);
    }
    EXPECT_EQ(std::ssize(recorder.events()), expected) << "rank " << comm.rank();
  });
}

}  // namespace
}  // namespace duet::comm
