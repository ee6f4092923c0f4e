#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "poet/base/named.h"
#include "poet/graph/element_type.h"
#include "poet/graph/operator_id.h"
#include "poet/graph/shape.h"
#include "poet/graph/weight_blocks.h"

namespace poet {

// What an operation is given besides its inputs. Each operator takes one of these kinds, and its
// gradients and parts the same as itself where not said otherwise. Axes and starts are normalised:
// from 0, never negative.

// LeakyRelu: alpha is the slope below 0. Clip: from alpha to beta. Elu: alpha. HardSigmoid: alpha x
// + beta. HardSwish: x times that, usually with 1/6 and 1/2. BroadcastSum: times alpha.
struct ScalarAttributes {
  float alpha = 0;
  float beta = 0;

  bool operator==(const ScalarAttributes&) const = default;
};

// MatMul: y = alpha a b + beta bias, with a (..., m, k) and b (..., k, n), or their last two
// dimensions the other way round; the others are broadcast. The bias is an optional third input
// that broadcasts to y's last two dimensions: (n), (m, n), (1, n), (m, 1) or of one value.
struct MatMulAttributes {
  bool transpose_a = false;
  bool transpose_b = false;
  float alpha = 1;
  float beta = 1;
  // The dimensions of y before the last two, where that is not what broadcasting gives: y is then
  // summed over the dimensions that have extent 1 here, or stand before all of these. Gradients of
  // a broadcast operand need it.
  std::optional<Shape> sum_to = {};

  bool operator==(const MatMulAttributes&) const = default;
};

// Conv, ConvTranspose and the pools: one value for each spatial dimension, of which there are 1 to
// 3. Where an operation is given its output's extents (gradients, and parts of convolutions),
// padding_begin may be negative, which crops, and padding_end is not looked at.
struct WindowAttributes {
  std::vector<std::int64_t> kernel;  // extents of the window; of the weights for Conv
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> padding_begin;
  std::vector<std::int64_t> padding_end;
  std::vector<std::int64_t> dilation;
  std::int64_t groups = 1;                        // Conv, ConvTranspose
  bool round_up = false;                          // pools: ONNX ceil_mode
  bool counts_padding = false;                    // AveragePool: ONNX count_include_pad
  std::vector<std::int64_t> output_padding = {};  // ConvTranspose; empty: none

  bool operator==(const WindowAttributes&) const = default;
};

// BatchNorm, LayerNorm, GroupNorm. LayerNorm is over all dimensions from `axis` on.
struct NormAttributes {
  float epsilon = 1e-5F;
  std::int64_t groups = 1;  // GroupNorm
  std::int64_t axis = 0;    // LayerNorm

  bool operator==(const NormAttributes&) const = default;
};

// Parts of norms, and of sums of rows: of a batch norm by channels of x (N, C, ...), where a row is
// what one image has of a channel; otherwise, of a layer norm, over all dimensions from `axis` on.
struct RowPartAttributes {
  bool by_channel = false;
  std::int64_t axis = 0;
  std::int64_t begin = 0;   // where the part's first value stands in its row
  std::int64_t extent = 1;  // values in a whole row
  std::int64_t images = 1;  // in the whole batch: means are over images * extent values
  bool continues = false;   // the last input is the state that earlier parts left
  float epsilon = 1e-5F;

  bool operator==(const RowPartAttributes&) const = default;
};

// RunningStatistics: new = (1 - rate) old + rate batch.
struct RunningAttributes {
  float rate = 0.1F;
  bool unbiased = true;  // the variance that is kept: PyTorch's way; ONNX keeps the biased one
  float epsilon = 1e-5F;
  std::int64_t count = 1;  // of the values that each statistic was taken of

  bool operator==(const RunningAttributes&) const = default;
};

// Softmax, LogSoftmax, Concat, Gather, GatherElements.
struct AxisAttributes {
  std::int64_t axis = 0;

  bool operator==(const AxisAttributes&) const = default;
};

// TopK: so many values along the axis.
struct TopKAttributes {
  std::int64_t axis = 0;
  std::int64_t count = 1;
  bool largest = true;

  bool operator==(const TopKAttributes&) const = default;
};

// ArgMax, ArgMin: of equal values the place of the last, or of the first. The axis stays, with
// extent 1.
struct ArgAttributes {
  std::int64_t axis = 0;
  bool last = false;

  bool operator==(const ArgAttributes&) const = default;
};

// GatherNd: so many dimensions stand in front of what the coordinates mean, and of the indices.
struct GatherNdAttributes {
  std::int64_t batch = 0;

  bool operator==(const GatherNdAttributes&) const = default;
};

// ScatterElements: updates are added, or put in the place of what was there.
struct ScatterAttributes {
  std::int64_t axis = 0;
  bool adds = false;

  bool operator==(const ScatterAttributes&) const = default;
};

// Every Reduce...
struct ReduceAttributes {
  std::vector<std::int64_t> axes;  // increasing; none: nothing is reduced
  bool keeps_dimensions = true;    // a reduced dimension stays, with extent 1

  bool operator==(const ReduceAttributes&) const = default;
};

// ReduceMeanContinued: as for the reduction, and the number of values that the mean is of.
struct ReducePartAttributes {
  std::vector<std::int64_t> axes;
  bool keeps_dimensions = true;
  std::int64_t count = 1;

  bool operator==(const ReducePartAttributes&) const = default;
};

// GatherBlock and GatherGradientBlock: the block [begin, begin + count) of an axis of `extent`.
struct GatherPartAttributes {
  std::int64_t axis = 0;
  std::int64_t begin = 0;
  std::int64_t count = 1;
  std::int64_t extent = 1;

  bool operator==(const GatherPartAttributes&) const = default;
};

// DropoutPart: a piece of a tensor of the shape `whole`, in which it begins at `begin`.
struct DropoutPartAttributes {
  float probability = 0;
  std::int32_t number = 0;
  std::vector<std::int64_t> begin;
  Shape whole;

  bool operator==(const DropoutPartAttributes&) const = default;
};

// Reshape and Expand: the shape of the output.
struct ShapeAttributes {
  Shape shape;

  bool operator==(const ShapeAttributes&) const = default;
};

// Transpose: dimension d of the output is dimension permutation[d] of the input.
struct TransposeAttributes {
  std::vector<std::int64_t> permutation;

  bool operator==(const TransposeAttributes&) const = default;
};

// Slice: value j of dimension d is value start[d] + j step[d] of the input, j < extent[d].
struct SliceAttributes {
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> step;  // may be negative, not 0
  Shape extent;

  bool operator==(const SliceAttributes&) const = default;
};

enum class PadMode { Constant, Edge, Reflect };

inline constexpr Named<PadMode> kPadModes[] = {
    {"constant", PadMode::Constant}, {"edge", PadMode::Edge}, {"reflect", PadMode::Reflect}};

struct PadAttributes {
  std::vector<std::int64_t> begin;  // may be negative with PadMode::Constant: cut off
  std::vector<std::int64_t> end;
  PadMode mode = PadMode::Constant;
  float value = 0;

  bool operator==(const PadAttributes&) const = default;
};

struct CastAttributes {
  ElementType to = ElementType::Float32;

  bool operator==(const CastAttributes&) const = default;
};

struct DropoutAttributes {
  float probability = 0;    // of dropping, [0, 1)
  std::int32_t number = 0;  // no two dropouts of a graph have the same: they draw other bits

  bool operator==(const DropoutAttributes&) const = default;
};

enum class Reduction { None, Sum, Mean };

inline constexpr Named<Reduction> kReductions[] = {
    {"none", Reduction::None}, {"sum", Reduction::Sum}, {"mean", Reduction::Mean}};

// The losses. Label smoothing is for SoftmaxCrossEntropy alone.
struct LossAttributes {
  Reduction reduction = Reduction::Mean;
  std::optional<std::int64_t> ignored_label = {};
  float label_smoothing = 0;

  bool operator==(const LossAttributes&) const = default;
};

// Class losses in parts: of a block of classes that begins at `begin`, where scores come in such.
struct ClassPartAttributes {
  Reduction reduction = Reduction::Sum;  // means are divided by LossMean
  std::optional<std::int64_t> ignored_label = {};
  float label_smoothing = 0;
  std::int64_t begin = 0;
  std::int64_t classes = 1;  // of all blocks
  bool continues = false;    // SoftmaxCrossEntropyEnd and LabelCount: the last input is what
                             // earlier labels made

  bool operator==(const ClassPartAttributes&) const = default;
};

// What optimisers do, in the words of torch.optim; the learning rate and Adam's corrections come in
// through the step (poet/runtime/step.h). Each operator looks at what its kernel has
// (poet/runtime/update.h). Adam's weight decay is the decoupled one, AdamW's; that of Adam itself
// is the moments'. The betas are double since 1 - beta is needed to float's precision. ClipScale:
// the largest norm.
struct UpdateAttributes {
  float weight_decay = 0;
  float momentum = 0;
  float dampening = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  float epsilon = 1e-8F;
  float largest_norm = 0;

  bool operator==(const UpdateAttributes&) const = default;
};

// WeightUpdate: the operation that makes the gradient of a weight (ConvWeightGradient,
// ConvTransposeWeightGradient, or a MatMul without bias), and the update that reads it.
struct WeightUpdateAttributes {
  Operator gradient = {};
  std::variant<MatMulAttributes, WindowAttributes> gradient_attributes = {};
  Operator update = {};
  UpdateAttributes update_attributes = {};

  bool operator==(const WeightUpdateAttributes&) const = default;
};

// DecodeBlocks: how the blocks lie, and the dimensions of the output that a row of them makes.
struct DecodeAttributes {
  WeightBlocks blocks = {};
  Shape row;

  bool operator==(const DecodeAttributes&) const = default;
};

using AnyAttributes =
    std::variant<std::monostate, ScalarAttributes, MatMulAttributes, WindowAttributes,
                 NormAttributes, RunningAttributes, AxisAttributes, ReduceAttributes,
                 ShapeAttributes, TransposeAttributes, SliceAttributes, PadAttributes,
                 CastAttributes, DropoutAttributes, LossAttributes, UpdateAttributes,
                 WeightUpdateAttributes, RowPartAttributes, ReducePartAttributes,
                 GatherPartAttributes, DropoutPartAttributes, ClassPartAttributes, DecodeAttributes,
                 TopKAttributes, ArgAttributes, GatherNdAttributes, ScatterAttributes>;

template <typename T, typename Variant>
inline constexpr bool kIsAlternative = false;
template <typename T, typename... Alternatives>
inline constexpr bool kIsAlternative<T, std::variant<Alternatives...>> =
    (std::is_same_v<T, Alternatives> || ...);

// One of these kinds, to be looked at as a variant is. It is made, copied and compared in
// attributes.cc alone: a variant of so many kinds does each by hundreds of functions of the
// standard library, which every source that has operations would compile for itself.
struct Attributes : AnyAttributes {
  Attributes();
  template <typename T>
  requires kIsAlternative<T, AnyAttributes> Attributes(T given);
  Attributes(const Attributes& other);
  Attributes(Attributes&& other) noexcept;
  Attributes& operator=(const Attributes& other);
  Attributes& operator=(Attributes&& other) noexcept;
  ~Attributes();

  bool operator==(const Attributes& other) const;
};

}  // namespace poet
