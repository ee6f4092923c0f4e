#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "poet/base/check.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/graph/weight_update.h"
#include "poet/runtime/weight_update.h"

// A weight's gradient and its use by an optimiser in one: made of the rows of the two operations
// that it stands for.

namespace poet {
namespace {

// An update that reads a gradient, by the positions of its kernel's pointers.
struct SlicedUpdate {
  Operator id{};
  std::int32_t kind = 0;  // of poet/runtime/update_rows.h
  int gradient = 1;       // of its inputs too
  std::optional<int> other = {};
  std::optional<int> step = {};
};

constexpr SlicedUpdate kUpdates[] = {
    {.id = Operator::Sgd, .kind = 0, .step = 2},
    {.id = Operator::Velocity, .kind = 1, .other = 2, .step = 3},
    {.id = Operator::Nesterov, .kind = 2, .gradient = 2, .other = 1, .step = 3},
    {.id = Operator::FirstMoment, .kind = 3, .other = 2},
    {.id = Operator::SecondMoment, .kind = 4, .other = 2},
};

const SlicedUpdate* row_of(Operator update) {
  const auto* const row =
      std::find_if(std::begin(kUpdates), std::end(kUpdates),
                   [&](const SlicedUpdate& candidate) { return candidate.id == update; });
  return row == std::end(kUpdates) ? nullptr : row;
}

bool is_of_convolution(Operator gradient) {
  return gradient == Operator::ConvWeightGradient ||
         gradient == Operator::ConvTransposeWeightGradient;
}

const WeightUpdateAttributes& attributes_of(const OperationTypes& types) {
  return std::get<WeightUpdateAttributes>(types.attributes);
}

// --- The two operations

OperationTypes gradient_of(const OperationTypes& types) {
  const WeightUpdateAttributes& attributes = attributes_of(types);
  const auto first = types.inputs.begin() + row_of(attributes.update)->gradient;
  return {.kind = attributes.gradient,
          .attributes = std::visit([](const auto& given) { return Attributes(given); },
                                   attributes.gradient_attributes),
          .inputs = {first, first + 2},
          .outputs = {types.inputs[0]}};
}

OperationTypes update_of(const OperationTypes& types) {
  const WeightUpdateAttributes& attributes = attributes_of(types);
  OperationTypes update{.kind = attributes.update,
                        .attributes = attributes.update_attributes,
                        .inputs = types.inputs,
                        .outputs = {types.inputs[0]}};
  const auto first = update.inputs.begin() + row_of(attributes.update)->gradient;
  *first = types.inputs[0];
  update.inputs.erase(first + 1);
  return update;
}

// --- Rules

Failure check_attributes(const OperationTypes& types) {
  const auto* const attributes = std::get_if<WeightUpdateAttributes>(&types.attributes);
  if (attributes == nullptr) return wrong_attributes("weight update");
  const SlicedUpdate* const row = row_of(attributes->update);
  if (row == nullptr)
    return bad_input(
        fmt::format("{} is not an update by a gradient", entry_of(attributes->update).name));
  const bool is_product = attributes->gradient == Operator::MatMul;
  if (!is_product && !is_of_convolution(attributes->gradient))
    return bad_input(fmt::format("{} makes no gradient of a weight in rows",
                                 entry_of(attributes->gradient).name));
  if (is_product != std::holds_alternative<MatMulAttributes>(attributes->gradient_attributes))
    return wrong_attributes(is_product ? "matrix product" : "window");
  if (std::ssize(types.inputs) < row->gradient + 2)
    return bad_input(
        fmt::format("takes {} inputs or more, and has {}", row->gradient + 2, types.inputs.size()));
  return std::nullopt;
}

Failure require_weight(const Result<std::vector<TensorType>>& made, const TensorType& wanted,
                       std::string_view what) {
  if (!made.ok()) return made.error();
  return require_type(wanted, made->front(), what);
}

// A convolution with a weight of this type makes outputs of which dy is the gradient.
Failure check_gradient(const OperationTypes& gradient) {
  const TensorType& weight = gradient.outputs[0];
  if (gradient.kind == Operator::MatMul) {
    if (rank_of(weight) != 2)
      return bad_input(fmt::format("the weight of a product must have 2 dimensions, not {}",
                                   to_text(weight.shape)));
    return require_weight(
        entry_of(Operator::MatMul)
            .output_types({gradient.kind, gradient.attributes, gradient.inputs, {}}),
        weight, "the weight");
  }
  const Operator forward =
      gradient.kind == Operator::ConvWeightGradient ? Operator::Conv : Operator::ConvTranspose;
  return require_weight(entry_of(forward).output_types(
                            {forward, gradient.attributes, {gradient.inputs[0], weight}, {}}),
                        gradient.inputs[1], "the gradient of the outputs");
}

OutputTypes output_types(const OperationTypes& types) {
  if (Failure failure = check_attributes(types)) return *failure;
  if (Failure failure = check_gradient(gradient_of(types))) return *failure;
  const OperationTypes update = update_of(types);
  const OutputTypes made = entry_of(update.kind).output_types(update);
  if (!made.ok()) return made.error();
  // The clip scale is every kernel's last input.
  if (entry_of(update.kind).kernel(update).inputs.back())
    return bad_input("the gradient is clipped: that needs all of it at once");
  return made;
}

std::int64_t flop(const OperationTypes& types) {
  const OperationTypes gradient = gradient_of(types);
  const OperationTypes update = update_of(types);
  return entry_of(gradient.kind).flop(gradient) + entry_of(update.kind).flop(update);
}

// --- The kernel

float constant(const KernelCall& update, std::string_view field) {
  for (const KernelWord& word : update.shape)
    if (word.field == field) return std::get<float>(word.value);
  return 0;
}

// The shapes of poet/runtime/weight_update.h.
std::vector<KernelWord> shape_words(const KernelCall& gradient, const KernelCall& update,
                                    std::int32_t kind, std::int64_t rows) {
  std::vector<KernelWord> words = gradient.shape;
  for (KernelWord& word : words) word.field.insert(0, "gradient.");
  KernelWords more;
  more.integer("slice_rows", rows).integer("update.kind", kind);
  for (const char* const field :
       {"weight_decay", "momentum", "dampening", "beta", "one_minus_beta"})
    more.real(fmt::format("update.{}", field), constant(update, field));
  std::vector<KernelWord> rest = more.take();
  std::move(rest.begin(), rest.end(), std::back_inserter(words));
  return words;
}

// Which input of the whole operation a pointer of the update's kernel is.
std::optional<int> input_of(const KernelCall& update, std::optional<int> pointer, int gradient) {
  if (!pointer) return std::nullopt;
  const std::optional<int> input = update.inputs[static_cast<std::size_t>(*pointer)];
  return input && *input > gradient ? *input + 1 : input;
}

KernelCall kernel_call(const OperationTypes& types) {
  const OperationTypes gradient = gradient_of(types);
  const OperationTypes update = update_of(types);
  const KernelCall gradient_call = entry_of(gradient.kind).kernel(gradient);
  const KernelCall update_call = entry_of(update.kind).kernel(update);
  const SlicedUpdate& row = *row_of(update.kind);
  const std::int64_t all_rows = types.inputs[0].shape[0];
  const std::int64_t rows = slice_rows(all_rows);
  const int first = row.gradient;
  return {
      .function = is_of_convolution(gradient.kind) ? POET_KERNEL(poet_conv_weight_update_f32)
                                                   : POET_KERNEL(poet_matmul_weight_update_f32),
      .shape = shape_words(gradient_call, update_call, row.kind, rows),
      .inputs = {0, first + *gradient_call.inputs[0], first + *gradient_call.inputs[1],
                 input_of(update_call, row.other, first), input_of(update_call, row.step, first)},
      .outputs = {0},
      .workspace_bytes = size_bytes(types.inputs[0]) / all_rows * rows};
}

// A new value that depends on nothing but the gradient and the old one: without decay, and where
// the gradient is not clipped.
bool is_plain_sgd(const GraphOperation& update) {
  return update.kind == Operator::Sgd && update.inputs.size() == 3 &&
         std::get<UpdateAttributes>(update.attributes).weight_decay == 0;
}

// Where there are fewer indices than rows: otherwise all rows may change, and are quicker at once.
std::optional<GraphOperation> joined_by_rows(const Graph& graph, const GraphOperation& gradient,
                                             const GraphOperation& update) {
  const TensorType& indices = at(graph.tensors, gradient.inputs[0]).type;
  const TensorType& table = at(graph.tensors, update.inputs[0]).type;
  if (!is_plain_sgd(update) || std::get<AxisAttributes>(gradient.attributes).axis != 0 ||
      value_count(indices.shape) >= table.shape[0])
    return std::nullopt;
  GraphOperation both = update;
  both.kind = Operator::RowUpdate;
  both.attributes = {};
  both.inputs = {update.inputs[0], gradient.inputs[0], gradient.inputs[1], update.inputs[2]};
  return both;
}

template <typename Kind>
std::optional<std::variant<MatMulAttributes, WindowAttributes>> kept(const Attributes& given) {
  if (const auto* const kind = std::get_if<Kind>(&given)) return *kind;
  return std::nullopt;
}

}  // namespace

std::optional<int> gradient_input(Operator update) {
  const SlicedUpdate* const row = row_of(update);
  return row == nullptr ? std::nullopt : std::optional<int>(row->gradient);
}

std::optional<GraphOperation> joined(const Graph& graph, const GraphOperation& gradient,
                                     const GraphOperation& update) {
  if (gradient.kind == Operator::GatherGradient) return joined_by_rows(graph, gradient, update);
  const std::optional<int> position = gradient_input(update.kind);
  const bool is_product = gradient.kind == Operator::MatMul;
  const auto attributes = is_product ? kept<MatMulAttributes>(gradient.attributes)
                                     : kept<WindowAttributes>(gradient.attributes);
  if (!position || !attributes || gradient.inputs.size() != 2) return std::nullopt;
  GraphOperation both = update;
  both.kind = Operator::WeightUpdate;
  both.attributes = WeightUpdateAttributes{gradient.kind, *attributes, update.kind,
                                           std::get<UpdateAttributes>(update.attributes)};
  const auto place = both.inputs.begin() + *position;
  *place = gradient.inputs[1];
  both.inputs.insert(place, gradient.inputs[0]);
  if (!output_types(types_of(graph, both)).ok()) return std::nullopt;
  return both;
}

std::int64_t slice_rows(std::int64_t rows) {
  constexpr std::int64_t kParts = 8;
  constexpr std::int64_t kMostRows = 32;
  constexpr std::int64_t kAtOnce = 4;  // panel_product.c
  const std::int64_t part = std::min((rows + kParts - 1) / kParts, kMostRows);
  return std::min((part + kAtOnce - 1) / kAtOnce * kAtOnce, rows);
}

std::vector<OperatorEntry> weight_update_operators() {
  return {{.id = Operator::WeightUpdate,
           .name = "weight_update",
           .least_inputs = 3,
           .most_inputs = 5,
           .roles = kPlainInputs,
           .output_types = output_types,
           .flop = flop,
           .gradient = nullptr,
           .kernel = kernel_call,
           .divides = nullptr,
           .parts = kDoneWhole,
           .domain = kStepAndNumbers,
           .onnx = kNotInOnnx,
           .once = true,
           .updates = {{0, 0}}}};
}

}  // namespace poet
