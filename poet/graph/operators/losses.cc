#include <fmt/format.h>

#include <limits>

#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/runtime/class_loss.h"
#include "poet/runtime/pointwise_loss.h"

// Losses: one number, or with Reduction::None one for each label or value.
//
// Of classes: scores (N, C, ...), labels (N, ...) and optional weights (C). Of values: predictions
// and targets of one shape; binary cross-entropy is not differentiated by its targets.

namespace poet {
namespace {

TensorType loss_type(Reduction reduction, const Shape& of_each) {
  return {ElementType::Float32, reduction == Reduction::None ? of_each : Shape{}};
}

// poet_loss_reduction (poet/runtime/loss_reduction.h) is numbered like Reduction.
std::int64_t reduction_word(const OperationTypes& types) {
  return static_cast<std::int64_t>(std::get<LossAttributes>(types.attributes).reduction);
}

// --- Of classes

// What kernels are told where no label is ignored: a number that is not in use as a label.
constexpr std::int64_t kNoLabel = std::numeric_limits<std::int32_t>::min();

Failure check_class_attributes(const OperationTypes& types) {
  const auto* const loss = std::get_if<LossAttributes>(&types.attributes);
  if (loss == nullptr) return wrong_attributes("loss");
  if (!(loss->label_smoothing >= 0 && loss->label_smoothing < 1))
    return bad_input(fmt::format("label smoothing is {}: it must be at least 0 and less than 1",
                                 loss->label_smoothing));
  if (loss->label_smoothing != 0 && types.kind != Operator::SoftmaxCrossEntropy)
    return bad_input("label smoothing is for softmax cross-entropy only");
  const std::int64_t ignored = loss->ignored_label.value_or(kNoLabel);
  if (ignored < kNoLabel || ignored > kMaxValues)
    return bad_input(fmt::format("the ignored label is {}: it must fit in 32 bits", ignored));
  return std::nullopt;
}

Failure check_labels(const TensorType& labels, const TensorType& scores) {
  if (labels.element != ElementType::Int32 && labels.element != ElementType::Int64)
    return bad_input("the labels must be int32 or int64, not " + to_text(labels));
  Shape wanted = scores.shape;
  wanted.erase(wanted.begin() + 1);
  if (labels.shape == wanted) return std::nullopt;
  return bad_input(fmt::format("the labels of scores {} have the shape {}, not {}",
                               to_text(scores.shape), to_text(wanted), to_text(labels.shape)));
}

OutputTypes class_loss_type(const OperationTypes& types) {
  const TensorType& scores = types.inputs[0];
  if (Failure failure = check_class_attributes(types)) return *failure;
  if (Failure failure = require_element(scores, ElementType::Float32, "the first input"))
    return *failure;
  if (scores.shape.size() < 2)
    return bad_input(
        fmt::format("scores have the shape (N, C, ...), not {}", to_text(scores.shape)));
  if (Failure failure = check_labels(types.inputs[1], scores)) return *failure;
  if (types.inputs.size() == 3) {
    const TensorType wanted{ElementType::Float32, {scores.shape[1]}};
    if (Failure failure = require_type(types.inputs[2], wanted, "the third input")) return *failure;
  }
  return std::vector<TensorType>{
      loss_type(std::get<LossAttributes>(types.attributes).reduction, types.inputs[1].shape)};
}

// For each score a comparison, a difference, an exponential and an addition, and two more with
// smoothed labels; for each label a logarithm, a difference, its weight and the sum over labels.
std::int64_t cross_entropy_flop(const OperationTypes& types) {
  const bool smooth = std::get<LossAttributes>(types.attributes).label_smoothing != 0;
  return (smooth ? 6 : 4) * value_count(types.inputs[0].shape) +
         4 * value_count(types.inputs[1].shape);
}

// For each score what makes its probability (5), what the label takes off, and the factor.
std::int64_t cross_entropy_gradient_flop(const OperationTypes& types) {
  return 7 * value_count(types.inputs[0].shape);
}

// The weight of each label, and the sum over labels.
std::int64_t likelihood_flop(const OperationTypes& types) {
  return 2 * value_count(types.inputs[1].shape);
}

// The weight of each label, and the factor.
std::int64_t likelihood_gradient_flop(const OperationTypes& types) {
  return 2 * value_count(types.inputs[0].shape);
}

// One score for each label is read.
std::int64_t likelihood_bytes(const OperationTypes& types) {
  std::int64_t bytes = 4 * value_count(types.inputs[1].shape) + size_bytes(types.outputs[0]);
  for (std::size_t i = 1; i < types.inputs.size(); ++i) bytes += size_bytes(types.inputs[i]);
  return bytes;
}

std::vector<GradientPart> cross_entropy_gradient(const OperationTypes& types) {
  GradientPart part{.kind = Operator::SoftmaxCrossEntropyGradient,
                    .attributes = types.attributes,
                    .operands = {ForwardInput{0}, ForwardInput{1}, OutputGradient{0}},
                    .of_inputs = {0}};
  if (types.inputs.size() == 3) part.operands.emplace_back(ForwardInput{2});
  return {part};
}

std::vector<GradientPart> likelihood_gradient(const OperationTypes& types) {
  GradientPart part{.kind = Operator::NegativeLogLikelihoodGradient,
                    .attributes = types.attributes,
                    .operands = {ForwardInput{1}, OutputGradient{0}},
                    .of_inputs = {0}};
  if (types.inputs.size() == 3) part.operands.emplace_back(ForwardInput{2});
  return {part};
}

// poet_class_loss_shape (poet/runtime/class_loss.h).
std::vector<KernelWord> class_words(const OperationTypes& types, const Shape& scores) {
  const auto& loss = std::get<LossAttributes>(types.attributes);
  return KernelWords()
      .integer("batch", scores[0])
      .integer("classes", scores[1])
      .integer("pixels", value_count({scores.begin() + 2, scores.end()}))
      .integer("ignore_index", loss.ignored_label.value_or(kNoLabel))
      .integer("reduction", reduction_word(types))
      .real("label_smoothing", loss.label_smoothing)
      .take();
}

std::optional<int> optional_input(const OperationTypes& types, int input) {
  if (static_cast<std::size_t>(input) < types.inputs.size()) return input;
  return std::nullopt;
}

Kernel by_labels(const TensorType& labels, Kernel of_int32, Kernel of_int64) {
  return labels.element == ElementType::Int32 ? of_int32 : of_int64;
}

KernelCall cross_entropy_call(const OperationTypes& types) {
  return {.function =
              by_labels(types.inputs[1], POET_KERNEL(poet_softmax_cross_entropy_forward_f32_i32),
                        POET_KERNEL(poet_softmax_cross_entropy_forward_f32_i64)),
          .shape = class_words(types, types.inputs[0].shape),
          .inputs = {0, 1, optional_input(types, 2)},
          .outputs = {0}};
}

KernelCall cross_entropy_gradient_call(const OperationTypes& types) {
  return {.function =
              by_labels(types.inputs[1], POET_KERNEL(poet_softmax_cross_entropy_gradient_f32_i32),
                        POET_KERNEL(poet_softmax_cross_entropy_gradient_f32_i64)),
          .shape = class_words(types, types.inputs[0].shape),
          .inputs = {0, 1, optional_input(types, 3), 2},
          .outputs = {0}};
}

KernelCall likelihood_call(const OperationTypes& types) {
  return {.function =
              by_labels(types.inputs[1], POET_KERNEL(poet_negative_log_likelihood_forward_f32_i32),
                        POET_KERNEL(poet_negative_log_likelihood_forward_f32_i64)),
          .shape = class_words(types, types.inputs[0].shape),
          .inputs = {0, 1, optional_input(types, 2)},
          .outputs = {0}};
}

KernelCall likelihood_gradient_call(const OperationTypes& types) {
  return {.function =
              by_labels(types.inputs[0], POET_KERNEL(poet_negative_log_likelihood_gradient_f32_i32),
                        POET_KERNEL(poet_negative_log_likelihood_gradient_f32_i64)),
          .shape = class_words(types, types.outputs[0].shape),
          .inputs = {0, optional_input(types, 2), 1},
          .outputs = {0}};
}

// --- Of values

OutputTypes value_loss_type(const OperationTypes& types) {
  const auto* const loss = std::get_if<LossAttributes>(&types.attributes);
  if (loss == nullptr) return wrong_attributes("loss");
  if (loss->ignored_label || loss->label_smoothing != 0)
    return bad_input("has no labels to ignore or to smooth");
  if (Failure failure = require_element(types.inputs[0], ElementType::Float32, "the first input"))
    return *failure;
  if (Failure failure = require_type(types.inputs[1], types.inputs[0], "the second input"))
    return *failure;
  return std::vector<TensorType>{loss_type(loss->reduction, types.inputs[0].shape)};
}

// A difference, a square and an addition for each value.
std::int64_t squared_error_flop(const OperationTypes& types) {
  return 3 * value_count(types.inputs[0].shape);
}

// A difference and a factor for each value.
std::int64_t squared_error_gradient_flop(const OperationTypes& types) {
  return 2 * value_count(types.inputs[0].shape);
}

// For each value a maximum, a product, a difference, an exponential, a logarithm and three
// additions.
std::int64_t binary_cross_entropy_flop(const OperationTypes& types) {
  return 8 * value_count(types.inputs[0].shape);
}

// For each value a sigmoid (3), a difference and a factor.
std::int64_t binary_cross_entropy_gradient_flop(const OperationTypes& types) {
  return 5 * value_count(types.inputs[0].shape);
}

// Symmetric: by the target it is what it is by the prediction, with the two exchanged.
std::vector<GradientPart> squared_error_gradient(const OperationTypes& types) {
  const auto by = [&](int input, int other) {
    return GradientPart{.kind = Operator::MeanSquaredErrorGradient,
                        .attributes = types.attributes,
                        .operands = {ForwardInput{input}, ForwardInput{other}, OutputGradient{0}},
                        .of_inputs = {input}};
  };
  return {by(0, 1), by(1, 0)};
}

std::vector<GradientPart> binary_cross_entropy_gradient(const OperationTypes& types) {
  return {{.kind = Operator::BinaryCrossEntropyGradient,
           .attributes = types.attributes,
           .operands = {ForwardInput{0}, ForwardInput{1}, OutputGradient{0}},
           .of_inputs = {0}}};
}

Kernel value_loss_function(Operator id) {
  switch (id) {
    case Operator::MeanSquaredError:
      return POET_KERNEL(poet_squared_error_forward_f32);
    case Operator::MeanSquaredErrorGradient:
      return POET_KERNEL(poet_squared_error_gradient_f32);
    case Operator::BinaryCrossEntropy:
      return POET_KERNEL(poet_binary_cross_entropy_forward_f32);
    case Operator::BinaryCrossEntropyGradient:
      return POET_KERNEL(poet_binary_cross_entropy_gradient_f32);
    default:
      check_failed("every loss of values has a kernel", __FILE__, __LINE__);
  }
}

// poet_pointwise_loss_shape (poet/runtime/pointwise_loss.h).
KernelCall value_loss_call(const OperationTypes& types) {
  KernelCall call{.function = value_loss_function(types.kind),
                  .shape = KernelWords()
                               .integer("count", value_count(types.inputs[0].shape))
                               .integer("reduction", reduction_word(types))
                               .take(),
                  .inputs = {0, 1},
                  .outputs = {0}};
  if (types.inputs.size() == 3) call.inputs.emplace_back(2);
  return call;
}

// Labels stay below the number of classes.
std::optional<std::int64_t> label_extent(const OperationTypes& types, std::size_t position) {
  if (position != 1) return std::nullopt;
  return types.inputs[0].shape[1];
}

// The first input of this gradient.
std::optional<std::int64_t> first_label_extent(const OperationTypes& types, std::size_t position) {
  if (position != 0) return std::nullopt;
  return types.outputs[0].shape[1];
}

constexpr InputDomain kLabels{.index_extent = label_extent};

OperatorEntry value_loss_gradient_row(Operator id, std::string_view name,
                                      std::int64_t (*flop)(const OperationTypes&)) {
  return {.id = id,
          .name = name,
          .least_inputs = 3,
          .most_inputs = 3,
          .roles = kPlainInputs,
          .output_types = nullptr,
          .flop = flop,
          .gradient = nullptr,
          .kernel = value_loss_call,
          .divides = nullptr,
          .parts = InParts{value_loss_axes},
          .domain = kAnyNumbers,
          .onnx = kNotInOnnx,
          .in_place = {{0, 0}, {1, 0}}};
}

}  // namespace

std::vector<OperatorEntry> loss_operators() {
  return {
      {.id = Operator::SoftmaxCrossEntropy,
       .name = "softmax_cross_entropy",
       .least_inputs = 2,
       .most_inputs = 3,
       .roles = kPlainInputs,
       .output_types = class_loss_type,
       .flop = cross_entropy_flop,
       .gradient = cross_entropy_gradient,
       .kernel = cross_entropy_call,
       .divides = nullptr,
       .parts = InParts{class_axes, Operator::SoftmaxCrossEntropyContinued},
       .domain = kLabels,
       .onnx = kNotInOnnx},
      {.id = Operator::SoftmaxCrossEntropyGradient,
       .name = "softmax_cross_entropy_gradient",
       .least_inputs = 3,
       .most_inputs = 4,
       .roles = kPlainInputs,
       .output_types = nullptr,
       .flop = cross_entropy_gradient_flop,
       .gradient = nullptr,
       .kernel = cross_entropy_gradient_call,
       .divides = nullptr,
       .parts = InParts{class_axes},
       .domain = kLabels,
       .onnx = kNotInOnnx,
       .in_place = {{0, 0}}},
      {.id = Operator::NegativeLogLikelihood,
       .name = "negative_log_likelihood",
       .least_inputs = 2,
       .most_inputs = 3,
       .roles = kPlainInputs,
       .output_types = class_loss_type,
       .flop = likelihood_flop,
       .moved_bytes = likelihood_bytes,
       .gradient = likelihood_gradient,
       .kernel = likelihood_call,
       .divides = nullptr,
       .parts = InParts{class_axes, Operator::NegativeLogLikelihoodContinued},
       .domain = kLabels,
       .onnx = kNotInOnnx},
      {.id = Operator::NegativeLogLikelihoodGradient,
       .name = "negative_log_likelihood_gradient",
       .least_inputs = 2,
       .most_inputs = 3,
       .roles = kPlainInputs,
       .output_types = nullptr,
       .flop = likelihood_gradient_flop,
       .gradient = nullptr,
       .kernel = likelihood_gradient_call,
       .divides = nullptr,
       .parts = InParts{class_axes},
       .domain = InputDomain{.index_extent = first_label_extent},
       .onnx = kNotInOnnx},
      {.id = Operator::MeanSquaredError,
       .name = "mean_squared_error",
       .least_inputs = 2,
       .most_inputs = 2,
       .roles = kPlainInputs,
       .output_types = value_loss_type,
       .flop = squared_error_flop,
       .gradient = squared_error_gradient,
       .kernel = value_loss_call,
       .divides = nullptr,
       .parts = InParts{value_loss_axes},
       .domain = kAnyNumbers,
       .onnx = kNotInOnnx},
      value_loss_gradient_row(Operator::MeanSquaredErrorGradient, "mean_squared_error_gradient",
                              squared_error_gradient_flop),
      {.id = Operator::BinaryCrossEntropy,
       .name = "binary_cross_entropy",
       .least_inputs = 2,
       .most_inputs = 2,
       .roles = kPlainInputs,
       .output_types = value_loss_type,
       .flop = binary_cross_entropy_flop,
       .gradient = binary_cross_entropy_gradient,
       .kernel = value_loss_call,
       .divides = nullptr,
       .parts = InParts{value_loss_axes},
       .domain = kAnyNumbers,
       .onnx = kNotInOnnx},
      value_loss_gradient_row(Operator::BinaryCrossEntropyGradient, "binary_cross_entropy_gradient",
                              binary_cross_entropy_gradient_flop)};
}

}  // namespace poet
