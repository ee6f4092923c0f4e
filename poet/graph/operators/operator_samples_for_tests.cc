#include "poet/graph/operators/operator_samples_for_tests.h"

#include <algorithm>

#include "poet/graph/operators/operator_test_support.h"

namespace poet::testing {
namespace {

using Samples = std::vector<OperationTypes>;

constexpr Operator kPlainUnary[] = {
    Operator::Relu, Operator::Sigmoid,   Operator::Tanh, Operator::GeluErf, Operator::GeluTanh,
    Operator::Erf,  Operator::Exp,       Operator::Log,  Operator::Sqrt,    Operator::Reciprocal,
    Operator::Neg,  Operator::Abs,       Operator::Sin,  Operator::Cos,     Operator::Softplus,
    Operator::Silu, Operator::HardSwish,
};

Samples unary_samples() {
  Samples samples;
  for (const Operator kind : kPlainUnary)
    samples.push_back({.kind = kind, .inputs = {float32({2, 3})}});
  const auto with = [](Operator kind, float alpha, float beta) {
    return OperationTypes{.kind = kind,
                          .attributes = ScalarAttributes{.alpha = alpha, .beta = beta},
                          .inputs = {float32({2, 3})}};
  };
  samples.push_back(with(Operator::LeakyRelu, 0.01F, 0));
  samples.push_back(with(Operator::Clip, 0, 6));
  samples.push_back(with(Operator::Elu, 1, 0));
  samples.push_back(with(Operator::HardSigmoid, 0.2F, 0.5F));
  return samples;
}

Samples broadcast_samples() {
  Samples samples;
  for (const Operator kind : {Operator::Add, Operator::Sub, Operator::Mul, Operator::Div,
                              Operator::Pow, Operator::Max, Operator::Min})
    samples.push_back({.kind = kind, .inputs = {float32({2, 3}), float32({3})}});
  for (const Operator kind : {Operator::Equal, Operator::Less, Operator::LessOrEqual,
                              Operator::Greater, Operator::GreaterOrEqual})
    samples.push_back({.kind = kind, .inputs = {float32({2, 3}), float32({3})}});
  samples.push_back({.kind = Operator::Not, .inputs = {boolean({2, 3})}});
  samples.push_back({.kind = Operator::And, .inputs = {boolean({2, 3}), boolean({3})}});
  samples.push_back({.kind = Operator::Or, .inputs = {boolean({2, 3}), boolean({3})}});
  samples.push_back(
      {.kind = Operator::Where, .inputs = {boolean({2, 3}), float32({2, 3}), float32({})}});
  return samples;
}

// A window of 3 x 3 that keeps the picture's extents, or one of 2 x 2 that halves them.
WindowAttributes same_window() {
  return {.kernel = {3, 3},
          .stride = {1, 1},
          .padding_begin = {1, 1},
          .padding_end = {1, 1},
          .dilation = {1, 1}};
}

WindowAttributes half_window() {
  return {.kernel = {2, 2},
          .stride = {2, 2},
          .padding_begin = {0, 0},
          .padding_end = {0, 0},
          .dilation = {1, 1}};
}

Samples picture_samples() {
  return {
      {.kind = Operator::MatMul,
       .attributes = MatMulAttributes{},
       .inputs = {float32({2, 3}), float32({3, 4}), float32({4})}},
      {.kind = Operator::Conv,
       .attributes = same_window(),
       .inputs = {float32({1, 3, 8, 8}), float32({4, 3, 3, 3}), float32({4})}},
      {.kind = Operator::ConvTranspose,
       .attributes = half_window(),
       .inputs = {float32({1, 4, 4, 4}), float32({4, 3, 2, 2}), float32({3})}},
      {.kind = Operator::MaxPool, .attributes = half_window(), .inputs = {float32({1, 3, 8, 8})}},
      {.kind = Operator::AveragePool,
       .attributes = half_window(),
       .inputs = {float32({1, 3, 8, 8})}}};
}

Samples norm_samples() {
  const TensorType picture = float32({2, 4, 3, 3});
  const TensorType channel = float32({4});
  return {
      {.kind = Operator::BatchNorm,
       .attributes = NormAttributes{},
       .inputs = {picture, channel, channel}},
      {.kind = Operator::BatchNormInference,
       .attributes = NormAttributes{},
       .inputs = {picture, channel, channel, channel, channel}},
      {.kind = Operator::RunningStatistics,
       .attributes = RunningAttributes{.count = 18},
       .inputs = {channel, channel, channel, channel}},
      {.kind = Operator::LayerNorm,
       .attributes = NormAttributes{.axis = 1},
       .inputs = {float32({2, 4}), channel, channel}},
      {.kind = Operator::GroupNorm,
       .attributes = NormAttributes{.groups = 2},
       .inputs = {picture, channel, channel}},
      {.kind = Operator::Softmax, .attributes = AxisAttributes{1}, .inputs = {float32({2, 4})}},
      {.kind = Operator::LogSoftmax, .attributes = AxisAttributes{1}, .inputs = {float32({2, 4})}}};
}

Samples reduce_samples() {
  Samples samples;
  for (const Operator kind :
       {Operator::ReduceSum, Operator::ReduceMean, Operator::ReduceMax, Operator::ReduceMin,
        Operator::ReduceProduct, Operator::ReduceSumSquare, Operator::ReduceL2,
        Operator::ReduceLogSumExp})
    samples.push_back(
        {.kind = kind, .attributes = ReduceAttributes{.axes = {1}}, .inputs = {float32({2, 3})}});
  return samples;
}

Samples move_samples() {
  const TensorType x = float32({2, 3});
  return {
      {.kind = Operator::Reshape, .attributes = ShapeAttributes{{3, 2}}, .inputs = {x}},
      {.kind = Operator::Transpose, .attributes = TransposeAttributes{{1, 0}}, .inputs = {x}},
      {.kind = Operator::Slice,
       .attributes = SliceAttributes{.start = {0, 1}, .step = {1, 1}, .extent = {2, 2}},
       .inputs = {x}},
      {.kind = Operator::Concat, .attributes = AxisAttributes{0}, .inputs = {x, x}},
      {.kind = Operator::Pad,
       .attributes = PadAttributes{.begin = {0, 1}, .end = {0, 1}},
       .inputs = {x}},
      {.kind = Operator::Pad,
       .attributes = PadAttributes{.begin = {0, 1}, .end = {0, 1}, .mode = PadMode::Edge},
       .inputs = {x}},
      {.kind = Operator::Expand, .attributes = ShapeAttributes{{2, 3}}, .inputs = {float32({3})}},
      {.kind = Operator::Gather,
       .attributes = AxisAttributes{0},
       .inputs = {float32({100, 8}), int64({5})}},
      {.kind = Operator::Cast, .attributes = CastAttributes{ElementType::Int64}, .inputs = {x}},
      {.kind = Operator::Dropout,
       .attributes = DropoutAttributes{.probability = 0.1F},
       .inputs = {x, step_type()}}};
}

Samples loss_samples() {
  const TensorType x = float32({4, 10});
  return {{.kind = Operator::SoftmaxCrossEntropy,
           .attributes = LossAttributes{},
           .inputs = {x, int64({4})}},
          {.kind = Operator::NegativeLogLikelihood,
           .attributes = LossAttributes{},
           .inputs = {x, int64({4})}},
          {.kind = Operator::MeanSquaredError, .attributes = LossAttributes{}, .inputs = {x, x}},
          {.kind = Operator::BinaryCrossEntropy, .attributes = LossAttributes{}, .inputs = {x, x}}};
}

Samples update_samples() {
  const TensorType p = float32({6});
  const UpdateAttributes plain{};
  return {{.kind = Operator::Sgd, .attributes = plain, .inputs = {p, p, step_type()}},
          {.kind = Operator::Velocity, .attributes = plain, .inputs = {p, p, step_type()}},
          {.kind = Operator::Nesterov,
           .attributes = UpdateAttributes{.momentum = 0.9F},
           .inputs = {p, p, p, step_type()}},
          {.kind = Operator::FirstMoment, .attributes = plain, .inputs = {p, p}},
          {.kind = Operator::SecondMoment, .attributes = plain, .inputs = {p, p}},
          {.kind = Operator::Adam, .attributes = plain, .inputs = {p, p, p, step_type()}},
          {.kind = Operator::WeightUpdate,
           .attributes =
               WeightUpdateAttributes{.gradient = Operator::MatMul,
                                      .gradient_attributes = MatMulAttributes{.transpose_a = true},
                                      .update = Operator::Sgd},
           .inputs = {float32({3, 5}), float32({4, 3}), float32({4, 5}), step_type()}},
          {.kind = Operator::RowUpdate,
           .inputs = {float32({100, 8}), int64({5}), float32({5, 8}), step_type()}},
          {.kind = Operator::SumOfSquares, .inputs = {p}},
          {.kind = Operator::SumOfPartials, .inputs = {float32({}), float32({})}},
          {.kind = Operator::ClipScale,
           .attributes = UpdateAttributes{.largest_norm = 1},
           .inputs = {float32({}), float32({})}},
          {.kind = Operator::Accumulate, .inputs = {p, p}}};
}

Samples product_part_samples() {
  const WindowAttributes same = same_window();
  const WindowAttributes half = half_window();
  const TensorType x = float32({1, 3, 8, 8});
  const TensorType y = float32({1, 4, 8, 8});
  const TensorType weights = float32({4, 3, 3, 3});
  const TensorType small = float32({1, 4, 4, 4});
  const TensorType turned = float32({4, 3, 2, 2});
  return {
      {.kind = Operator::MatMulContinued,
       .attributes = MatMulAttributes{},
       .inputs = {float32({2, 3}), float32({3, 4}), float32({2, 4}), float32({4})}},
      {.kind = Operator::ConvContinued,
       .attributes = same,
       .inputs = {x, weights, y, float32({4})}},
      {.kind = Operator::ConvInputGradientContinued, .attributes = same, .inputs = {y, weights, x}},
      {.kind = Operator::ConvWeightGradientContinued,
       .attributes = same,
       .inputs = {x, y, weights}},
      {.kind = Operator::ConvBiasGradientContinued,
       .attributes = same,
       .inputs = {y, float32({4})}},
      {.kind = Operator::ConvTransposeContinued,
       .attributes = half,
       .inputs = {small, turned, x, float32({3})}},
      {.kind = Operator::ConvTransposeInputGradientContinued,
       .attributes = half,
       .inputs = {x, turned, small}},
      {.kind = Operator::ConvTransposeWeightGradientContinued,
       .attributes = half,
       .inputs = {small, x, turned}}};
}

// Of rows of 6 values the last 4, and of pictures of 3 x 3 the last row.
Samples norm_part_samples() {
  const TensorType x = float32({2, 4});
  const TensorType row = float32({2});
  const TensorType column = float32({4});
  const TensorType picture = float32({1, 2, 1, 3});
  const TensorType state = float32({2, 10});
  const TensorType states = float32({2, 2, 10});
  const RowPartAttributes layer{.axis = 1, .begin = 2, .extent = 6, .continues = true};
  const RowPartAttributes batch{.by_channel = true, .begin = 6, .extent = 9, .continues = true};
  return {
      {.kind = Operator::RowSumPart, .attributes = layer, .inputs = {x, state}},
      {.kind = Operator::RowSpreadPart, .attributes = layer, .inputs = {x, row, state}},
      {.kind = Operator::RowGradientSumsPart,
       .attributes = batch,
       .inputs = {picture, row, picture, states}},
      {.kind = Operator::LayerNormGradientSumsPart,
       .attributes = layer,
       .inputs = {x, row, x, column, states}},
      {.kind = Operator::RowTotal, .attributes = layer, .inputs = {state}},
      {.kind = Operator::RowMean, .attributes = layer, .inputs = {state}},
      {.kind = Operator::RowInverseStd, .attributes = layer, .inputs = {state}},
      {.kind = Operator::LayerNormApply,
       .attributes = layer,
       .inputs = {x, row, row, column, column}},
      {.kind = Operator::LayerNormGradientFactors, .attributes = layer, .inputs = {states, row}},
      {.kind = Operator::LayerNormGradientApply,
       .attributes = layer,
       .inputs = {x, row, row, x, row, row, column}},
      {.kind = Operator::LayerNormScaleGradient,
       .attributes = layer,
       .inputs = {x, row, row, x, column, column}},
      {.kind = Operator::LayerNormGradientContinued,
       .attributes = NormAttributes{.axis = 1},
       .inputs = {x, row, row, x, column, column, column}},
      {.kind = Operator::BatchNormApply,
       .attributes = batch,
       .inputs = {picture, row, row, row, row}},
      {.kind = Operator::BatchNormGradientFactors, .attributes = batch, .inputs = {states, row}},
      {.kind = Operator::BatchNormGradientApply,
       .attributes = batch,
       .inputs = {picture, row, row, picture, row, row, row}}};
}

Samples block_samples() {
  const TensorType x = float32({2, 3});
  const GatherPartAttributes block{.begin = 40, .count = 20, .extent = 100};
  return {
      {.kind = Operator::BroadcastSumContinued,
       .attributes = ScalarAttributes{.alpha = 1},
       .inputs = {x, float32({3})}},
      {.kind = Operator::ReduceSumContinued,
       .attributes = ReduceAttributes{.axes = {1}},
       .inputs = {x, float32({2, 1})}},
      {.kind = Operator::ReduceMeanContinued,
       .attributes = ReducePartAttributes{.axes = {1}, .count = 9},
       .inputs = {x, float32({2, 1})}},
      {.kind = Operator::GatherBlock,
       .attributes = block,
       .inputs = {float32({20, 8}), int64({5}), float32({5, 8})}},
      {.kind = Operator::GatherGradientBlock,
       .attributes = block,
       .inputs = {int64({5}), float32({5, 8}), float32({20, 8})}},
      {.kind = Operator::DropoutPart,
       .attributes = DropoutPartAttributes{.probability = 0.1F, .begin = {4, 3}, .whole = {8, 6}},
       .inputs = {x, step_type()}}};
}

// Of two places 3 scores, of 7 that all classes have.
Samples softmax_part_samples() {
  const TensorType x = float32({2, 3});
  const TensorType place = float32({2});
  const AxisAttributes along{1};
  return {
      {.kind = Operator::SoftmaxLargestPart, .attributes = along, .inputs = {x, place}},
      {.kind = Operator::SoftmaxSumPart, .attributes = along, .inputs = {x, place, place}},
      {.kind = Operator::SoftmaxApply, .attributes = along, .inputs = {x, place, place}},
      {.kind = Operator::LogSoftmaxApply, .attributes = along, .inputs = {x, place, place}},
      {.kind = Operator::SoftmaxGradientSumPart, .attributes = along, .inputs = {x, x, place}},
      {.kind = Operator::LogSoftmaxGradientSumPart, .attributes = along, .inputs = {x, place}},
      {.kind = Operator::SoftmaxGradientApply, .attributes = along, .inputs = {x, x, place}},
      {.kind = Operator::LogSoftmaxGradientApply, .attributes = along, .inputs = {x, x, place}}};
}

Samples loss_part_samples() {
  const TensorType x = float32({2, 3});
  const TensorType place = float32({2});
  const TensorType labels = int64({2});
  const TensorType number = float32({});
  const LossAttributes sum{.reduction = Reduction::Sum};
  const ClassPartAttributes part{.begin = 4, .classes = 7};
  return {
      {.kind = Operator::SoftmaxCrossEntropyContinued,
       .attributes = sum,
       .inputs = {x, labels, number}},
      {.kind = Operator::NegativeLogLikelihoodContinued,
       .attributes = sum,
       .inputs = {x, labels, number}},
      {.kind = Operator::LabelCount, .attributes = part, .inputs = {labels}},
      {.kind = Operator::LossMean, .inputs = {number, number}},
      {.kind = Operator::LossMeanGradient, .inputs = {number, number}},
      {.kind = Operator::LabelScorePart, .attributes = part, .inputs = {x, labels, place}},
      {.kind = Operator::ClassScoreSumPart, .attributes = part, .inputs = {x, place, place, place}},
      {.kind = Operator::SoftmaxCrossEntropyEnd,
       .attributes = part,
       .inputs = {place, place, place, labels}},
      {.kind = Operator::SoftmaxCrossEntropyGradientBlock,
       .attributes = part,
       .inputs = {x, place, place, labels, number}}};
}

}  // namespace

std::vector<OperationTypes> operator_samples() {
  Samples all;
  for (const Samples& samples :
       {unary_samples(), broadcast_samples(), picture_samples(), norm_samples(), reduce_samples(),
        move_samples(), loss_samples(), update_samples(), product_part_samples(),
        norm_part_samples(), block_samples(), softmax_part_samples(), loss_part_samples()})
    all.insert(all.end(), samples.begin(), samples.end());
  std::stable_sort(all.begin(), all.end(), [](const OperationTypes& a, const OperationTypes& b) {
    return a.kind < b.kind;
  });
  return all;
}

}  // namespace poet::testing
