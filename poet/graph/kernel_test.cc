#include "poet/graph/kernel.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

struct Sizes {
  std::int32_t count;
  float factor;
};

void scale_and_pick(const Sizes* sizes, const float* x, const std::int64_t* pick, float* y,
                    std::uint8_t* z, void* workspace) {
  y[0] = sizes->factor * x[pick[0]];
  z[0] = static_cast<std::uint8_t>(sizes->count);
  *static_cast<float*>(workspace) = x[0];
}

TEST(Kernel, PassesInputsThenOutputsInOrder) {
  constexpr Kernel kKernel = POET_KERNEL(scale_and_pick);
  EXPECT_EQ(kKernel.name, "scale_and_pick");
  EXPECT_EQ(kKernel.shape_bytes, 8);
  EXPECT_EQ(kKernel.inputs, 2);
  EXPECT_EQ(kKernel.outputs, 3);

  const Sizes sizes{.count = 7, .factor = 2};
  const float x[] = {3, 4, 5};
  const std::int64_t pick = 2;
  float y = 0;
  std::uint8_t z = 0;
  float workspace = 0;
  const void* const inputs[] = {x, &pick};
  void* const outputs[] = {&y, &z, &workspace};
  kKernel.call(&sizes, inputs, outputs);
  EXPECT_EQ(y, 10.0F);
  EXPECT_EQ(z, 7);
  EXPECT_EQ(workspace, 3.0F);
}

}  // namespace
}  // namespace poet
