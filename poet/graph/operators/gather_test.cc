#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"

namespace poet {
namespace {

using testing::call_text;
using testing::float32;
using testing::gradient_operations;
using testing::gradient_texts;
using testing::int32;
using testing::int64;
using testing::moved_bytes;
using testing::outcome;
using testing::with_outputs;

OperationTypes gather(std::int64_t axis, TensorType x, TensorType indices) {
  return {.kind = Operator::Gather,
          .attributes = AxisAttributes{axis},
          .inputs = {std::move(x), std::move(indices)}};
}

TEST(Gather, PutsTheShapeOfTheIndicesInPlaceOfTheAxis) {
  EXPECT_EQ(outcome(gather(0, float32({100, 8}), int64({2, 5}))), "float32 (2, 5, 8)");
  EXPECT_EQ(outcome(gather(1, int64({2, 3, 4}), int32({7}))), "int64 (2, 7, 4)");
  EXPECT_EQ(outcome(gather(1, float32({2, 3, 4}), int32({}))), "float32 (2, 4)");
  EXPECT_EQ(outcome(gather(0, float32({3}), int32({}))), "float32 ()");
}

TEST(Gather, SaysWhatDoesNotFit) {
  EXPECT_EQ(outcome(gather(2, float32({2, 3}), int64({4}))),
            "axis 2 is out of range for float32 (2, 3)");
  EXPECT_EQ(outcome(gather(-1, float32({2, 3}), int64({4}))),
            "axis -1 is out of range for float32 (2, 3)");
  EXPECT_EQ(outcome(gather(0, float32({}), int64({4}))), "axis 0 is out of range for float32 ()");
  EXPECT_EQ(outcome(gather(0, float32({2}), float32({4}))),
            "the indices must be int32 or int64, not float32 (4)");
  EXPECT_EQ(outcome({.kind = Operator::Gather, .inputs = {float32({2}), int64({4})}}),
            "takes the attributes of a gather, and has none or others");
}

TEST(Gather, ReadsOnlyTheRowsThatItPicks) {
  // 10 indices of 8 bytes; 10 rows of 8 floats, read and written.
  EXPECT_EQ(moved_bytes(gather(0, float32({30'000, 8}), int64({2, 5}))), 80 + 2 * 320);
}

TEST(Gather, AddsUpItsGradientByTheIndices) {
  const OperationTypes types = gather(0, float32({100, 8}), int64({2, 5}));
  EXPECT_EQ(gradient_texts(types), std::vector<std::string>{"gather_gradient(x1, dy) by 0"});
  const OperationTypes gradient = gradient_operations(types)[0];
  EXPECT_EQ(entry_of(Operator::GatherGradient).flop(gradient), 80);
  EXPECT_EQ(call_text(gradient),
            "poet_gather_gradient_f32_i64(0, 1 -> 0) element_bytes=4 outer=1 "
            "axis=100 inner=8 count=10");
}

TEST(Gather, CallsTheKernelOfItsIndices) {
  EXPECT_EQ(call_text(with_outputs(gather(1, int64({2, 3, 4}), int32({7})))),
            "poet_gather_forward_i32(0, 1 -> 0) element_bytes=8 outer=2 axis=3 inner=4 count=7");
}

}  // namespace
}  // namespace poet
