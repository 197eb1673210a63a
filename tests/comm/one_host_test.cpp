#include "comm/one_host.h"

#include "tests/comm/transports.h"

namespace duet::comm {
namespace {

using OneHost = OnRanks;
INSTANTIATE_TEST_SUITE_P(Comm, OneHost, cases({1, 2, 3, 4}), case_name);

TEST_P(OneHost, IsWhereTheseTestsRun) {
  run([](Communicator& comm) { EXPECT_TRUE(on_one_host(comm)); });
}

TEST_P(OneHost, IsNotOneForAnyRankWhenOneRunsElsewhere) {
  run([](Communicator& comm) {
    const bool last_is_elsewhere = comm.rank() == comm.size() - 1;
    EXPECT_EQ(on_one_host(comm, last_is_elsewhere ? 2U : 1U), comm.size() == 1);
  });
}

}  // namespace
}  // namespace duet::comm
