#include <fmt/format.h>

#include <limits>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/runtime/class_loss.h"
#include "poet/runtime/class_loss_parts.h"

// Class losses in parts (poet/runtime/class_loss_parts.h). By labels: the sum goes on, and the last
// part's is divided by the count of all labels. By classes, after the parts of a softmax over
// dimension 1: the scores of the labels are collected, and then make the loss.

namespace poet {
namespace {

// What kernels are told where no label is ignored.
constexpr std::int64_t kNoLabel = std::numeric_limits<std::int32_t>::min();

TensorType float32(const Shape& shape) {
  return {ElementType::Float32, shape};
}

Kernel by_labels(const TensorType& labels, Kernel of_int32, Kernel of_int64) {
  return labels.element == ElementType::Int32 ? of_int32 : of_int64;
}

// --- By labels: scores, labels, the sum, and perhaps weights

OperationTypes alone(const OperationTypes& types) {
  OperationTypes whole = types;
  whole.kind = types.kind == Operator::SoftmaxCrossEntropyContinued
                   ? Operator::SoftmaxCrossEntropy
                   : Operator::NegativeLogLikelihood;
  whole.inputs.erase(whole.inputs.begin() + 2);
  whole.outputs = {types.inputs[2]};
  return whole;
}

OutputTypes continued_type(const OperationTypes& types) {
  const auto* const loss = std::get_if<LossAttributes>(&types.attributes);
  if (loss == nullptr) return wrong_attributes("loss");
  if (loss->reduction != Reduction::Sum) return bad_input("continues a sum: no mean, no list");
  const OperationTypes whole = alone(types);
  OutputTypes made = entry_of(whole.kind).output_types(whole);
  if (!made.ok()) return made;
  if (Failure failure = require_type(types.inputs[2], made->front(), "the sum")) return *failure;
  return made;
}

std::int64_t continued_flop(const OperationTypes& types) {
  const OperationTypes whole = alone(types);
  return entry_of(whole.kind).flop(whole);
}

KernelCall continued_call(const OperationTypes& types) {
  const OperationTypes whole = alone(types);
  KernelCall call = entry_of(whole.kind).kernel(whole);
  const TensorType& labels = types.inputs[1];
  call.function =
      whole.kind == Operator::SoftmaxCrossEntropy
          ? by_labels(labels, POET_KERNEL(poet_softmax_cross_entropy_continued_f32_i32),
                      POET_KERNEL(poet_softmax_cross_entropy_continued_f32_i64))
          : by_labels(labels, POET_KERNEL(poet_negative_log_likelihood_continued_f32_i32),
                      POET_KERNEL(poet_negative_log_likelihood_continued_f32_i64));
  call.inputs = {0, 1, types.inputs.size() == 4 ? std::optional<int>{3} : std::nullopt, 2};
  return call;
}

// A number, and the count.
OutputTypes mean_type(const OperationTypes& types) {
  if (Failure failure = require_no_attributes(types)) return *failure;
  if (Failure failure = require_type(types.inputs[0], float32({}), "the first input"))
    return *failure;
  if (Failure failure = require_type(types.inputs[1], float32({}), "the count")) return *failure;
  return std::vector<TensorType>{types.inputs[0]};
}

std::int64_t one_flop(const OperationTypes& /*types*/) {
  return 1;
}

KernelCall mean_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_loss_mean_f32),
          .shape = KernelWords()
                       .integer("is_gradient", types.kind == Operator::LossMeanGradient ? 1 : 0)
                       .take(),
          .inputs = {0, 1},
          .outputs = {0}};
}

// --- By classes

const ClassPartAttributes& part_of(const OperationTypes& types) {
  return std::get<ClassPartAttributes>(types.attributes);
}

Failure check_attributes(const OperationTypes& types) {
  const auto* const part = std::get_if<ClassPartAttributes>(&types.attributes);
  if (part == nullptr) return wrong_attributes("part of classes");
  if (part->reduction == Reduction::Mean) return bad_input("makes no mean: that is loss_mean's");
  if (!(part->label_smoothing >= 0 && part->label_smoothing < 1))
    return bad_input(fmt::format("label smoothing is {}: it must be at least 0 and less than 1",
                                 part->label_smoothing));
  const std::int64_t ignored = part->ignored_label.value_or(kNoLabel);
  if (ignored < kNoLabel || ignored > kMaxValues)
    return bad_input(fmt::format("the ignored label is {}: it must fit in 32 bits", ignored));
  if (part->classes >= 1 && part->classes <= kMaxValues) return std::nullopt;
  return bad_input(fmt::format("takes 1 to {} classes, not {}", kMaxValues, part->classes));
}

// Scores (N, B, ...), of which places (N, ...) are what has no classes.
Result<Shape> places_of(const OperationTypes& types) {
  if (Failure failure = check_attributes(types)) return *failure;
  const TensorType& scores = types.inputs[0];
  if (Failure failure = require_element(scores, ElementType::Float32, "the first input"))
    return *failure;
  if (scores.shape.size() < 2)
    return bad_input(
        fmt::format("scores have the shape (N, C, ...), not {}", to_text(scores.shape)));
  const ClassPartAttributes& part = part_of(types);
  const std::int64_t block = scores.shape[1];
  if (part.begin < 0 || part.begin > part.classes - block)
    return bad_input(
        fmt::format("{} classes from {} on are no block of {}", block, part.begin, part.classes));
  Shape places = scores.shape;
  places.erase(places.begin() + 1);
  return places;
}

Failure require_labels(const TensorType& labels, const Shape& places) {
  if (labels.element != ElementType::Int32 && labels.element != ElementType::Int64)
    return bad_input("the labels must be int32 or int64, not " + to_text(labels));
  return require_type(labels, {labels.element, places}, "the labels");
}

Failure require_all(const OperationTypes& types, std::size_t first, std::size_t end,
                    const Shape& places) {
  for (std::size_t i = first; i < std::min(end, types.inputs.size()); ++i)
    if (Failure failure =
            require_type(types.inputs[i], float32(places), fmt::format("input {}", i)))
      return failure;
  return std::nullopt;
}

// A count has weights where there is an input that is neither the labels nor an earlier count.
bool has_weights(const OperationTypes& types) {
  return types.inputs.size() == (part_of(types).continues ? 3U : 2U);
}

// Labels, perhaps weights (classes), and where the part continues, the count of earlier labels.
OutputTypes count_type(const OperationTypes& types) {
  if (Failure failure = check_attributes(types)) return *failure;
  const ClassPartAttributes& part = part_of(types);
  if (types.inputs.size() == (part.continues ? 1U : 3U))
    return bad_input(fmt::format("takes {} inputs, not {}", part.continues ? "2 or 3" : "1 or 2",
                                 types.inputs.size()));
  const TensorType& labels = types.inputs[0];
  if (Failure failure = require_labels(labels, labels.shape)) return *failure;
  if (has_weights(types))
    if (Failure failure = require_type(types.inputs[1], float32({part.classes}), "the weights"))
      return *failure;
  if (part.continues)
    if (Failure failure = require_type(types.inputs.back(), float32({}), "the count"))
      return *failure;
  return std::vector<TensorType>{float32({})};
}

// Scores, labels, and what earlier blocks had.
OutputTypes score_type(const OperationTypes& types) {
  const Result<Shape> places = places_of(types);
  if (!places.ok()) return places.error();
  if (Failure failure = require_labels(types.inputs[1], *places)) return *failure;
  if (Failure failure = require_all(types, 2, 3, *places)) return *failure;
  return std::vector<TensorType>{float32(*places)};
}

// Scores, largest, sum, and what earlier blocks made.
OutputTypes score_sum_type(const OperationTypes& types) {
  const Result<Shape> places = places_of(types);
  if (!places.ok()) return places.error();
  if (Failure failure = require_all(types, 1, 4, *places)) return *failure;
  return std::vector<TensorType>{float32(*places)};
}

TensorType loss_type(const OperationTypes& types, const Shape& places) {
  return float32(part_of(types).reduction == Reduction::None ? places : Shape{});
}

bool is_smooth(const OperationTypes& types) {
  return part_of(types).label_smoothing != 0;
}

// The labels' scores, largest, sum, labels; with smoothing the sum of scores; and where the part
// continues, the loss of earlier labels.
OutputTypes end_type(const OperationTypes& types) {
  if (Failure failure = check_attributes(types)) return *failure;
  const std::size_t of_places = is_smooth(types) ? 5 : 4;
  const std::size_t wanted = of_places + (part_of(types).continues ? 1 : 0);
  if (types.inputs.size() != wanted)
    return bad_input(fmt::format("takes {} inputs, not {}", wanted, types.inputs.size()));
  const Shape& places = types.inputs[0].shape;
  if (Failure failure = require_all(types, 0, 3, places)) return *failure;
  if (Failure failure = require_labels(types.inputs[3], places)) return *failure;
  if (Failure failure = require_all(types, 4, of_places, places)) return *failure;
  const TensorType loss = loss_type(types, places);
  if (!part_of(types).continues) return std::vector<TensorType>{loss};
  if (part_of(types).reduction != Reduction::Sum)
    return bad_input("continues a sum: no mean, no list");
  if (Failure failure = require_type(types.inputs.back(), loss, "the sum")) return *failure;
  return std::vector<TensorType>{loss};
}

// Scores, largest, sum, labels, dloss.
OutputTypes gradient_type(const OperationTypes& types) {
  const Result<Shape> places = places_of(types);
  if (!places.ok()) return places.error();
  if (Failure failure = require_all(types, 1, 3, *places)) return *failure;
  if (Failure failure = require_labels(types.inputs[3], *places)) return *failure;
  if (Failure failure = require_type(types.inputs[4], loss_type(types, *places), "dloss"))
    return *failure;
  return std::vector<TensorType>{types.inputs[0]};
}

template <int per_value>
std::int64_t flop(const OperationTypes& types) {
  return per_value * value_count(types.inputs[0].shape);
}

// poet_class_block_shape; places are (N, P) where there are no scores.
std::vector<KernelWord> block_words(const OperationTypes& types, const Shape& scores) {
  const ClassPartAttributes& part = part_of(types);
  return KernelWords()
      .integer("batch", scores[0])
      .integer("block", scores[1])
      .integer("pixels", value_count({scores.begin() + 2, scores.end()}))
      .integer("begin", part.begin)
      .integer("classes", part.classes)
      .integer("ignore_index", part.ignored_label.value_or(kNoLabel))
      .integer("reduction", static_cast<std::int64_t>(part.reduction))
      .real("label_smoothing", part.label_smoothing)
      .take();
}

KernelCall count_call(const OperationTypes& types) {
  const ClassPartAttributes& part = part_of(types);
  return {.function = by_labels(types.inputs[0], POET_KERNEL(poet_label_count_f32_i32),
                                POET_KERNEL(poet_label_count_f32_i64)),
          .shape = KernelWords()
                       .integer("batch", value_count(types.inputs[0].shape))
                       .integer("classes", part.classes)
                       .integer("pixels", 1)
                       .integer("ignore_index", part.ignored_label.value_or(kNoLabel))
                       .integer("reduction", static_cast<std::int64_t>(part.reduction))
                       .real("label_smoothing", part.label_smoothing)
                       .take(),
          .inputs = {0, has_weights(types) ? std::optional<int>{1} : std::nullopt,
                     part.continues ? std::optional<int>{static_cast<int>(types.inputs.size()) - 1}
                                    : std::nullopt},
          .outputs = {0}};
}

KernelCall score_call(const OperationTypes& types) {
  return {.function = by_labels(types.inputs[1], POET_KERNEL(poet_label_score_part_f32_i32),
                                POET_KERNEL(poet_label_score_part_f32_i64)),
          .shape = block_words(types, types.inputs[0].shape),
          .inputs = {0, 1, types.inputs.size() == 3 ? std::optional<int>{2} : std::nullopt},
          .outputs = {0}};
}

KernelCall score_sum_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_class_score_sum_part_f32),
          .shape = block_words(types, types.inputs[0].shape),
          .inputs = {0, 1, 2, types.inputs.size() == 4 ? std::optional<int>{3} : std::nullopt},
          .outputs = {0}};
}

KernelCall end_call(const OperationTypes& types) {
  const bool smooth = is_smooth(types);
  const std::optional<int> earlier =
      part_of(types).continues ? std::optional<int>{smooth ? 5 : 4} : std::nullopt;
  return {
      .function = by_labels(types.inputs[3], POET_KERNEL(poet_softmax_cross_entropy_end_f32_i32),
                            POET_KERNEL(poet_softmax_cross_entropy_end_f32_i64)),
      .shape = block_words(types, {value_count(types.inputs[0].shape), 1}),
      .inputs = {0, 1, 2, 3, smooth ? std::optional<int>{4} : std::nullopt, earlier},
      .outputs = {0}};
}

KernelCall gradient_call(const OperationTypes& types) {
  return {.function = by_labels(types.inputs[3],
                                POET_KERNEL(poet_softmax_cross_entropy_gradient_block_f32_i32),
                                POET_KERNEL(poet_softmax_cross_entropy_gradient_block_f32_i64)),
          .shape = block_words(types, types.inputs[0].shape),
          .inputs = {0, 1, 2, 3, 4},
          .outputs = {0}};
}

// Labels stay below the number of classes, wherever they stand.
std::optional<std::int64_t> label_extent(const OperationTypes& types, std::size_t position) {
  if (types.inputs[position].element == ElementType::Float32) return std::nullopt;
  if (const auto* const part = std::get_if<ClassPartAttributes>(&types.attributes))
    return part->classes;
  return types.inputs[0].shape[1];
}

struct PartRow {
  Operator id{};
  std::string_view name = {};
  int least = 1;
  int most = 1;
  OutputTypes (*output_types)(const OperationTypes&) = nullptr;
  std::int64_t (*flop)(const OperationTypes&) = nullptr;
  KernelCall (*kernel)(const OperationTypes&) = nullptr;
  Stated<InParts> parts;
  std::vector<SharedPlace> in_place = {};
};

std::vector<PartRow> part_rows() {
  return {
      {Operator::SoftmaxCrossEntropyContinued,
       "softmax_cross_entropy_continued",
       3,
       4,
       continued_type,
       continued_flop,
       continued_call,
       kDoneWhole,
       {{2, 0}}},
      {Operator::NegativeLogLikelihoodContinued,
       "negative_log_likelihood_continued",
       3,
       4,
       continued_type,
       continued_flop,
       continued_call,
       kDoneWhole,
       {{2, 0}}},
      {Operator::LabelCount, "label_count", 1, 3, count_type, flop<1>, count_call,
       InParts{class_axes, Operator::LabelCount}},
      {Operator::LossMean, "loss_mean", 2, 2, mean_type, one_flop, mean_call, kDoneWhole, {{0, 0}}},
      {Operator::LossMeanGradient,
       "loss_mean_gradient",
       2,
       2,
       mean_type,
       one_flop,
       mean_call,
       kDoneWhole,
       {{0, 0}}},
      {Operator::LabelScorePart,
       "label_score_part",
       2,
       3,
       score_type,
       flop<0>,
       score_call,
       InParts{.axes = class_axes, .continued = Operator::LabelScorePart, .part = class_part},
       {{2, 0}}},
      {Operator::ClassScoreSumPart,
       "class_score_sum_part",
       3,
       4,
       score_sum_type,
       flop<3>,
       score_sum_call,
       InParts{.axes = class_axes, .continued = Operator::ClassScoreSumPart, .part = class_part},
       {{3, 0}}},
      {Operator::SoftmaxCrossEntropyEnd, "softmax_cross_entropy_end", 4, 6, end_type, flop<4>,
       end_call, InParts{class_axes, Operator::SoftmaxCrossEntropyEnd}},
      {Operator::SoftmaxCrossEntropyGradientBlock,
       "softmax_cross_entropy_gradient_block",
       5,
       5,
       gradient_type,
       flop<5>,
       gradient_call,
       InParts{.axes = class_axes, .part = class_part},
       {{0, 0}}},
  };
}

}  // namespace

std::vector<OperatorEntry> loss_part_operators() {
  std::vector<OperatorEntry> rows;
  for (const PartRow& row : part_rows())
    rows.push_back(
        {.id = row.id,
         .name = row.name,
         .least_inputs = row.least,
         .most_inputs = row.most,
         .roles = kPlainInputs,
         .output_types = row.output_types,
         .flop = row.flop,
         .gradient = nullptr,
         .kernel = row.kernel,
         .divides = nullptr,
         .parts = row.parts,
         .domain = InputDomain{.sign = InputDomain::Sign::Positive, .index_extent = label_extent},
         .onnx = kNotInOnnx,
         .in_place = row.in_place});
  return rows;
}

}  // namespace poet
