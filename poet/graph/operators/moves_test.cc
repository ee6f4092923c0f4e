#include <gtest/gtest.h>

#include <limits>

#include "poet/graph/operators/operator_test_support.h"

namespace poet {
namespace {

using testing::boolean;
using testing::call_text;
using testing::float32;
using testing::gradient_operations;
using testing::gradient_texts;
using testing::int32;
using testing::int64;
using testing::moved_bytes;
using testing::outcome;
using testing::with_outputs;
using Texts = std::vector<std::string>;

OperationTypes move(Operator kind, Attributes attributes, TensorType x) {
  return {.kind = kind, .attributes = std::move(attributes), .inputs = {std::move(x)}};
}

Attributes attributes_of_gradient(const OperationTypes& types) {
  return gradient_operations(types)[0].attributes;
}

TEST(Reshape, KeepsTheValues) {
  EXPECT_EQ(outcome(move(Operator::Reshape, ShapeAttributes{{3, 2}}, int64({6}))), "int64 (3, 2)");
  EXPECT_EQ(outcome(move(Operator::Reshape, ShapeAttributes{{}}, float32({1, 1}))), "float32 ()");
}

TEST(Reshape, SaysWhatDoesNotFit) {
  EXPECT_EQ(outcome(move(Operator::Reshape, ShapeAttributes{{4}}, float32({2, 3}))),
            "float32 (2, 3) cannot take the shape (4): 6 values are not 4");
  EXPECT_EQ(outcome(move(Operator::Reshape, ShapeAttributes{{-1, 6}}, float32({2, 3}))),
            "what is asked for has the shape (-1, 6): every extent must be at least 1");
  EXPECT_EQ(outcome(move(Operator::Reshape, ShapeAttributes{{4'294'967'296, 4'294'967'296}},
                         float32({2, 3}))),
            "what is asked for has the shape (4294967296, 4294967296): a tensor has at most "
            "2147483647 values");
  EXPECT_EQ(outcome(move(Operator::Reshape, {}, float32({2}))),
            "takes the attributes of a reshape, and has none or others");
}

TEST(Reshape, IsAViewAndSoIsItsGradient) {
  const OperationTypes types = move(Operator::Reshape, ShapeAttributes{{6}}, float32({2, 3}));
  EXPECT_TRUE(entry_of(Operator::Reshape).view);
  EXPECT_EQ(moved_bytes(types), 0);
  EXPECT_EQ(gradient_texts(types), Texts{"reshape(dy) by 0"});
  EXPECT_EQ(attributes_of_gradient(types), (Attributes{ShapeAttributes{{2, 3}}}));
}

TEST(Transpose, PutsDimensionsInAnotherOrder) {
  EXPECT_EQ(outcome(move(Operator::Transpose, TransposeAttributes{{2, 0, 1}}, float32({2, 3, 4}))),
            "float32 (4, 2, 3)");
}

TEST(Transpose, SaysWhatDoesNotFit) {
  EXPECT_EQ(outcome(move(Operator::Transpose, TransposeAttributes{{0, 0}}, float32({2, 3}))),
            "(0, 0) does not name each dimension of float32 (2, 3) once");
  EXPECT_EQ(outcome(move(Operator::Transpose, TransposeAttributes{{0}}, float32({2, 3}))),
            "(0) does not name each dimension of float32 (2, 3) once");
  EXPECT_EQ(outcome(move(Operator::Transpose, {}, float32({2, 3}))),
            "takes the attributes of a transpose, and has none or others");
}

TEST(Transpose, IsUndoneByItsGradient) {
  const OperationTypes types =
      move(Operator::Transpose, TransposeAttributes{{2, 0, 1}}, float32({2, 3, 4}));
  EXPECT_EQ(attributes_of_gradient(types), (Attributes{TransposeAttributes{{1, 2, 0}}}));
  EXPECT_EQ(outcome(gradient_operations(types)[0]), "float32 (2, 3, 4)");
}

TEST(Transpose, CopiesWithMergedDimensions) {
  EXPECT_EQ(call_text(with_outputs(
                move(Operator::Transpose, TransposeAttributes{{2, 0, 1}}, float32({2, 3, 4})))),
            "poet_strided_copy_forward(0 -> 0) element_bytes=4 rank=2 extents=4,6,1.. x_offset=0 "
            "x_strides=1,4,0.. x_count=24");
}

SliceAttributes backwards() {
  return {.start = {1, 3}, .step = {1, -2}, .extent = {2, 2}};
}

TEST(Slice, TakesEveryStep) {
  EXPECT_EQ(outcome(move(Operator::Slice, backwards(), boolean({3, 4}))), "bool (2, 2)");
  EXPECT_EQ(outcome(move(Operator::Slice,
                         SliceAttributes{.start = {2}, .step = {1'000'000'000'000}, .extent = {1}},
                         float32({3}))),
            "float32 (1)");
}

TEST(Slice, SaysWhatDoesNotFit) {
  const auto of_five = [](std::int64_t start, std::int64_t step, std::int64_t extent) {
    return outcome(move(Operator::Slice, SliceAttributes{{start}, {step}, {extent}}, float32({5})));
  };
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(of_five(0, 0, 1), "the step of dimension 0 is 0");
  EXPECT_EQ(of_five(3, 1, 3), "dimension 0 of float32 (5) has no 3 values from 3 on in steps of 1");
  EXPECT_EQ(of_five(1, -1, 3),
            "dimension 0 of float32 (5) has no 3 values from 1 on in steps of -1");
  EXPECT_EQ(of_five(5, 1, 1), "dimension 0 of float32 (5) has no 1 values from 5 on in steps of 1");
  EXPECT_EQ(of_five(-1, 1, 1),
            "dimension 0 of float32 (5) has no 1 values from -1 on in steps of 1");
  EXPECT_EQ(of_five(0, 1, 0), "dimension 0 of float32 (5) has no 0 values from 0 on in steps of 1");
  EXPECT_EQ(of_five(1, kHuge, 2),
            "dimension 0 of float32 (5) has no 2 values from 1 on in steps "
            "of 9223372036854775807");
  EXPECT_EQ(outcome(move(Operator::Slice, backwards(), float32({3}))),
            "start, step and extent need 1 values each for float32 (3), not 2, 2 and 2");
  EXPECT_EQ(outcome(move(Operator::Slice, {}, float32({3}))),
            "takes the attributes of a slice, and has none or others");
}

TEST(Slice, CopiesAndItsGradientPutsBack) {
  const OperationTypes types = move(Operator::Slice, backwards(), float32({3, 4}));
  const std::string words =
      " element_bytes=4 rank=2 extents=2,2,1.. x_offset=7 x_strides=4,-2,0.. x_count=12";
  EXPECT_EQ(call_text(with_outputs(types)), "poet_strided_copy_forward(0 -> 0)" + words);
  EXPECT_EQ(gradient_texts(types), Texts{"slice_gradient(dy) by 0"});
  EXPECT_EQ(call_text(gradient_operations(types)[0]), "poet_strided_copy_gradient(0 -> 0)" + words);
  EXPECT_EQ(moved_bytes(types), 2 * 16);
}

OperationTypes concat(std::int64_t axis, std::vector<TensorType> inputs) {
  return {
      .kind = Operator::Concat, .attributes = AxisAttributes{axis}, .inputs = std::move(inputs)};
}

TEST(Concat, AddsUpAlongTheAxis) {
  EXPECT_EQ(outcome(concat(1, {int64({2, 3}), int64({2, 1}), int64({2, 3})})), "int64 (2, 7)");
  EXPECT_EQ(outcome(concat(0, {float32({5})})), "float32 (5)");
}

TEST(Concat, SaysWhatDoesNotFit) {
  EXPECT_EQ(outcome(concat(0, {float32({2, 3}), float32({2, 4})})),
            "float32 (2, 4) does not go with float32 (2, 3) along axis 0");
  EXPECT_EQ(outcome(concat(0, {float32({2}), int64({2})})),
            "int64 (2) does not go with float32 (2) along axis 0");
  EXPECT_EQ(outcome(concat(0, {float32({2, 3}), float32({2})})),
            "float32 (2) does not go with float32 (2, 3) along axis 0");
  EXPECT_EQ(outcome(concat(1, {float32({2})})), "axis 1 is out of range for float32 (2)");
  EXPECT_EQ(outcome(concat(-1, {float32({2})})), "axis -1 is out of range for float32 (2)");
  EXPECT_EQ(outcome(concat(0, {float32({})})), "axis 0 is out of range for float32 ()");
  EXPECT_EQ(outcome({.kind = Operator::Concat, .inputs = {float32({2})}}),
            "takes the attributes of a concatenation, and has none or others");
}

TEST(Concat, HasSlicesAsItsGradient) {
  const OperationTypes types = concat(1, {float32({2, 3}), float32({2, 1})});
  EXPECT_EQ(gradient_texts(types), (Texts{"slice(dy) by 0", "slice(dy) by 1"}));
  const std::vector<OperationTypes> parts = gradient_operations(types);
  EXPECT_EQ(parts[1].attributes,
            (Attributes{SliceAttributes{.start = {0, 3}, .step = {1, 1}, .extent = {2, 1}}}));
  EXPECT_EQ(outcome(parts[0]), "float32 (2, 3)");
  EXPECT_EQ(outcome(parts[1]), "float32 (2, 1)");
}

TEST(Concat, GivesNullForAbsentInputs) {
  const std::vector<TensorType> three = {boolean({2, 3, 5}), boolean({2, 1, 5}),
                                         boolean({2, 4, 5})};
  EXPECT_EQ(call_text(with_outputs(concat(1, three))),
            "poet_concat8_forward(0, 1, 2, null, null, null, null, null -> 0) element_bytes=1 "
            "outer=2 inner=5 extents=3,1,4,0..");
  EXPECT_EQ(call_text(with_outputs(concat(0, {float32({2}), float32({3})}))),
            "poet_concat2_forward(0, 1 -> 0) element_bytes=4 outer=1 inner=1 extents=2,3,0..");
}

TEST(Expand, RepeatsValues) {
  EXPECT_EQ(outcome(move(Operator::Expand, ShapeAttributes{{2, 3, 4}}, int32({3, 1}))),
            "int32 (2, 3, 4)");
  const OperationTypes types = move(Operator::Expand, ShapeAttributes{{2, 3}}, float32({3}));
  EXPECT_EQ(gradient_texts(types), Texts{"broadcast_sum(dy) by 0"});
  EXPECT_EQ(call_text(with_outputs(types)),
            "poet_strided_copy_forward(0 -> 0) element_bytes=4 rank=2 extents=2,3,1.. x_offset=0 "
            "x_strides=0,1,0.. x_count=3");
}

TEST(Expand, SaysWhatDoesNotFit) {
  EXPECT_EQ(outcome(move(Operator::Expand, ShapeAttributes{{2, 4}}, float32({3}))),
            "float32 (3) does not broadcast to the shape (2, 4)");
  EXPECT_EQ(outcome(move(Operator::Expand, ShapeAttributes{{1}}, float32({3}))),
            "float32 (3) does not broadcast to the shape (1)");
  EXPECT_EQ(outcome(move(Operator::Expand, ShapeAttributes{{0}}, float32({1}))),
            "what is asked for has the shape (0): every extent must be at least 1");
  EXPECT_EQ(
      outcome(move(Operator::Expand, ShapeAttributes{{1, 1, 1, 1, 1, 1, 1, 1, 1}}, float32({1}))),
      "what is asked for has 9 dimensions: at most 8 can be dealt with");
  EXPECT_EQ(outcome(move(Operator::Expand, {}, float32({2}))),
            "takes the attributes of a broadcast, and has none or others");
}

TEST(Cast, ChangesTheElementType) {
  const OperationTypes types =
      move(Operator::Cast, CastAttributes{ElementType::Float32}, boolean({2, 3}));
  EXPECT_EQ(outcome(types), "float32 (2, 3)");
  EXPECT_EQ(call_text(with_outputs(types)), "poet_cast_forward_u8_to_f32(0 -> 0) count=6");
  EXPECT_EQ(entry_of(Operator::Cast).gradient, nullptr);
}

TEST(Cast, SaysWhatDoesNotFit) {
  EXPECT_EQ(outcome(move(Operator::Cast, CastAttributes{ElementType::Int64}, boolean({2}))),
            "does not make int64 of bool (2): one of the two must be float32, or one int32 and the "
            "other int64");
  EXPECT_EQ(outcome(move(Operator::Cast, CastAttributes{ElementType::Float32}, float32({2}))),
            "does not make float32 of float32 (2): one of the two must be float32, or one int32 "
            "and the other int64");
  EXPECT_EQ(outcome(move(Operator::Cast, {}, float32({2}))),
            "takes the attributes of a cast, and has none or others");
}

}  // namespace
}  // namespace poet
