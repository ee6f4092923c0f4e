// Sums over blocks of rows, tables in blocks and dropouts of pieces: the bits of the whole.
#include <gtest/gtest.h>

#include <cstring>

#include "poet/graph/operator.h"
#include "poet/runtime/step.h"
#include "support/random_cases.h"
#include "support/tensor_pieces.h"

namespace poet {
namespace {

using testing::difference;
using testing::draw;
using testing::joined;
using testing::made;
using testing::one;
using testing::piece;
using testing::Random;
using testing::random_cases;
using testing::random_cuts;
using testing::random_floats;
using testing::random_integers;
using testing::Range;

using Values = std::vector<TensorValue>;

Shape random_shape(Random& random, std::int64_t least_rank) {
  Shape shape;
  for (std::int64_t d = draw(random, least_rank, 4); d > 0; --d)
    shape.push_back(draw(random, 1, 7));
  return shape;
}

// The first dimension, or those behind it too, to 1.
TEST(BroadcastSumInParts, HasTheBitsOfTheWholeForBlocksOfTheFirstDimension) {
  Random random(1);
  for (int i = 0; i < random_cases(300); ++i) {
    SCOPED_TRACE(i);
    const TensorValue dy = random_floats(random, random_shape(random, 1), true);
    Shape operand = dy.type.shape;
    for (std::int64_t& extent : operand)
      if (&extent == operand.data() || draw(random, 0, 2) == 0) extent = 1;
    if (draw(random, 0, 1) == 0) operand.erase(operand.begin());
    const std::vector<TensorType> type{{ElementType::Float32, operand}};
    constexpr float kFactors[] = {1, -1, 0.37F};
    const float alpha = kFactors[draw(random, 0, 2)];
    const ScalarAttributes last{.alpha = alpha};
    const ScalarAttributes others{.alpha = alpha == -1 ? -1.0F : 1.0F};
    Values sum;
    for (const Range at : random_cuts(random, dy.type.shape[0])) {
      const auto& factor = at.end == dy.type.shape[0] ? last : others;
      if (at.begin == 0)
        sum = {one(Operator::BroadcastSum, factor, {piece(dy, 0, at)}, type)};
      else
        sum = {one(Operator::BroadcastSumContinued, factor, {piece(dy, 0, at), sum[0]})};
    }
    ASSERT_EQ(difference(sum[0], one(Operator::BroadcastSum, last, {dy}, type)), "");
  }
}

// Of pictures also row after row: (N, C, H, W) over H and W.
TEST(ReduceInParts, HasTheBitsOfTheWholeForBlocksOfTheFirstReducedDimension) {
  Random random(2);
  for (int i = 0; i < random_cases(300); ++i) {
    SCOPED_TRACE(i);
    const TensorValue x = random_floats(random, random_shape(random, 1), true);
    ReduceAttributes all{.axes = {}, .keeps_dimensions = draw(random, 0, 1) == 1};
    const auto first = static_cast<std::size_t>(
        draw(random, 0, static_cast<std::int64_t>(x.type.shape.size()) - 1));
    for (std::size_t d = first; d < x.type.shape.size(); ++d)
      if (d == first || draw(random, 0, 1) == 1) all.axes.push_back(static_cast<std::int64_t>(d));
    std::int64_t count = 1;
    for (const std::int64_t axis : all.axes) count *= x.type.shape[static_cast<std::size_t>(axis)];
    const ReducePartAttributes ended{all.axes, all.keeps_dimensions, count};
    const std::vector<Range> cuts = random_cuts(random, x.type.shape[first]);
    TensorValue sum = one(Operator::ReduceSum, all, {piece(x, first, cuts[0])});
    TensorValue mean;
    for (std::size_t k = 1; k < cuts.size(); ++k) {
      const Values inputs{piece(x, first, cuts[k]), sum};
      mean = one(Operator::ReduceMeanContinued, ended, inputs);
      sum = one(Operator::ReduceSumContinued, all, inputs);
    }
    ASSERT_EQ(difference(sum, one(Operator::ReduceSum, all, {x})), "");
    if (cuts.size() == 1) continue;
    ASSERT_EQ(difference(mean, one(Operator::ReduceMean, all, {x})), "");
  }
}

struct Lookup {
  AxisAttributes along;
  TensorValue table;
  TensorValue indices;
};

// Indices also count from the end, or point nowhere.
Lookup random_lookup(Random& random) {
  Lookup result;
  const Shape table = random_shape(random, 1);
  result.along.axis = draw(random, 0, static_cast<std::int64_t>(table.size()) - 1);
  const std::int64_t extent = table[static_cast<std::size_t>(result.along.axis)];
  result.table = random_floats(random, table, true);
  result.indices = random_integers(
      random, draw(random, 0, 1) == 0 ? ElementType::Int32 : ElementType::Int64,
      draw(random, 0, 1) == 0 ? Shape{draw(random, 1, 9)} : Shape{draw(random, 1, 4), 3},
      -extent - 1, extent);
  return result;
}

GatherPartAttributes block_of(const Lookup& lookup, Range at) {
  const std::int64_t axis = lookup.along.axis;
  return {.axis = axis,
          .begin = at.begin,
          .count = at.end - at.begin,
          .extent = lookup.table.type.shape[static_cast<std::size_t>(axis)]};
}

TEST(GatherInParts, HasTheBitsOfTheWholeForBlocksOfTheTable) {
  Random random(3);
  for (int i = 0; i < random_cases(300); ++i) {
    SCOPED_TRACE(i);
    const Lookup lookup = random_lookup(random);
    const auto axis = static_cast<std::size_t>(lookup.along.axis);
    Values inputs{{}, lookup.indices};
    for (const Range at : random_cuts(random, lookup.table.type.shape[axis])) {
      inputs[0] = piece(lookup.table, axis, at);
      const TensorValue y = one(Operator::GatherBlock, block_of(lookup, at), inputs);
      inputs = {{}, lookup.indices, y};
    }
    const TensorValue whole = one(Operator::Gather, lookup.along, {lookup.table, lookup.indices});
    ASSERT_EQ(difference(inputs[2], whole), "");
  }
}

TEST(GatherInParts, HasTheBitsOfTheWholeGradientForBlocksOfTheTableAndOfIndices) {
  Random random(4);
  for (int i = 0; i < random_cases(300); ++i) {
    SCOPED_TRACE(i);
    const Lookup lookup = random_lookup(random);
    const auto axis = static_cast<std::size_t>(lookup.along.axis);
    const TensorValue y = one(Operator::Gather, lookup.along, {lookup.table, lookup.indices});
    const TensorValue dy = random_floats(random, y.type.shape, true);
    Values blocks;
    for (const Range at : random_cuts(random, lookup.table.type.shape[axis])) {
      Values sum;
      for (const Range some : random_cuts(random, lookup.indices.type.shape[0])) {
        Values inputs{piece(lookup.indices, 0, some), piece(dy, axis, some)};
        inputs.insert(inputs.end(), sum.begin(), sum.end());
        sum = {one(Operator::GatherGradientBlock, block_of(lookup, at), inputs)};
      }
      blocks.push_back(sum[0]);
    }
    const TensorValue whole =
        one(Operator::GatherGradient, lookup.along, {lookup.indices, dy}, {lookup.table.type});
    ASSERT_EQ(difference(joined(blocks, axis), whole), "");
  }
}

TensorValue step_value() {
  const poet_step_words words{.seed_low = 17,
                              .seed_high = 4,
                              .step = 23,
                              .micro_batch = 1,
                              .learning_rate = 0,
                              .first_correction = 0,
                              .second_correction = 0,
                              .loss_scale = 1};
  TensorValue value{.type = step_type(), .bytes = std::vector<std::byte>(sizeof words)};
  std::memcpy(value.bytes.data(), &words, sizeof words);
  return value;
}

TEST(DropoutInParts, DropsWhatTheWholeDrops) {
  Random random(5);
  for (int i = 0; i < random_cases(300); ++i) {
    SCOPED_TRACE(i);
    const TensorValue x = random_floats(random, random_shape(random, 0), true);
    const DropoutAttributes dropout{.probability = 0.4F, .number = -7};
    const TensorValue whole = one(Operator::Dropout, dropout, {x, step_value()});
    DropoutPartAttributes part{dropout.probability, dropout.number, {}, x.type.shape};
    TensorValue of_x = x;
    TensorValue wanted = whole;
    for (std::size_t d = 0; d < x.type.shape.size(); ++d) {
      const std::vector<Range> cuts = random_cuts(random, x.type.shape[d]);
      const Range at = cuts[static_cast<std::size_t>(draw(random, 0, std::ssize(cuts) - 1))];
      part.begin.push_back(at.begin);
      of_x = piece(of_x, d, at);
      wanted = piece(wanted, d, at);
    }
    ASSERT_EQ(difference(one(Operator::DropoutPart, part, {of_x, step_value()}), wanted), "");
    const TensorValue gradient =
        one(Operator::DropoutGradient, dropout, {x, step_value()}, {x.type});
    ASSERT_EQ(difference(gradient, whole), "");
  }
}

}  // namespace
}  // namespace poet
