#include "poet/kernels/kernel_call.h"
#include "poet/runtime/unary.h"

#include <gtest/gtest.h>

#include <bit>

namespace poet {
namespace {

TEST(PreparedCall, BuildsTheShapeStructWordByWord) {
  const PreparedCall call = prepared({.function = POET_KERNEL(poet_clip_forward_f32),
                                      .shape = {{"count", 3}, {"alpha", -1.0F}, {"beta", 6.0F}},
                                      .inputs = {0},
                                      .outputs = {0}});
  EXPECT_EQ(call.kernel, POET_KERNEL(poet_clip_forward_f32));
  EXPECT_EQ(call.shape, (std::vector<std::uint32_t>{3, std::bit_cast<std::uint32_t>(-1.0F),
                                                    std::bit_cast<std::uint32_t>(6.0F)}));
}

TEST(Run, ExecutesAnOperation) {
  const KernelCall call{.function = POET_KERNEL(poet_clip_forward_f32),
                        .shape = {{"count", 3}, {"alpha", -1.0F}, {"beta", 6.0F}},
                        .inputs = {0},
                        .outputs = {0}};
  const std::vector<float> x{-3, 2, 9};
  std::vector<float> y(3);
  const void* const inputs[] = {x.data()};
  void* const outputs[] = {y.data()};
  run(call, inputs, outputs, nullptr);
  EXPECT_EQ(y, (std::vector<float>{-1, 2, 6}));
}

// A kernel that writes down where it was pointed to.
const void* seen_inputs[3];
void* seen_outputs[3];
void remember(const void*, const void* const* inputs, void* const* outputs) {
  for (int i = 0; i < 3; ++i) {
    seen_inputs[i] = inputs[i];
    seen_outputs[i] = outputs[i];
  }
}

TEST(Run, PicksPointersAndPutsTheWorkspaceLast) {
  const Kernel kernel{.name = "remember", .inputs = 3, .outputs = 3, .call = remember};
  const PreparedCall call{.kernel = kernel,
                          .inputs = {1, std::nullopt, 0},
                          .outputs = {std::nullopt, 0},
                          .workspace_bytes = 8};
  const float a = 0;
  const float b = 0;
  float y = 0;
  double workspace = 0;
  const void* const inputs[] = {&a, &b};
  void* const outputs[] = {&y};
  run(call, inputs, outputs, &workspace);
  EXPECT_EQ(seen_inputs[0], &b);
  EXPECT_EQ(seen_inputs[1], nullptr);
  EXPECT_EQ(seen_inputs[2], &a);
  EXPECT_EQ(seen_outputs[0], nullptr);
  EXPECT_EQ(seen_outputs[1], &y);
  EXPECT_EQ(seen_outputs[2], &workspace);
}

using PreparedCallDeathTest = ::testing::Test;

TEST(PreparedCallDeathTest, IsNotMadeOfACallThatDoesNotFitItsFunction) {
  const KernelCall right{.function = POET_KERNEL(poet_relu_forward_f32),
                         .shape = {{"count", 3}, {"alpha", 0.0F}, {"beta", 0.0F}},
                         .inputs = {0},
                         .outputs = {0}};
  KernelCall wrong = right;
  wrong.function = {};
  EXPECT_DEATH(prepared(wrong), "kernel.call != nullptr");
  wrong = right;
  wrong.inputs = {0, 1};
  EXPECT_DEATH(prepared(wrong), "inputs");
  wrong = right;
  wrong.workspace_bytes = 4;
  EXPECT_DEATH(prepared(wrong), "outputs");
  wrong = right;
  wrong.shape.pop_back();
  EXPECT_DEATH(prepared(wrong), "shape_bytes");
}

}  // namespace
}  // namespace poet
