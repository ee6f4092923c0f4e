#include "poet/cost/operation_key.h"

#include <gtest/gtest.h>

#include <set>

#include "poet/graph/operator.h"

namespace poet {
namespace {

TensorType floats(Shape shape) {
  return {ElementType::Float32, std::move(shape)};
}

OperationTypes conv() {
  return {.kind = Operator::Conv,
          .attributes = WindowAttributes{.kernel = {3, 3},
                                         .stride = {1, 1},
                                         .padding_begin = {1, 1},
                                         .padding_end = {1, 1},
                                         .dilation = {1, 1}},
          .inputs = {floats({1, 3, 8, 8}), floats({4, 3, 3, 3})},
          .outputs = {floats({1, 4, 8, 8})}};
}

TEST(OperationKey, NamesOperatorAndTypes) {
  const OperationTypes relu{
      .kind = Operator::Relu, .inputs = {floats({8, 16})}, .outputs = {floats({8, 16})}};
  EXPECT_EQ(operation_key(relu), "relu (float32 (8, 16)) -> (float32 (8, 16))");
}

TEST(OperationKey, NamesEveryAttribute) {
  EXPECT_EQ(operation_key(conv()),
            "conv kernel=[3, 3] stride=[1, 1] padding_begin=[1, 1] padding_end=[1, 1] "
            "dilation=[1, 1] groups=1 round_up=false counts_padding=false "
            "(float32 (1, 3, 8, 8), float32 (4, 3, 3, 3)) -> (float32 (1, 4, 8, 8))");
}

TEST(OperationKey, IsAnotherForOtherWork) {
  std::set<std::string> keys;
  OperationTypes other = conv();
  keys.insert(operation_key(other));
  std::get<WindowAttributes>(other.attributes).groups = 2;
  keys.insert(operation_key(other));
  other.inputs.push_back(floats({4}));
  keys.insert(operation_key(other));
  other.kind = Operator::ConvTranspose;
  keys.insert(operation_key(other));
  EXPECT_EQ(keys.size(), 4U);
}

TEST(OperationKey, IsOneForEveryDropoutOfAShape) {
  OperationTypes dropout{.kind = Operator::Dropout,
                         .attributes = DropoutAttributes{.probability = 0.1F, .number = 1},
                         .inputs = {floats({8}), step_type()},
                         .outputs = {floats({8})}};
  const std::string first = operation_key(dropout);
  EXPECT_EQ(first, "dropout probability=0.1 (float32 (8), int32 (8)) -> (float32 (8))");
  std::get<DropoutAttributes>(dropout.attributes).number = 2;
  EXPECT_EQ(operation_key(dropout), first);
}

TEST(OperationKey, WritesNumbersThatReadBack) {
  const OperationTypes clip{.kind = Operator::Clip,
                            .attributes = ScalarAttributes{.alpha = -1.0F / 3, .beta = 6},
                            .inputs = {floats({2})},
                            .outputs = {floats({2})}};
  EXPECT_EQ(operation_key(clip), "clip alpha=-0.33333334 beta=6 (float32 (2)) -> (float32 (2))");
}

}  // namespace
}  // namespace poet
