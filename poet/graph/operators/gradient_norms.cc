#include <fmt/format.h>

#include <cmath>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/runtime/gradient_norm.h"
#include "poet/runtime/update.h"

// What stands between gradients and updates: limiting the norm of all gradients together, and
// adding those of micro-batches.

namespace poet {
namespace {

constexpr int kMostPartials = 8;

// --- The norm of all gradients

OutputTypes one_number(const OperationTypes& types) {
  if (Failure failure = require_no_attributes(types)) return *failure;
  if (Failure failure = require_element(types.inputs[0], ElementType::Float32, "the input"))
    return *failure;
  return std::vector<TensorType>{{ElementType::Float32, {}}};
}

Failure check_partials(const OperationTypes& types) {
  const TensorType scalar{ElementType::Float32, {}};
  for (const TensorType& input : types.inputs)
    if (Failure failure = require_type(input, scalar, "every input")) return failure;
  return std::nullopt;
}

OutputTypes sum_of_partials_type(const OperationTypes& types) {
  if (Failure failure = require_no_attributes(types)) return *failure;
  if (Failure failure = check_partials(types)) return *failure;
  return std::vector<TensorType>{types.inputs[0]};
}

OutputTypes clip_scale_type(const OperationTypes& types) {
  const auto* const update = std::get_if<UpdateAttributes>(&types.attributes);
  if (update == nullptr) return wrong_attributes("parameter update");
  if (!(update->largest_norm > 0 && std::isfinite(update->largest_norm)))
    return bad_input(
        fmt::format("the largest norm is {}: it must be more than 0", update->largest_norm));
  if (Failure failure = check_partials(types)) return *failure;
  return std::vector<TensorType>{types.inputs[0]};
}

// A square and an addition for each value.
std::int64_t square_flop(const OperationTypes& types) {
  return 2 * value_count(types.inputs[0].shape);
}

// An addition for each partial sum.
std::int64_t partials_flop(const OperationTypes& types) {
  return static_cast<std::int64_t>(types.inputs.size());
}

// And a root, an addition, a division and a comparison.
std::int64_t clip_flop(const OperationTypes& types) {
  return partials_flop(types) + 4;
}

std::vector<KernelWord> count_words(const OperationTypes& types) {
  return KernelWords().integer("count", value_count(types.inputs[0].shape)).take();
}

KernelCall square_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_square_norm_forward_f32),
          .shape = count_words(types),
          .inputs = {0},
          .outputs = {0}};
}

// Up to 8 partial sums; null pointers for the rest.
std::vector<std::optional<int>> partial_pointers(const OperationTypes& types) {
  std::vector<std::optional<int>> pointers(kMostPartials);
  for (std::size_t i = 0; i < types.inputs.size(); ++i) pointers[i] = static_cast<int>(i);
  return pointers;
}

KernelCall partials_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_partials_forward_f32),
          .shape =
              KernelWords().integer("count", static_cast<std::int64_t>(types.inputs.size())).take(),
          .inputs = partial_pointers(types),
          .outputs = {0}};
}

KernelCall clip_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_clip_scale_forward_f32),
          .shape = KernelWords()
                       .integer("count", static_cast<std::int64_t>(types.inputs.size()))
                       .real("limit", std::get<UpdateAttributes>(types.attributes).largest_norm)
                       .take(),
          .inputs = partial_pointers(types),
          .outputs = {0}};
}

// --- Sums over micro-batches

OutputTypes accumulated_type(const OperationTypes& types) {
  if (Failure failure = require_no_attributes(types)) return *failure;
  if (Failure failure = require_element(types.inputs[0], ElementType::Float32, "the first input"))
    return *failure;
  if (Failure failure = require_type(types.inputs[1], types.inputs[0], "the second input"))
    return *failure;
  return std::vector<TensorType>{types.inputs[0]};
}

// One addition for each value.
std::int64_t accumulate_flop(const OperationTypes& types) {
  return value_count(types.inputs[0].shape);
}

KernelCall accumulate_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_accumulate_forward_f32),
          .shape = count_words(types),
          .inputs = {0, 1},
          .outputs = {0}};
}

}  // namespace

std::vector<OperatorEntry> gradient_norm_operators() {
  return {
      {.id = Operator::SumOfSquares,
       .name = "sum_of_squares",
       .least_inputs = 1,
       .most_inputs = 1,
       .roles = kPlainInputs,
       .output_types = one_number,
       .flop = square_flop,
       .gradient = nullptr,
       .kernel = square_call,
       .divides = nullptr,
       .parts = kDoneWhole,
       .domain = kAnyNumbers,
       .onnx = kNotInOnnx},
      {.id = Operator::SumOfPartials,
       .name = "sum_of_partials",
       .least_inputs = 1,
       .most_inputs = kMostPartials,
       .roles = kPlainInputs,
       .output_types = sum_of_partials_type,
       .flop = partials_flop,
       .gradient = nullptr,
       .kernel = partials_call,
       .divides = nullptr,
       .parts = kDoneWhole,
       .domain = kPositiveNumbers,
       .onnx = kNotInOnnx},
      {.id = Operator::ClipScale,
       .name = "clip_scale",
       .least_inputs = 1,
       .most_inputs = kMostPartials,
       .roles = kPlainInputs,
       .output_types = clip_scale_type,
       .flop = clip_flop,
       .gradient = nullptr,
       .kernel = clip_call,
       .divides = nullptr,
       .parts = kDoneWhole,
       .domain = kPositiveNumbers,
       .onnx = kNotInOnnx},
      {.id = Operator::Accumulate,
       .name = "accumulate",
       .least_inputs = 2,
       .most_inputs = 2,
       .roles = kPlainInputs,
       .output_types = accumulated_type,
       .flop = accumulate_flop,
       .gradient = nullptr,
       .kernel = accumulate_call,
       .divides = along_values<>,
       .parts = InParts{pointwise_axes},
       .domain = kAnyNumbers,
       .onnx = kNotInOnnx,
       .once = true,
       .updates = {{0, 0}}},
  };
}

}  // namespace poet
