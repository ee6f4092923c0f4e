#pragma once

#include "poet/graph/operator_id.h"

namespace poet {

// What an operation of a graph does: one enumerator for each row of the operator table
// (poet/graph/operator_table.h). Gradients are operators too.
enum class Operator : int {
  // Of every value by itself (operators/unary.cc).
  Relu,
  ReluGradient,
  LeakyRelu,
  LeakyReluGradient,
  Clip,
  ClipGradient,
  Sigmoid,
  SigmoidGradient,
  Tanh,
  TanhGradient,
  GeluErf,
  GeluErfGradient,
  GeluTanh,
  GeluTanhGradient,
  Erf,
  ErfGradient,
  Exp,
  ExpGradient,
  Log,
  LogGradient,
  Sqrt,
  SqrtGradient,
  Reciprocal,
  ReciprocalGradient,
  Neg,
  NegGradient,
  Abs,
  AbsGradient,
  Sin,
  SinGradient,
  Cos,
  CosGradient,
  Softplus,
  SoftplusGradient,
  Elu,
  EluGradient,
  HardSigmoid,
  HardSigmoidGradient,
  HardSwish,
  HardSwishGradient,
  Silu,
  SiluGradient,
  Asinh,
  AsinhGradient,
  Round,  // of these four the gradient is 0
  Floor,
  Ceil,
  Sign,

  // Of two tensors whose shapes are broadcast (operators/broadcast.cc). Gradients are summed to the
  // shape of the operand.
  Add,
  Sub,
  Mul,
  Div,
  Pow,
  Max,
  Min,
  BroadcastSum,  // dy to the shape of an operand, times a factor: of Add and Sub, of a bias
  MulGradient,
  DivNumeratorGradient,
  DivDenominatorGradient,
  PowBaseGradient,
  PowExponentGradient,
  MaxGradient,
  MinGradient,

  // Comparisons, logic and choice, with broadcasting (operators/compare.cc).
  Equal,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
  Not,
  And,
  Or,
  Where,
  WhereTrueGradient,
  WhereFalseGradient,

  // Matrices (operators/matmul.cc). Its gradients are matrix products too.
  MatMul,

  // Pictures (operators/conv.cc, operators/pool.cc).
  Conv,
  ConvInputGradient,
  ConvWeightGradient,
  ConvBiasGradient,
  ConvTranspose,
  ConvTransposeInputGradient,
  ConvTransposeWeightGradient,
  MaxPool,
  MaxPoolGradient,
  AveragePool,
  AveragePoolGradient,

  // Norms (operators/norms.cc).
  BatchNorm,  // by the statistics of the batch
  BatchNormGradient,
  BatchNormInference,  // by the running statistics
  BatchNormInferenceGradient,
  RunningStatistics,
  LayerNorm,
  LayerNormGradient,
  GroupNorm,  // instance norm: as many groups as channels
  GroupNormGradient,
  Softmax,
  SoftmaxGradient,
  LogSoftmax,
  LogSoftmaxGradient,

  // Sums and the like over some dimensions (operators/reduce.cc).
  ReduceSum,
  ReduceSumGradient,
  ReduceMean,
  ReduceMeanGradient,
  ReduceMax,
  ReduceMaxGradient,
  ReduceMin,
  ReduceMinGradient,
  ReduceProduct,
  ReduceProductGradient,
  ReduceSumSquare,
  ReduceSumSquareGradient,
  ReduceL2,
  ReduceL2Gradient,
  ReduceLogSumExp,
  ReduceLogSumExpGradient,

  // Which values of a dimension are largest, or smallest (operators/top_k.cc).
  TopK,
  ArgMax,
  ArgMin,

  // What only moves values (operators/moves.cc, pad.cc, gather.cc, gather_elements.cc).
  Reshape,  // a view
  Transpose,
  Slice,
  SliceGradient,
  Concat,
  Pad,
  PadGradient,
  Expand,
  Gather,
  GatherGradient,
  GatherElements,
  GatherElementsGradient,  // of TopK, too
  GatherNd,
  GatherNdGradient,
  ScatterElements,
  ScatterElementsKeptGradient,    // by what is scattered into
  ScatterElementsUpdateGradient,  // by what is scattered
  Cast,

  Dropout,  // operators/dropout.cc
  DropoutGradient,

  // Losses (operators/losses.cc).
  SoftmaxCrossEntropy,
  SoftmaxCrossEntropyGradient,
  NegativeLogLikelihood,
  NegativeLogLikelihoodGradient,
  MeanSquaredError,
  MeanSquaredErrorGradient,
  BinaryCrossEntropy,  // with logits
  BinaryCrossEntropyGradient,

  // What optimisers do (operators/updates.cc).
  Sgd,           // of a gradient, or along a velocity
  Velocity,      // of momentum
  Nesterov,      // step along gradient and velocity
  FirstMoment,   // of Adam and AdamW
  SecondMoment,  // of Adam and AdamW
  Adam,          // step from both moments; AdamW's too
  WeightUpdate,  // of a weight or state by a gradient in slices (operators/weight_updates.cc)
  RowUpdate,     // of the rows of a table that were looked up (operators/row_updates.cc)

  // What stands between gradients and updates (operators/gradient_norms.cc).
  SumOfSquares,
  SumOfPartials,  // adds up to 8 sums of squares, or sums of them
  ClipScale,
  Accumulate,

  // Operations in parts, beside the operation that they are parts of: they take up a sum where an
  // earlier part left it, with the bits of the whole.
  MatMulContinued,
  ConvContinued,
  ConvInputGradientContinued,
  ConvWeightGradientContinued,
  ConvBiasGradientContinued,
  ConvTransposeContinued,
  ConvTransposeInputGradientContinued,
  ConvTransposeWeightGradientContinued,

  // Norms in parts (operators/norm_parts.cc): sums of rows, whose state goes from part to part,
  // what
  // is made of the states, and what is made of each piece with that.
  RowSumPart,
  RowSpreadPart,
  RowGradientSumsPart,
  LayerNormGradientSumsPart,
  RowTotal,
  RowMean,
  RowInverseStd,
  LayerNormApply,
  LayerNormGradientFactors,
  LayerNormGradientApply,
  LayerNormScaleGradient,
  LayerNormGradientContinued,
  BatchNormApply,
  BatchNormGradientFactors,
  BatchNormGradientApply,

  // Sums over blocks of rows (operators/broadcast.cc, reduce.cc), blocks of a table (gather.cc),
  // and
  // pieces of a larger tensor (dropout.cc).
  BroadcastSumContinued,
  ReduceSumContinued,
  ReduceMeanContinued,
  GatherBlock,
  GatherGradientBlock,
  DropoutPart,  // and its gradient

  // Softmax along its axis in parts (operators/softmax_parts.cc).
  SoftmaxLargestPart,
  SoftmaxSumPart,
  SoftmaxApply,
  LogSoftmaxApply,
  SoftmaxGradientSumPart,
  LogSoftmaxGradientSumPart,
  SoftmaxGradientApply,
  LogSoftmaxGradientApply,

  // Class losses by blocks of labels, and of classes (operators/loss_parts.cc).
  SoftmaxCrossEntropyContinued,
  NegativeLogLikelihoodContinued,
  LabelCount,
  LossMean,
  LossMeanGradient,
  LabelScorePart,
  ClassScoreSumPart,
  SoftmaxCrossEntropyEnd,
  SoftmaxCrossEntropyGradientBlock,

  DecodeBlocks,  // of weights in blocks of few bits (operators/weight_blocks.cc)
};

}  // namespace poet
