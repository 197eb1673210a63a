#include "train/device.h"

#include <c10/core/AutogradState.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/error.h"
#include "core/gpu/gpu.h"
#include "train/ranks.h"

namespace duet {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Device, OfTheCpuIsTheCpuForEveryRank) {
  EXPECT_EQ(choose_device(DeviceKind::cpu).kind, DeviceKind::cpu);
  EXPECT_EQ(device_of_rank({}, 3), at::Device(at::kCPU));
}

TEST(Device, WithoutAGpuCudaIsRefusedWithTheWayOut) {
  if (gpu::count() > 0) GTEST_SKIP() << "this machine has a GPU";
  const auto* const way_out = gpu::built() ? "--device auto" : "DUET_PRESET=cuda";
  EXPECT_THAT([] { choose_device(DeviceKind::cuda); },
              ThrowsMessage<InputError>(AllOf(HasSubstr(gpu::why_none()), HasSubstr(way_out))));
}

TEST(Device, WithoutAGpuAutoFallsToTheCpuAndSaysSo) {
  if (gpu::count() > 0) GTEST_SKIP() << "this machine has a GPU";
  const auto choice = choose_device(DeviceKind::automatic);
  EXPECT_EQ(choice.kind, DeviceKind::cpu);
  EXPECT_THAT(choice.note, AllOf(HasSubstr("auto"), HasSubstr(gpu::why_none())));
}

TEST(Device, BackwardStaysInARanksOwnThread) {
  RunConfig config;
  run_on_ranks(config, [](comm::Communicator&) {
    EXPECT_FALSE(c10::AutogradState::get_tls_state().get_multithreading_enabled());
    std::thread::id ran_in;
    const auto x = at::ones({2}).requires_grad_(true);
    auto y = x * 2;
    y.register_hook([&](const at::Tensor&) { ran_in = std::this_thread::get_id(); });
    y.sum().backward();
    EXPECT_EQ(ran_in, std::this_thread::get_id());
  });
}

}  // namespace
}  // namespace duet
