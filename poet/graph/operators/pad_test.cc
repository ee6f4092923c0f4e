#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"

namespace poet {
namespace {

using testing::call_text;
using testing::float32;
using testing::gradient_operations;
using testing::gradient_texts;
using testing::int64;
using testing::outcome;
using testing::with_outputs;

OperationTypes pad(Shape x, PadAttributes attributes) {
  return {.kind = Operator::Pad,
          .attributes = std::move(attributes),
          .inputs = {float32(std::move(x))}};
}

TEST(Pad, AddsMarginsAndCuts) {
  EXPECT_EQ(outcome(pad({2, 3}, {.begin = {1, 0}, .end = {0, 2}})), "float32 (3, 5)");
  EXPECT_EQ(outcome(pad({2, 3}, {.begin = {0, -1}, .end = {0, -1}})), "float32 (2, 1)");
  EXPECT_EQ(outcome(pad({3}, {.begin = {2}, .end = {2}, .mode = PadMode::Reflect})), "float32 (7)");
  EXPECT_EQ(outcome(pad({3}, {.begin = {9}, .end = {0}, .mode = PadMode::Edge})), "float32 (12)");
}

TEST(Pad, SaysWhatDoesNotFit) {
  EXPECT_EQ(outcome(pad({3}, {.begin = {3}, .end = {0}, .mode = PadMode::Reflect})),
            "dimension 0 has 3 values, too few to reflect a margin of 3");
  EXPECT_EQ(outcome(pad({3}, {.begin = {0}, .end = {-1}, .mode = PadMode::Edge})),
            "dimension 0 has the margin -1: only a constant can be cut off");
  EXPECT_EQ(outcome(pad({2, 3}, {.begin = {0, -2}, .end = {0, -1}})),
            "margins of -2 and -1 leave nothing of the 3 values of dimension 1");
  EXPECT_EQ(outcome(pad({2}, {.begin = {9'223'372'036'854'775'807}, .end = {0}})),
            "dimension 0 has the margin 9223372036854775807: at most 2147483647 can be dealt with");
  EXPECT_EQ(outcome(pad({2, 3}, {.begin = {0}, .end = {0}})),
            "begin and end need 2 values each for float32 (2, 3), not 1 and 1");
  EXPECT_EQ(outcome({.kind = Operator::Pad,
                     .attributes = PadAttributes{.begin = {0}, .end = {0}},
                     .inputs = {int64({2})}}),
            "the input must be float32, not int64 (2)");
  EXPECT_EQ(outcome({.kind = Operator::Pad, .inputs = {float32({2})}}),
            "takes the attributes of a pad, and has none or others");
}

TEST(Pad, IsUndoneByTheOppositeMarginsWhereItIsConstant) {
  const OperationTypes types = pad({4}, {.begin = {2}, .end = {-1}, .value = 7});
  EXPECT_EQ(gradient_texts(types), std::vector<std::string>{"pad(dy) by 0"});
  const OperationTypes gradient = gradient_operations(types)[0];
  EXPECT_EQ(gradient.attributes, (Attributes{PadAttributes{.begin = {-2}, .end = {1}}}));
  EXPECT_EQ(outcome(gradient), "float32 (4)");
}

TEST(Pad, SumsTheGradientOfWhatItRepeats) {
  const OperationTypes types = pad({4}, {.begin = {2}, .end = {0}, .mode = PadMode::Edge});
  EXPECT_EQ(gradient_texts(types), std::vector<std::string>{"pad_gradient(dy) by 0"});
  const OperationTypes gradient = gradient_operations(types)[0];
  EXPECT_EQ(entry_of(Operator::PadGradient).flop(gradient), 6);
  EXPECT_EQ(call_text(gradient),
            "poet_pad_gradient_f32(0 -> 0) mode=1 rank=1 x_extents=4,1.. "
            "before=2,0.. after=0.. value=0");
}

TEST(Pad, CallsItsKernel) {
  EXPECT_EQ(call_text(with_outputs(pad({2, 3}, {.begin = {1, 0}, .end = {0, 2}, .value = 0.5F}))),
            "poet_pad_forward_f32(0 -> 0) mode=0 rank=2 x_extents=2,3,1.. before=1,0.. "
            "after=0,2,0.. value=0.5");
  EXPECT_EQ(call_text(with_outputs(pad({}, {.begin = {}, .end = {}, .mode = PadMode::Reflect}))),
            "poet_pad_forward_f32(0 -> 0) mode=2 rank=1 x_extents=1.. before=0.. after=0.. "
            "value=0");
}

}  // namespace
}  // namespace poet
