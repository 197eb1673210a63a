// One process a rank: here each is a thread that shares nothing but an id exchange and a signal, as processes would.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "comm/nccl/run_nccl.h"
#include "tests/comm/transports.h"
#include "tests/nccl_double/control.h"

namespace duet::comm {

namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;

/// What a launcher's store would be.
class Store : public Signal {
 public:
  std::optional<Failure> poll() override {
    const std::scoped_lock lock(mutex_);
    return failure_;
  }
  void raise(const Failure& failure) override {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = failure;
  }
  IdExchange exchange_of(int rank) {
    return [this, rank](std::span<const std::byte> mine, int root) {
      std::unique_lock lock(mutex_);
      if (rank == root) id_.assign(mine.begin(), mine.end());
      changed_.notify_all();
      changed_.wait(lock, [this] { return !id_.empty(); });
      return id_;
    };
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Failure> failure_;
  std::vector<std::byte> id_;
};

struct NcclProcesses : testing::Test {
  void SetUp() override { nccl_double::reset(); }
  void TearDown() override {
    EXPECT_EQ(nccl_double::alive(), nccl_double::Alive{});
    nccl_double::reset();
  }

  static std::vector<std::string> run(int size, const NcclOptions& options, const Body& body) {
    const auto store = std::make_shared<Store>();
    std::vector<std::string> errors(static_cast<std::size_t>(size));
    std::vector<std::thread> processes;
    for (int rank = 0; rank < size; ++rank) {
      processes.emplace_back([&, rank] {
        try {
          run_nccl_process(
              {.rank = rank, .size = size, .device = rank, .exchange_id = store->exchange_of(rank), .signal = store},
              options, body);
        } catch (const Error& error) {
          errors[static_cast<std::size_t>(rank)] = error.what();
        }
      });
    }
    for (auto& process : processes) process.join();
    return errors;
  }
};

std::int64_t sum_over(Communicator& comm, std::int64_t mine) {
  std::vector<std::int64_t> value{mine};
  comm.all_reduce(rows(value));
  return value[0];
}

TEST_F(NcclProcesses, TalkLikeThreads) {
  const auto errors = run(4, {.checked = true}, [](Communicator& comm) {
    EXPECT_EQ(sum_over(comm, comm.rank()), 6);
    const auto half = comm.split(comm.rank() / 2, 0);
    EXPECT_EQ(sum_over(*half, comm.rank()), comm.rank() < 2 ? 1 : 5);
    std::vector<float> value{static_cast<float>(comm.rank())};
    if (comm.rank() == 1) comm.send(rows(std::as_const(value)), 3);
    if (comm.rank() == 3) comm.receive(rows(value), 1);
    EXPECT_EQ(value[0], comm.rank() == 3 ? 1 : comm.rank());
  });
  EXPECT_THAT(errors, testing::Each(""));
}

TEST_F(NcclProcesses, OneThatThrowsWakesTheOthersOverTheSignal) {
  const auto errors = run(3, {}, [](Communicator& comm) {
    comm.barrier();
    if (comm.rank() == 1) throw std::runtime_error("the disk is full");
    sum_over(comm, 1);
  });
  for (const auto& error : errors) EXPECT_THAT(error, HasSubstr("rank 1 failed: the disk is full"));
  EXPECT_THAT(errors[0], HasSubstr("rank 0 was in all_reduce #2"));
}

TEST_F(NcclProcesses, AnInputErrorIsThrownAsItIs) {
  const auto errors = run(2, {}, [](Communicator& comm) {
    if (comm.rank() == 0) throw InputError("5 experts on 2 ranks");
    comm.barrier();
  });
  EXPECT_EQ(errors[0], "5 experts on 2 ranks");
  EXPECT_THAT(errors[1], HasSubstr("rank 0 failed: 5 experts on 2 ranks"));
}

TEST_F(NcclProcesses, OneThatNeverComesIsWaitedForUntilTheDeadlineAndNothingIsSaidOfItThatNobodyKnows) {
  const auto errors = run(2, {.deadline = milliseconds(300)}, [](Communicator& comm) {
    if (comm.rank() == 0) comm.barrier();
    if (comm.rank() == 1) std::this_thread::sleep_for(milliseconds(800));
  });
  EXPECT_THAT(errors[0], AllOf(HasSubstr("rank 0 waits in barrier #1 for rank 1\n"),
                               HasSubstr("the deadline of 0.3 s passed"), HasSubstr("NCCL_DEBUG=INFO")));
  EXPECT_THAT(errors[0], testing::Not(HasSubstr("which is in no communication")));
}

TEST_F(NcclProcesses, OnOneDeviceAreToldThatNcclRefusesIt) {
  const auto store = std::make_shared<Store>();
  std::vector<std::string> errors(2);
  std::vector<std::thread> processes;
  for (int rank = 0; rank < 2; ++rank) {
    processes.emplace_back([&, rank] {
      try {
        run_nccl_process(
            {.rank = rank, .size = 2, .device = 0, .exchange_id = store->exchange_of(rank), .signal = store},
            {.deadline = milliseconds(2000)}, [](Communicator&) {});
      } catch (const Error& error) {
        errors[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  for (auto& process : processes) process.join();
  EXPECT_THAT(errors, testing::Contains(AllOf(HasSubstr("ncclInvalidUsage"),
                                              HasSubstr("two ranks use the same GPU, which NCCL refuses"))));
}

TEST_F(NcclProcesses, AnIdOfAnotherSizeIsRefused) {
  const auto store = std::make_shared<Store>();
  const NcclProcess process{.exchange_id = [](auto...) { return std::vector<std::byte>(3); }, .signal = store};
  try {
    run_nccl_process(process, {}, [](Communicator&) {});
    FAIL() << "nothing was thrown";
  } catch (const RankError& error) {
    EXPECT_THAT(error.text().what, HasSubstr("an NCCL id of 3 bytes instead of 128"));
  }
}

}  // namespace

}  // namespace duet::comm
