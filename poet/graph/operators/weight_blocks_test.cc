#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"
#include "poet/graph/part_axes.h"

namespace poet {
namespace {

using testing::call_text;
using testing::float32;
using testing::flop;
using testing::outcome;
using testing::with_outputs;

TensorType bytes(Shape shape) {
  return {ElementType::Uint8, std::move(shape)};
}

OperationTypes decoding(const DecodeAttributes& attributes, Shape shape) {
  return {.kind = Operator::DecodeBlocks, .attributes = attributes, .inputs = {bytes(shape)}};
}

const DecodeAttributes kRowOf64{.blocks = {.bits = 4, .values = 32}, .row = {64}};

TEST(DecodeBlocks, MakesFloatsOfBlocks) {
  const OperationTypes types = decoding(kRowOf64, {5, 2, 18});
  EXPECT_EQ(outcome(types), "float32 (5, 64)");
  EXPECT_EQ(call_text(with_outputs(types)),
            "poet_decode_blocks_i4(0 -> 0) rows=5 columns=64 block=32 row_bytes=36");
  EXPECT_EQ(flop(types), 320);
  EXPECT_EQ(entry_of(Operator::DecodeBlocks).moved_bytes, nullptr);  // all of it, once
  EXPECT_EQ(entry_of(Operator::DecodeBlocks).gradient, nullptr);
}

// What was picked by two dimensions of indices; the kernels of a convolution, whose last block is
// short.
TEST(DecodeBlocks, HasRowsOfSeveralDimensions) {
  EXPECT_EQ(outcome(decoding(kRowOf64, {3, 5, 2, 18})), "float32 (3, 5, 64)");
  const DecodeAttributes kernels{.blocks = {.bits = 8, .values = 16}, .row = {4, 3, 3}};
  const OperationTypes types = decoding(kernels, {7, 3, 18});
  EXPECT_EQ(outcome(types), "float32 (7, 4, 3, 3)");
  EXPECT_EQ(call_text(with_outputs(types)),
            "poet_decode_blocks_i8(0 -> 0) rows=7 columns=36 block=16 row_bytes=54");
}

TEST(DecodeBlocks, SaysWhatDoesNotFit) {
  const std::string attributes =
      "takes the attributes of a decoding of blocks, and has none or "
      "others";
  EXPECT_EQ(outcome(Operator::DecodeBlocks, {}, {bytes({5, 2, 18})}), attributes);
  EXPECT_EQ(outcome(decoding({.blocks = {.bits = 3, .values = 32}, .row = {64}}, {5, 2, 18})),
            attributes);
  EXPECT_EQ(outcome(decoding({.blocks = {.bits = 4, .values = 24}, .row = {64}}, {5, 2, 18})),
            attributes);
  EXPECT_EQ(outcome(decoding(kRowOf64, {5, 2, 34})),
            "uint8 (5, 2, 34) does not end with (2, 18): (64) values in blocks of 32, of 4 bits");
  EXPECT_EQ(outcome(decoding(kRowOf64, {18})),
            "uint8 (18) does not end with (2, 18): (64) values in blocks of 32, of 4 bits");
  EXPECT_EQ(outcome(decoding({.blocks = {}, .row = {}}, {5, 2, 18})),
            "a row that is decoded has no dimensions");
  EXPECT_EQ(outcome(Operator::DecodeBlocks, kRowOf64, {float32({5, 2, 18})}),
            "what is decoded must be uint8, not float32 (5, 2, 18)");
}

TEST(DecodeBlocks, IsCutAlongRowsAndWholeBlocks) {
  const OperationTypes types = with_outputs(decoding(kRowOf64, {5, 2, 18}));
  const std::vector<PartAxis> axes = part_axes(types);
  ASSERT_EQ(axes.size(), 2U);
  EXPECT_EQ(axes[0].extent, 5);
  EXPECT_EQ(axes[1].extent, 2);
  const std::vector<Range> second = {{1, 3}, {1, 2}};
  EXPECT_EQ(part_of_input(types, axes, second, 0), (std::vector<Range>{{1, 3}, {1, 2}, {0, 18}}));
  EXPECT_EQ(part_of_output(types, axes, second, 0), (std::vector<Range>{{1, 3}, {32, 64}}));
  EXPECT_EQ(part_operation(types, axes, second, true, true).attributes,
            (Attributes{DecodeAttributes{.blocks = kRowOf64.blocks, .row = {32}}}));
}

TEST(DecodeBlocks, IsNotCutWhereARowEndsWithinABlock) {
  const DecodeAttributes row_of_60{.blocks = kRowOf64.blocks, .row = {60}};
  EXPECT_EQ(part_axes(with_outputs(decoding(row_of_60, {5, 2, 18}))).size(), 1U);
  const DecodeAttributes square{.blocks = kRowOf64.blocks, .row = {8, 8}};
  EXPECT_EQ(part_axes(with_outputs(decoding(square, {5, 2, 18}))).size(), 1U);
}

}  // namespace
}  // namespace poet
