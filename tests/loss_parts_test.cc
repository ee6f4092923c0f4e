// Softmax along its axis and class losses in parts: the bits of the whole, for any cuts.
#include <gtest/gtest.h>

#include "poet/graph/operator.h"
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
using testing::with;

using Values = std::vector<TensorValue>;

// What `part` makes of every block of `extent` places, given what it made of those before.
template <typename Part>
TensorValue carried(Random& random, std::int64_t extent, const Part& part) {
  Values state;
  for (const Range at : random_cuts(random, extent)) state = {part(at, state)};
  return state[0];
}

struct Sums {
  TensorValue largest;
  TensorValue sum;
};

Sums sums_in_parts(Random& random, const TensorValue& x, std::size_t axis) {
  const AxisAttributes along{static_cast<std::int64_t>(axis)};
  const std::int64_t extent = x.type.shape[axis];
  const TensorValue largest = carried(random, extent, [&](Range at, const Values& state) {
    return one(Operator::SoftmaxLargestPart, along, with({piece(x, axis, at)}, state));
  });
  const TensorValue sum = carried(random, extent, [&](Range at, const Values& state) {
    return one(Operator::SoftmaxSumPart, along, with({piece(x, axis, at), largest}, state));
  });
  return {largest, sum};
}

struct Case {
  std::size_t axis;
  AxisAttributes along;
  TensorValue x;
  TensorValue dy;
};

Case random_case(Random& random, bool extremes) {
  Shape shape;
  for (std::int64_t d = draw(random, 1, 3); d > 0; --d) shape.push_back(draw(random, 1, 20));
  const auto axis =
      static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(shape.size()) - 1));
  return {axis,
          {static_cast<std::int64_t>(axis)},
          random_floats(random, shape, extremes),
          random_floats(random, shape, extremes)};
}

// Blocks of x along the axis, each by `apply`, put together.
template <typename Apply>
TensorValue of_blocks(Random& random, const Case& one_case, const Apply& apply) {
  Values blocks;
  for (const Range at : random_cuts(random, one_case.x.type.shape[one_case.axis]))
    blocks.push_back(apply(at));
  return joined(blocks, one_case.axis);
}

TEST(SoftmaxInParts, HasTheBitsOfTheWholeForAnyCutsOfItsAxis) {
  Random random(1);
  for (int i = 0; i < random_cases(200); ++i) {
    SCOPED_TRACE(i);
    const Case c = random_case(random, i % 3 == 0);
    const auto [largest, sum] = sums_in_parts(random, c.x, c.axis);
    for (const bool log : {false, true}) {
      const TensorValue y = of_blocks(random, c, [&, &most = largest, &total = sum](Range at) {
        return one(log ? Operator::LogSoftmaxApply : Operator::SoftmaxApply, c.along,
                   {piece(c.x, c.axis, at), most, total});
      });
      ASSERT_EQ(difference(y, one(log ? Operator::LogSoftmax : Operator::Softmax, c.along, {c.x})),
                "");
    }
  }
}

TEST(SoftmaxInParts, HasTheBitsOfTheWholeGradientForAnyCutsOfItsAxis) {
  Random random(2);
  for (int i = 0; i < random_cases(200); ++i) {
    SCOPED_TRACE(i);
    const Case c = random_case(random, i % 3 == 0);
    const std::int64_t extent = c.x.type.shape[c.axis];
    const TensorValue dot = carried(random, extent, [&](Range at, const Values& state) {
      return one(Operator::SoftmaxGradientSumPart, c.along,
                 with({piece(c.x, c.axis, at), piece(c.dy, c.axis, at)}, state));
    });
    const TensorValue dx = of_blocks(random, c, [&](Range at) {
      return one(Operator::SoftmaxGradientApply, c.along,
                 {piece(c.x, c.axis, at), piece(c.dy, c.axis, at), dot});
    });
    ASSERT_EQ(difference(dx, one(Operator::SoftmaxGradient, c.along, {c.x, c.dy}, {c.x.type})), "");
    const TensorValue sum = carried(random, extent, [&](Range at, const Values& state) {
      return one(Operator::LogSoftmaxGradientSumPart, c.along,
                 with({piece(c.dy, c.axis, at)}, state));
    });
    const TensorValue log_dx = of_blocks(random, c, [&](Range at) {
      return one(Operator::LogSoftmaxGradientApply, c.along,
                 {piece(c.x, c.axis, at), piece(c.dy, c.axis, at), sum});
    });
    ASSERT_EQ(
        difference(log_dx, one(Operator::LogSoftmaxGradient, c.along, {c.x, c.dy}, {c.x.type})),
        "");
  }
}

// --- Losses

struct LossCase {
  LossAttributes loss;
  TensorValue scores;
  TensorValue labels;
  Values weights;
};

// Some labels are ignored, and where that is wanted some are no classes.
LossCase random_loss(Random& random, bool weighted, std::int64_t beyond) {
  LossCase result;
  Shape shape{draw(random, 1, 9), draw(random, 1, 30)};
  if (draw(random, 0, 1) == 1) shape.push_back(draw(random, 1, 20));
  Shape places = shape;
  places.erase(places.begin() + 1);
  if (draw(random, 0, 1) == 1) result.loss.ignored_label = draw(random, 0, shape[1] - 1);
  result.scores = random_floats(random, shape);
  result.labels =
      random_integers(random, draw(random, 0, 1) == 0 ? ElementType::Int32 : ElementType::Int64,
                      places, 0, shape[1] - 1 + beyond);
  if (weighted && draw(random, 0, 1) == 1) result.weights = {random_floats(random, {shape[1]})};
  return result;
}

ClassPartAttributes part_of(const LossCase& c, std::int64_t begin) {
  return {.reduction = Reduction::Sum,
          .ignored_label = c.loss.ignored_label,
          .label_smoothing = c.loss.label_smoothing,
          .begin = begin,
          .classes = c.scores.type.shape[1]};
}

LossAttributes summed(LossAttributes loss) {
  loss.reduction = Reduction::Sum;
  return loss;
}

TEST(ClassLossesInParts, HaveTheBitsOfTheWholeForAnyCutsOfTheLabels) {
  Random random(3);
  for (int i = 0; i < random_cases(200); ++i) {
    SCOPED_TRACE(i);
    LossCase c = random_loss(random, true, i % 7 == 0 ? 1 : 0);
    const bool entropy = i % 2 == 0;
    if (entropy && i % 3 == 0) c.loss.label_smoothing = 0.2F;
    const Operator whole_kind =
        entropy ? Operator::SoftmaxCrossEntropy : Operator::NegativeLogLikelihood;
    const Operator part_kind =
        entropy ? Operator::SoftmaxCrossEntropyContinued : Operator::NegativeLogLikelihoodContinued;
    const TensorValue whole = one(whole_kind, c.loss, with({c.scores, c.labels}, c.weights));
    const TensorValue sum =
        carried(random, c.scores.type.shape[0], [&](Range at, const Values& state) {
          return one(
              state.empty() ? whole_kind : part_kind, summed(c.loss),
              with(with({piece(c.scores, 0, at), piece(c.labels, 0, at)}, state), c.weights));
        });
    const TensorValue count =
        carried(random, c.scores.type.shape[0], [&](Range at, const Values& state) {
          ClassPartAttributes part = part_of(c, 0);
          part.continues = !state.empty();
          return one(Operator::LabelCount, part,
                     with(with({piece(c.labels, 0, at)}, c.weights), state));
        });
    ASSERT_EQ(difference(one(Operator::LossMean, {}, {sum, count}), whole), "");
  }
}

TEST(ClassLossesInParts, HaveTheBitsOfTheWholeGradientForAnyCutsOfTheLabels) {
  Random random(4);
  for (int i = 0; i < random_cases(200); ++i) {
    SCOPED_TRACE(i);
    const LossCase c = random_loss(random, true, i % 7 == 0 ? 1 : 0);
    const bool entropy = i % 2 == 0;
    const Operator kind =
        entropy ? Operator::SoftmaxCrossEntropyGradient : Operator::NegativeLogLikelihoodGradient;
    const TensorValue dloss = random_floats(random, {});
    const auto gradient = [&](const LossAttributes& loss, const TensorValue& scores,
                              const TensorValue& labels, const TensorValue& by) {
      const Values first = entropy ? Values{scores, labels, by} : Values{labels, by};
      return one(kind, loss, with(first, c.weights), {scores.type});
    };
    const TensorValue count = one(Operator::LabelCount, part_of(c, 0), with({c.labels}, c.weights));
    const TensorValue each = one(Operator::LossMeanGradient, {}, {dloss, count});
    Values blocks;
    for (const Range at : random_cuts(random, c.scores.type.shape[0]))
      blocks.push_back(
          gradient(summed(c.loss), piece(c.scores, 0, at), piece(c.labels, 0, at), each));
    ASSERT_EQ(difference(joined(blocks, 0), gradient(c.loss, c.scores, c.labels, dloss)), "");
  }
}

struct CrossEntropyParts {
  TensorValue loss;
  TensorValue gradient;
};

// Of some pictures, by blocks of classes.
CrossEntropyParts by_classes(Random& random, const LossCase& c, const TensorValue& scores,
                             const TensorValue& labels, const Values& loss_before,
                             const TensorValue& dloss) {
  const std::int64_t classes = scores.type.shape[1];
  const auto [largest, sum] = sums_in_parts(random, scores, 1);
  const Values sums{largest, sum};
  const TensorValue own = carried(random, classes, [&](Range at, const Values& state) {
    return one(Operator::LabelScorePart, part_of(c, at.begin),
               with({piece(scores, 1, at), labels}, state));
  });
  Values inputs = with(with({own}, sums), {labels});
  if (c.loss.label_smoothing != 0)
    inputs.push_back(carried(random, classes, [&](Range at, const Values& state) {
      return one(Operator::ClassScoreSumPart, part_of(c, at.begin),
                 with(with({piece(scores, 1, at)}, sums), state));
    }));
  ClassPartAttributes end = part_of(c, 0);
  end.continues = !loss_before.empty();
  Values blocks;
  for (const Range at : random_cuts(random, classes))
    blocks.push_back(one(Operator::SoftmaxCrossEntropyGradientBlock, part_of(c, at.begin),
                         with(with({piece(scores, 1, at)}, sums), {labels, dloss})));
  return {one(Operator::SoftmaxCrossEntropyEnd, end, with(inputs, loss_before)), joined(blocks, 1)};
}

TEST(ClassLossesInParts, HaveTheBitsOfTheWholeForAnyCutsOfLabelsAndClasses) {
  Random random(5);
  for (int i = 0; i < random_cases(200); ++i) {
    SCOPED_TRACE(i);
    LossCase c = random_loss(random, false, i % 7 == 0 ? 1 : 0);
    if (i % 3 == 0) c.loss.label_smoothing = 0.2F;
    const TensorValue dloss = random_floats(random, {});
    const TensorValue count = one(Operator::LabelCount, part_of(c, 0), {c.labels});
    const TensorValue each = one(Operator::LossMeanGradient, {}, {dloss, count});
    Values loss;
    Values gradients;
    for (const Range at : random_cuts(random, c.scores.type.shape[0])) {
      const CrossEntropyParts parts =
          by_classes(random, c, piece(c.scores, 0, at), piece(c.labels, 0, at), loss, each);
      loss = {parts.loss};
      gradients.push_back(parts.gradient);
    }
    ASSERT_EQ(difference(one(Operator::LossMean, {}, {loss[0], count}),
                         one(Operator::SoftmaxCrossEntropy, c.loss, {c.scores, c.labels})),
              "");
    ASSERT_EQ(difference(joined(gradients, 0), one(Operator::SoftmaxCrossEntropyGradient, c.loss,
                                                   {c.scores, c.labels, dloss}, {c.scores.type})),
              "");
  }
}

}  // namespace
}  // namespace poet
