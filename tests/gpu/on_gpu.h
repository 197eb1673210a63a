#pragma once
/// Tests that need a GPU. Without one each is skipped, and says why; ./duet test counts them.
#include <gtest/gtest.h>

#include "core/gpu/gpu.h"

namespace duet::test {

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (gpu::count() == 0) GTEST_SKIP() << "no GPU: " << gpu::why_none();
  }
};

}  // namespace duet::test
