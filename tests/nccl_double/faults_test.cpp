// NCCL that fails, stalls, is slow or is another than meant: each ends in the right error, in time, and leaves nothing.
#include <thread>

#include "comm/nccl/run_nccl.h"
#include "tests/comm/transports.h"
#include "tests/nccl_double/control.h"

namespace duet::comm {

namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;

constexpr milliseconds soon{10'000};

struct NcclFaults : testing::Test {
  void SetUp() override { nccl_double::reset(); }
  void TearDown() override {
    EXPECT_EQ(nccl_double::alive(), nccl_double::Alive{}) << "a communicator, stream, event or memory was left behind";
    nccl_double::reset();
  }

  static Outcome run(int ranks, const Body& body, NcclOptions options = {.deadline = milliseconds(20'000)}) {
    options.grace = std::chrono::seconds(20);
    const TestedTransport transport{
        "nccl", [options](int size, Deadline, const Body& all) { run_nccl_threads(size, options, all); }};
    return run_and_fail(transport, ranks, options.deadline, body);
  }
  static NcclOptions hasty(bool checked = false) { return {.deadline = milliseconds(300), .checked = checked}; }
};

void all_reduce_something(Communicator& comm, std::size_t size = 8) {
  std::vector<float> values(size, 1);
  comm.all_reduce(rows(values));
  ASSERT_THAT(values, Each(static_cast<float>(comm.size())));
}

// Rank 0 sends `send` rows to rank 1, which expects `receive`.
void exchange(Communicator& comm, std::int64_t send, std::int64_t receive) {
  const bool first = comm.rank() == 0;
  std::vector<float> out(static_cast<std::size_t>(first ? send : 0)), in(static_cast<std::size_t>(first ? 0 : receive));
  std::vector<std::int64_t> to(static_cast<std::size_t>(comm.size()), 0), from(to);
  if (first) to[1] = send;
  if (comm.rank() == 1) from[0] = receive;
  if (comm.rank() > 1) in.clear();
  comm.all_to_all(rows(std::as_const(out)), to, rows(in), from);
}

TEST_F(NcclFaults, AnOlderLibraryIsRefusedWithBothVersions) {
  nccl_double::set_version(22706);
  const auto outcome = run(2, [](Communicator&) {});
  EXPECT_THAT(outcome.thrown, AllOf(HasSubstr("NCCL 2.27.6 is loaded, but this program was built for 2.28.9"),
                                    HasSubstr("LD_LIBRARY_PATH")));
}

TEST_F(NcclFaults, AnotherMajorVersionIsRefused) {
  nccl_double::set_version(30001);
  EXPECT_THAT(run(2, [](Communicator&) {}).thrown, HasSubstr("NCCL 3.0.1 is loaded"));
}

TEST_F(NcclFaults, ANewerLibraryOfTheSameMajorIsFine) {
  nccl_double::set_version(22901);
  EXPECT_EQ(run(2, [](Communicator& comm) { all_reduce_something(comm); }).thrown, "");
}

TEST_F(NcclFaults, MoreRanksThanDevicesAreRefusedWithTheWayToSimulate) {
  nccl_double::set_devices(1);
  const auto outcome = run(2, [](Communicator&) {});
  EXPECT_TRUE(outcome.is_input_error);
  EXPECT_THAT(outcome.thrown,
              AllOf(HasSubstr("rank 1 needs GPU 1, but 1 is here"), HasSubstr("--transport threads --device cuda")));
}

TEST_F(NcclFaults, OneDeviceForTwoRanksIsRefusedWithTheWayToSimulate) {
  const auto outcome = run(3, [](Communicator&) {}, {.devices = {0, 1, 0}});
  EXPECT_TRUE(outcome.is_input_error);
  EXPECT_THAT(outcome.thrown, AllOf(HasSubstr("ranks 0 and 2 would share GPU 0, which NCCL refuses"),
                                    HasSubstr("--transport threads --device cuda")));
}

TEST_F(NcclFaults, NoRanksAreRefused) {
  EXPECT_TRUE(run(0, [](Communicator&) {}).is_input_error);
}

TEST_F(NcclFaults, NoDriverIsNamed) {
  nccl_double::set_driver_error(cudaErrorInsufficientDriver);
  EXPECT_THAT(run(2, [](Communicator&) {}).thrown, AllOf(HasSubstr("cudaGetDeviceCount"), HasSubstr("driver")));
}

TEST_F(NcclFaults, AFullGpuIsNamed) {
  nccl_double::fail_cuda_call("cudaMalloc", 1, cudaErrorMemoryAllocation);
  EXPECT_THAT(run(2, [](Communicator& comm) { comm.barrier(); }).thrown,
              AllOf(HasSubstr("cudaMalloc"), HasSubstr("the GPU's memory is full")));
}

TEST_F(NcclFaults, ACallThatFailsTellsTheCallTheOperationAndThePeersToAllRanks) {
  nccl_double::fail_call("ncclAllReduce", 2, ncclSystemError, 1);
  const auto outcome = run(3, [](Communicator& comm) {
    for (int i = 0; i < 4; ++i) all_reduce_something(comm);
  });
  EXPECT_THAT(outcome.thrown, AllOf(HasSubstr("NCCL's ncclAllReduce gave unhandled system error (ncclSystemError)"),
                                    HasSubstr("rank 1 in all_reduce #2 with ranks 0, 2"), HasSubstr("usually")));
  EXPECT_THAT(outcome.errors[0], HasSubstr("rank 1 failed: NCCL's ncclAllReduce gave"));
  EXPECT_THAT(outcome.errors[2], HasSubstr("rank 1 failed: NCCL's ncclAllReduce gave"));
  EXPECT_THAT(outcome.ended, Each(testing::Lt(soon)));
  EXPECT_EQ(nccl_double::calls("ncclCommAbort"), 3);
}

TEST_F(NcclFaults, EveryCallThatFailsIsNamed) {
  for (const auto* const call : {"ncclGetUniqueId", "ncclCommInitRankConfig", "ncclCommSplit", "ncclAllGather",
                                 "ncclReduceScatter", "ncclBroadcast", "ncclSend", "ncclGroupEnd"}) {
    nccl_double::reset();
    nccl_double::fail_call(call, 1, ncclInternalError);
    const auto outcome = run(2, [](Communicator& comm) {
      std::vector<float> part(4), all(8);
      comm.all_gather(rows(std::as_const(part)), rows(all));
      comm.reduce_scatter(rows(std::as_const(all)), rows(part));
      comm.broadcast(rows(part), 1);
      exchange(comm, 3, 3);
      comm.split(0, 0)->barrier();
    });
    const auto* const named = std::string_view(call) == "ncclGroupEnd" ? "ncclSend" : call;
    EXPECT_THAT(outcome.thrown, AllOf(HasSubstr(named), HasSubstr("ncclInternalError"))) << call;
    EXPECT_EQ(nccl_double::alive(), nccl_double::Alive{}) << call;
  }
}

TEST_F(NcclFaults, AnAsynchronousErrorEndsTheWait) {
  nccl_double::async_error_at("ncclAllReduce", 2, ncclUnhandledCudaError, 0);
  const auto outcome = run(2, [](Communicator& comm) {
    all_reduce_something(comm);
    all_reduce_something(comm);
  });
  EXPECT_THAT(outcome.thrown, AllOf(HasSubstr("ncclUnhandledCudaError"), HasSubstr("rank 0 in all_reduce #2")));
  EXPECT_THAT(outcome.errors[1], HasSubstr("rank 0 failed: "));
  EXPECT_THAT(outcome.ended, Each(testing::Lt(soon)));
}

TEST_F(NcclFaults, ARemoteErrorAloneIsTold) {
  nccl_double::async_error_at("ncclAllReduce", 1, ncclRemoteError, 1);
  const auto outcome = run(2, [](Communicator& comm) { all_reduce_something(comm); });
  EXPECT_THAT(outcome.thrown, AllOf(HasSubstr("ncclRemoteError"), HasSubstr("another rank's process ended")));
}

TEST_F(NcclFaults, ARemoteErrorGivesWayToTheReasonOfWhoFailed) {
  nccl_double::async_error_at("ncclAllReduce", 1, ncclRemoteError, 0);
  const auto outcome = run(2, [](Communicator& comm) {
    if (comm.rank() == 0) return all_reduce_something(comm);
    std::this_thread::sleep_for(milliseconds(200));
    throw std::runtime_error("the disk is full");
  });
  EXPECT_THAT(outcome.thrown, HasSubstr("rank 1 failed: the disk is full"));
  EXPECT_THAT(outcome.errors[0], HasSubstr("rank 1 failed: the disk is full"));
}

TEST_F(NcclFaults, AStalledOperationEndsByTheDeadline) {
  nccl_double::stall_call("ncclAllReduce", 1, 1);
  const auto outcome = run(
      2, [](Communicator& comm) { all_reduce_something(comm); }, hasty());
  EXPECT_THAT(outcome.thrown, AllOf(HasSubstr("waits in all_reduce #1, to which every rank has come"),
                                    HasSubstr("the deadline of 0.3 s passed"), HasSubstr("NCCL_DEBUG=INFO")));
  EXPECT_THAT(outcome.ended, Each(testing::Lt(soon)));
  EXPECT_EQ(nccl_double::calls("ncclCommAbort"), 2);
}

TEST_F(NcclFaults, ABirthThatNeverEndsNamesWhoIsMissing) {
  nccl_double::fail_call("ncclCommInitRankConfig", 2, ncclSystemError);
  const auto outcome = run(
      3, [](Communicator& comm) { comm.barrier(); }, hasty());
  EXPECT_THAT(outcome.thrown, AllOf(HasSubstr("ncclCommInitRankConfig"), HasSubstr("the start of NCCL")));
}

TEST_F(NcclFaults, ACommunicatorThatStaysInProgressEndsByTheDeadline) {
  nccl_double::take_polls(1'000'000'000);
  const auto outcome = run(
      2, [](Communicator& comm) { comm.barrier(); }, hasty());
  EXPECT_THAT(outcome.thrown,
              AllOf(HasSubstr("waits in the start of NCCL"), HasSubstr("the deadline of 0.3 s passed")));
}

TEST_F(NcclFaults, CallsThatAreInProgressForAWhileAreWaitedOutBeforeTheirEndIsLookedFor) {
  for (const bool checked : {false, true}) {
    nccl_double::take_polls(7);
    const auto outcome = run(3,
                             [](Communicator& comm) {
                               all_reduce_something(comm);
                               exchange(comm, 5, 5);
                               const auto part = comm.split(comm.rank() % 2, 0);
                               all_reduce_something(*part);
                               std::vector<float> value{static_cast<float>(comm.rank())};
                               if (comm.rank() == 0) comm.send(rows(std::as_const(value)), 2);
                               if (comm.rank() == 2) comm.receive(rows(value), 0);
                               ASSERT_EQ(value[0], comm.rank() == 1 ? 1 : 0);
                             },
                             {.checked = checked});
    EXPECT_EQ(outcome.thrown, "");
  }
}

TEST_F(NcclFaults, UncheckedRowsThatDoNotMatchHangUntilTheDeadlineAsOnAGpu) {
  const auto outcome = run(
      2, [](Communicator& comm) { exchange(comm, 11, 12); }, hasty());
  EXPECT_THAT(outcome.thrown, AllOf(HasSubstr("waits in all_to_all #1"), HasSubstr("run with checks on")));
  EXPECT_THAT(outcome.ended, Each(testing::Lt(soon)));
}

TEST_F(NcclFaults, CheckedRowsThatDoNotMatchAreToldBeforeAnyDataMoves) {
  const auto outcome = run(
      2, [](Communicator& comm) { exchange(comm, 11, 12); }, hasty(true));
  EXPECT_THAT(outcome.errors, Each(HasSubstr("rank 1 would receive 12 rows from rank 0, but rank 0 sends 11")));
  EXPECT_EQ(nccl_double::calls("ncclSend"), 0);
}

TEST_F(NcclFaults, UncheckedRowsOfOneselfAreCompared) {
  const auto outcome = run(2, [](Communicator& comm) {
    const std::vector<std::int64_t> two{comm.rank() == 0 ? 2 : 0, comm.rank() == 0 ? 0 : 2};
    const std::vector<std::int64_t> one{comm.rank() == 0 ? 1 : 0, comm.rank() == 0 ? 0 : 1};
    std::vector<float> out(2), in(1);
    comm.all_to_all(rows(std::as_const(out)), two, rows(in), one);
  });
  EXPECT_THAT(outcome.thrown, HasSubstr("rows from rank"));
}

TEST_F(NcclFaults, RowsOfZeroAreNeitherSentNorReceived) {
  const auto outcome = run(3, [](Communicator& comm) { exchange(comm, 4, 4); });
  EXPECT_EQ(outcome.thrown, "");
  EXPECT_EQ(nccl_double::calls("ncclSend"), 1);
  EXPECT_EQ(nccl_double::calls("ncclRecv"), 1);
}

TEST_F(NcclFaults, UncheckedCollectivesCostNoRoundTrip) {
  EXPECT_EQ(run(3, [](Communicator& comm) { all_reduce_something(comm); }).thrown, "");
  EXPECT_EQ(nccl_double::calls("ncclAllGather"), 0);
  EXPECT_EQ(nccl_double::calls("ncclAllReduce"), 3);
}

TEST_F(NcclFaults, AMissingPeerIsNamedByTheDeadline) {
  const auto outcome = run(
      3,
      [](Communicator& comm) {
        comm.barrier();
        if (comm.rank() == 2) std::this_thread::sleep_for(milliseconds(1500));
        all_reduce_something(comm);
      },
      hasty());
  EXPECT_THAT(outcome.thrown, HasSubstr("waits in all_reduce #2 for rank 2, which is in no communication"));
  EXPECT_LT(outcome.ended[0], milliseconds(1400));
}

TEST_F(NcclFaults, TwoSendsThatMeetAreToldAtOnce) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<float> value(1);
    comm.send(rows(std::as_const(value)), 1 - comm.rank());
  });
  EXPECT_THAT(outcome.thrown,
              AllOf(HasSubstr("waits in send #1 for rank"), HasSubstr("let the even ranks send first")));
  EXPECT_THAT(outcome.ended, Each(testing::Lt(soon)));
}

TEST_F(NcclFaults, ACudaErrorWhileWaitingFailsTheRun) {
  nccl_double::fail_cuda_call("cudaEventQuery", 3, cudaErrorLaunchFailure);
  const auto outcome = run(2, [](Communicator& comm) {
    for (int i = 0; i < 10; ++i) all_reduce_something(comm);
  });
  EXPECT_THAT(outcome.thrown, AllOf(HasSubstr("cudaEventQuery"), HasSubstr("compute-sanitizer")));
}

// The compute stream is held with a copy in it: an operation must wait for that copy, and its own result comes before
// what is put into the compute stream afterwards.
TEST_F(NcclFaults, AnOperationStartsAfterTheComputeStreamsWork) {
  std::vector<float> computed{3}, result(2);
  const auto outcome = run(2, [&](Communicator& comm) {
    std::vector<float> value{1};
    if (comm.rank() == 0) {
      nccl_double::hold(nullptr);
      cudaMemcpyAsync(value.data(), computed.data(), sizeof(float), cudaMemcpyDeviceToDevice, nullptr);
    }
    auto started = comm.start_all_reduce(rows(value));
    std::thread later;
    if (comm.rank() == 0) {
      later = std::thread([] {
        std::this_thread::sleep_for(milliseconds(50));
        nccl_double::release();
      });
    }
    started->wait();
    if (later.joinable()) later.join();
    result[static_cast<std::size_t>(comm.rank())] = value[0];
  });
  EXPECT_EQ(outcome.thrown, "");
  EXPECT_THAT(result, Each(4.0F));
}

TEST_F(NcclFaults, AStartedOperationLetsTheComputeStreamRunOn) {
  const auto outcome = run(2, [](Communicator& comm) {
    std::vector<float> value{1}, other{5}, copy{0};
    auto started = comm.start_all_reduce(rows(value));
    cudaMemcpyAsync(copy.data(), other.data(), sizeof(float), cudaMemcpyDeviceToDevice, nullptr);
    cudaStreamQuery(nullptr);
    ASSERT_EQ(copy[0], 5) << "the compute stream waits although nobody asked it to";
    started->wait();
  });
  EXPECT_EQ(outcome.thrown, "");
}

// A peer that comes later would otherwise write into memory that is gone.
TEST_F(NcclFaults, ARankThatUnwindsFromAStartedOperationAbortsItBeforeItsBuffersGo) {
  const auto outcome = run(2, [](Communicator& comm) {
    if (comm.rank() == 1) return std::this_thread::sleep_for(milliseconds(100));
    std::vector<float> values(8);
    try {
      const auto started = comm.start_all_reduce(rows(values));
      throw std::runtime_error("out of luck");
    } catch (const std::runtime_error&) {
      EXPECT_EQ(nccl_double::calls("ncclCommAbort"), 1);
      throw;
    }
  });
  EXPECT_THAT(outcome.thrown, HasSubstr("rank 0 failed: out of luck"));
}

TEST_F(NcclFaults, EventsHaveDeviceTimesInsideTheOperation) {
  const auto outcome = run(2, [](Communicator& comm) {
    trace::Recorder recorder;
    comm.set_recorder(&recorder);
    if (comm.rank() == 1) std::this_thread::sleep_for(milliseconds(20));
    for (int i = 0; i < 5; ++i) all_reduce_something(comm);
    comm.set_recorder(nullptr);
    const auto& event = recorder.events().at(0);
    if (comm.rank() != 0) return;
    ASSERT_TRUE(event.on_device());
    EXPECT_GE(event.device_start_ns, event.start_ns - 5'000'000);
    EXPECT_LE(event.device_end_ns, event.end_ns);
    EXPECT_GE(event.device_end_ns - event.device_start_ns, 10'000'000) << "waiting is part of the one bar";
  });
  EXPECT_EQ(outcome.thrown, "");
}

}  // namespace

}  // namespace duet::comm
