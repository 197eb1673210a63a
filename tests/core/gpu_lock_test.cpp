// Two processes and one GPU: who waits, what they are told, and that nobody keeps it beyond their end.
#include "core/gpu_lock.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "core/error.h"

namespace duet {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class GpuLocks : public testing::Test {
 protected:
  GpuLocks() { fs::create_directories(options.folder); }
  ~GpuLocks() override {
    end_holder();
    fs::remove_all(options.folder);
  }

  fs::path file(const std::string& id = "0") const { return options.folder / ("duet-gpu-" + id + ".lock"); }

  // Another process that holds the GPU until it is killed, or that ends by itself after `held`.
  void let_another_hold(const GpuName& gpu, milliseconds held = std::chrono::hours(1)) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    holder = ::fork();
    ASSERT_GE(holder, 0);
    if (holder == 0) {
      auto theirs = options;
      theirs.command = "./duet compare";
      const GpuLock lock(gpu, theirs);
      if (::write(ready[1], "x", 1) != 1) ::_exit(1);
      std::this_thread::sleep_for(held);
      ::_exit(0);  // no destructor: only the system frees it
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }

  void end_holder() {
    if (holder <= 0) return;
    ::kill(holder, SIGKILL);
    ::waitpid(holder, nullptr, 0);
    holder = 0;
  }

  // What a failed try is told.
  std::string refusal(const GpuName& gpu) {
    try {
      const GpuLock lock(gpu, options);
    } catch (const RankError& error) {
      return error.what();
    }
    return "it was free";
  }

  pid_t holder = 0;
  std::vector<std::string> told;
  GpuLockOptions options{.folder = fs::temp_directory_path() / ("duet_locks_" + std::to_string(::getpid())),
                         .command = "./duet train",
                         .longest = std::chrono::seconds(20),
                         .stop = nullptr,
                         .poll = milliseconds(5),
                         .tell = [this](const std::string& line) { told.push_back(line); }};
};

TEST_F(GpuLocks, AFreeGpuIsTakenWithoutAWord) {
  const GpuLock lock({.index = 0}, options);
  EXPECT_TRUE(told.empty());
}

TEST_F(GpuLocks, WhoWaitsIsToldForWhomAndSinceWhenAndThenHasIt) {
  let_another_hold({.index = 0}, milliseconds(300));
  {
    const GpuLock lock({.index = 0}, options);
    std::ifstream text(file());
    EXPECT_THAT(std::string(std::istreambuf_iterator<char>(text), {}),
                HasSubstr(std::to_string(::getpid()) + "\n"));  // the lock's name is ours now
  }
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], HasSubstr("(pid " + std::to_string(holder) + ", ./duet compare) since "));
  EXPECT_THAT(told[0],
              ContainsRegex("^GPU 0 is used by .+ since [0-9][0-9]:[0-9][0-9], [0-9]+ s ago; waiting. Ctrl-C"));
}

TEST_F(GpuLocks, WhoWaitsLongIsToldAgain) {
  options.remind = milliseconds(50);
  let_another_hold({.index = 0}, milliseconds(400));
  const GpuLock lock({.index = 0}, options);
  EXPECT_GE(told.size(), 2U);
}

TEST_F(GpuLocks, AHolderThatIsKilledHoldsNothing) {
  let_another_hold({.index = 0});
  end_holder();
  const GpuLock lock({.index = 0}, options);
  EXPECT_TRUE(told.empty());
}

TEST_F(GpuLocks, TheLongestWaitEndsWithTheHoldersName) {
  options.longest = milliseconds(30);
  let_another_hold({.index = 1});
  const auto text = refusal({.index = 1});
  EXPECT_THAT(text, HasSubstr("(pid " + std::to_string(holder) + ", ./duet compare)"));
  EXPECT_THAT(text, HasSubstr("waited for it as long as was allowed"));
}

TEST_F(GpuLocks, AStopEndsTheWait) {
  std::atomic<bool> stop{true};
  options.stop = &stop;
  let_another_hold({.index = 0});
  EXPECT_THAT(refusal({.index = 0}), HasSubstr("the wait for it was ended"));
}

TEST_F(GpuLocks, OtherGpusAreFree) {
  let_another_hold({.index = 0, .id = "GPU-aa"});
  const GpuLock lock({.index = 0, .id = "GPU-bb"}, options);  // the same index, of another CUDA_VISIBLE_DEVICES
  EXPECT_TRUE(told.empty());
}

TEST_F(GpuLocks, OneGpuIsOneWhateverItsIndex) {
  options.longest = milliseconds(30);
  let_another_hold({.index = 0, .id = "GPU-aa"});
  EXPECT_THAT(refusal({.index = 3, .id = "GPU-aa"}), HasSubstr("GPU 3 is used by"));
}

TEST_F(GpuLocks, EveryUserMayLockTheFile) {
  const auto before = ::umask(077);
  { const GpuLock lock({.index = 0}, options); }
  ::umask(before);
  EXPECT_EQ(fs::status(file()).permissions() & fs::perms::mask, fs::perms{0666});
}

TEST_F(GpuLocks, AnIdIsNoPath) {
  const GpuLock lock({.index = 0, .id = "../x/MIG 1"}, options);
  EXPECT_TRUE(fs::exists(file("---x-MIG-1")));
}

TEST_F(GpuLocks, ALinkIsNotFollowed) {
  const auto victim = options.folder / "victim";
  std::ofstream(victim) << "precious";
  fs::create_symlink(victim, file());
  EXPECT_THROW(GpuLock({.index = 0}, options), InputError);
  EXPECT_EQ(fs::file_size(victim), 8U);
}

TEST_F(GpuLocks, WhatOthersWroteReachesNoTerminalAsAnOrder) {
  options.longest = milliseconds(30);
  let_another_hold({.index = 0});
  std::ofstream(file()) << "1700000000\n1\n\x1b[31mmallory\n./duet\n";
  EXPECT_THAT(refusal({.index = 0}), HasSubstr("used by ?[31mmallory"));
  std::ofstream(file()) << "garbage";
  EXPECT_THAT(refusal({.index = 0}), HasSubstr("GPU 0 is used by another run"));
}

TEST_F(GpuLocks, AFileThatWasTakenAwayMeanwhileIsNoLock) {
  let_another_hold({.index = 0}, milliseconds(200));
  std::thread cleaner([this] {
    std::this_thread::sleep_for(milliseconds(50));
    fs::remove(file());
  });
  const GpuLock lock({.index = 0}, options);
  cleaner.join();
  EXPECT_TRUE(fs::exists(file()));
  options.longest = milliseconds(30);
  EXPECT_THAT(refusal({.index = 0}), HasSubstr("pid " + std::to_string(::getpid())));
}

TEST_F(GpuLocks, SeveralAreTakenOnceEachInOneOrder) {
  const auto first = lock_gpus({{.index = 1, .id = "b"}, {.index = 0, .id = "a"}, {.index = 2, .id = "a"}}, options);
  EXPECT_EQ(first.size(), 2U);
  options.longest = milliseconds(30);
  EXPECT_THAT(refusal({.index = 0, .id = "a"}), HasSubstr("is used by"));
}

TEST_F(GpuLocks, TwoRunsThatWantTheSameTwoDoNotWaitForEachOther) {
  const std::vector<GpuName> one = {{.index = 0, .id = "a"}, {.index = 1, .id = "b"}};
  const std::vector<GpuName> other = {{.index = 0, .id = "b"}, {.index = 1, .id = "a"}};
  options.tell = [](const std::string&) {};
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  const auto rounds = [&](const std::vector<GpuName>& gpus) {
    options.poll = milliseconds(1);
    for (int i = 0; i < 50; ++i) {
      const auto locks = lock_gpus(gpus, options);
      std::this_thread::sleep_for(milliseconds(1));
    }
  };
  if (child == 0) {
    rounds(other);
    ::_exit(0);
  }
  rounds(one);
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace

}  // namespace duet
