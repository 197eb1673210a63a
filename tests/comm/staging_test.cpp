// Tensors in memory that the transport does not read. Without a GPU there is only one memory, so a communicator claims
// not to read it and watches that it is never given a tensor's own.
#include "comm/staging.h"

#include <set>

#include "comm/point_to_point.h"
#include "comm/tensors.h"
#include "tests/comm/transports.h"

namespace duet::comm {
namespace {

/// Passes everything on to a communicator of threads.
class ReadsNothing : public Communicator {
 public:
  ReadsNothing(Communicator& inner, std::set<const void*> forbidden)
      : inner_(inner), forbidden_(std::move(forbidden)) {}

  bool reads_host_memory() const override { return false; }
  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  std::string_view transport() const override { return "reads nothing"; }
  bool shares_memory() const override { return inner_.shares_memory(); }

  void send(ConstRows rows, int to) override { inner_.send(look(rows), to); }
  void receive(Rows rows, int from) override { inner_.receive(look(rows), from); }
  void all_to_all(ConstRows send, std::span<const std::int64_t> send_rows, Rows receive,
                  std::span<const std::int64_t> receive_rows) override {
    inner_.all_to_all(look(send), send_rows, look(receive), receive_rows);
  }
  std::unique_ptr<Started> start_all_to_all(ConstRows, std::span<const std::int64_t>, Rows,
                                            std::span<const std::int64_t>) override {
    return {};
  }
  void all_reduce(Rows inout) override { inner_.all_reduce(look(inout)); }
  std::unique_ptr<Started> start_all_reduce(Rows) override { return {}; }
  void all_gather(ConstRows mine, Rows all) override { inner_.all_gather(look(mine), look(all)); }
  void reduce_scatter(ConstRows all, Rows mine) override { inner_.reduce_scatter(look(all), look(mine)); }
  void broadcast(Rows inout, int root) override { inner_.broadcast(look(inout), root); }
  void barrier(std::optional<Deadline> deadline) override { inner_.barrier(deadline); }
  std::unique_ptr<Communicator> split(int, int) override { return {}; }

  int seen() const { return seen_; }

 private:
  template <typename AnyRows>
  AnyRows look(AnyRows rows) {
    ++seen_;
    EXPECT_FALSE(forbidden_.contains(rows.bytes.data())) << "given the tensor's own memory";
    return rows;
  }

  Communicator& inner_;
  std::set<const void*> forbidden_;
  int seen_ = 0;
};

using Staging = OnRanks;
INSTANTIATE_TEST_SUITE_P(Comm, Staging, cases({2, 3}), case_name);

TEST_P(Staging, EveryOperationGoesThroughCopiesAndGivesTheSame) {
  run([](Communicator& plain) {
    const auto ranks = plain.size();
    const std::vector<std::int64_t> two_each(static_cast<std::size_t>(ranks), 2);
    const auto rows = at::arange(2 * ranks * 3, at::kDouble).view({2 * ranks, 3}) + 100.0 * plain.rank();
    const auto arrived = at::empty_like(rows), sums = rows.clone(), chosen = rows.clone();
    ReadsNothing comm(plain, {rows.data_ptr(), arrived.data_ptr(), sums.data_ptr(), chosen.data_ptr()});
    all_to_all_into(comm, rows, two_each, two_each, arrived);
    EXPECT_TRUE(arrived.equal(all_to_all(plain, rows, two_each, two_each)));
    all_reduce(comm, sums);
    const auto expected = rows.clone();
    all_reduce(plain, expected);
    EXPECT_TRUE(sums.equal(expected));
    EXPECT_TRUE(all_gather(comm, rows).equal(all_gather(plain, rows)));
    EXPECT_TRUE(reduce_scatter(comm, rows).equal(reduce_scatter(plain, rows)));
    broadcast(comm, chosen, 1);
    EXPECT_TRUE(chosen.eq(rows - 100.0 * plain.rank() + 100).all().item<bool>());
    EXPECT_EQ(comm.seen(), 2 + 1 + 2 + 2 + 1);
  });
}

TEST_P(Staging, HoldsForTheAlgorithmsOverSendAndReceive) {
  run([](Communicator& plain) {
    const std::vector<std::int64_t> two_each(static_cast<std::size_t>(plain.size()), 2);
    const auto rows = at::arange(2 * plain.size(), at::kDouble).view({-1, 1}) + 100.0 * plain.rank();
    const auto sums = rows.clone(), expected = rows.clone();
    all_reduce(plain, expected);
    ReadsNothing comm(plain, {rows.data_ptr(), sums.data_ptr()});
    comm.set_algorithms({.all_reduce = AllReduceAlgorithm::ring, .all_to_all = AllToAllAlgorithm::pairwise});
    EXPECT_TRUE(all_to_all(comm, rows, two_each, two_each).equal(all_to_all(plain, rows, two_each, two_each)));
    all_reduce(comm, sums);
    EXPECT_TRUE(sums.equal(expected));
    EXPECT_GT(comm.seen(), 0);
  });
}

TEST_P(Staging, CarriesATensorFromOneRankToAnother) {
  run([](Communicator& plain) {
    const auto tensor = at::full({3}, plain.rank(), at::kLong);
    ReadsNothing comm(plain, {tensor.data_ptr()});
    if (plain.rank() == 0) send(comm, tensor, 1);
    if (plain.rank() == 1) receive(comm, tensor, 0);
    EXPECT_TRUE(tensor.eq(plain.rank() == 1 ? 0 : plain.rank()).all().item<bool>());
  });
}

TEST(Staging, IsNoneForMemoryThatTheTransportReads) {
  run_ranks(1, {}, [](Communicator& comm) {
    const auto tensor = at::zeros({3});
    EXPECT_FALSE(needs_staging(comm, tensor));
    EXPECT_TRUE(staged(comm, tensor).is_same(tensor));
    EXPECT_TRUE(staging_like(comm, tensor).is_same(tensor));
  });
}

TEST(Staging, OneRankKeepsItsRowsWhereTheyAre) {
  run_ranks(1, {}, [](Communicator& plain) {
    ReadsNothing comm(plain, {});
    const std::vector<std::int64_t> three{3};
    const auto rows = at::arange(3, at::kDouble).view({3, 1});
    EXPECT_TRUE(all_to_all(comm, rows, three, three).equal(rows));
    all_reduce(comm, rows);
    EXPECT_EQ(comm.seen(), 0);
    const std::vector<std::int64_t> two{2};
    EXPECT_THROW(all_to_all(comm, rows, two, two), InputError);
  });
}

}  // namespace
}  // namespace duet::comm
