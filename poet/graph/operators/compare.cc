#include <utility>

#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/graph/operators/strided_walk.h"
#include "poet/runtime/compare.h"
#include "poet/runtime/where.h"

// Comparisons, logic, and the choice by a mask. Of these only the choice has gradients.

namespace poet {
namespace {

struct Comparison {
  Operator id{};
  std::string_view name;
  Kernel of_float;
  Kernel of_int64;
  OnnxName onnx;
};

constexpr Comparison kComparisons[] = {
    {Operator::Equal, "equal", POET_KERNEL(poet_equal_forward_f32),
     POET_KERNEL(poet_equal_forward_i64), plain_in_onnx("Equal", 1)},
    {Operator::Less, "less", POET_KERNEL(poet_less_forward_f32), POET_KERNEL(poet_less_forward_i64),
     plain_in_onnx("Less", 1)},
    {Operator::LessOrEqual, "less_or_equal", POET_KERNEL(poet_less_or_equal_forward_f32),
     POET_KERNEL(poet_less_or_equal_forward_i64), plain_in_onnx("LessOrEqual", 12)},
    {Operator::Greater, "greater", POET_KERNEL(poet_greater_forward_f32),
     POET_KERNEL(poet_greater_forward_i64), plain_in_onnx("Greater", 1)},
    {Operator::GreaterOrEqual, "greater_or_equal", POET_KERNEL(poet_greater_or_equal_forward_f32),
     POET_KERNEL(poet_greater_or_equal_forward_i64), plain_in_onnx("GreaterOrEqual", 12)},
};

OutputTypes mask_of_both(const OperationTypes& types) {
  if (Failure failure = require_rank(types.inputs[0], "the first input")) return *failure;
  if (Failure failure = require_rank(types.inputs[1], "the second input")) return *failure;
  Result<Shape> shape = broadcast_shape(types.inputs[0].shape, types.inputs[1].shape);
  if (!shape.ok()) return shape.error();
  return std::vector<TensorType>{{ElementType::Bool, std::move(*shape)}};
}

OutputTypes comparison_type(const OperationTypes& types) {
  const TensorType& a = types.inputs[0];
  if (Failure failure = require_no_attributes(types)) return *failure;
  if (a.element != ElementType::Float32 && a.element != ElementType::Int64)
    return bad_input("compares float32 or int64 values, not " + to_text(a));
  if (Failure failure = require_element(types.inputs[1], a.element, "the second input"))
    return *failure;
  return mask_of_both(types);
}

OutputTypes logic_type(const OperationTypes& types) {
  if (Failure failure = require_no_attributes(types)) return *failure;
  if (Failure failure = require_element(types.inputs[0], ElementType::Bool, "the first input"))
    return *failure;
  if (Failure failure = require_element(types.inputs[1], ElementType::Bool, "the second input"))
    return *failure;
  return mask_of_both(types);
}

OutputTypes not_type(const OperationTypes& types) {
  if (Failure failure = require_no_attributes(types)) return *failure;
  if (Failure failure = require_element(types.inputs[0], ElementType::Bool, "the input"))
    return *failure;
  return std::vector<TensorType>{types.inputs[0]};
}

OutputTypes where_type(const OperationTypes& types) {
  constexpr std::string_view kNames[] = {"the condition", "the second input", "the third input"};
  if (Failure failure = require_no_attributes(types)) return *failure;
  for (std::size_t i = 0; i < 3; ++i) {
    const ElementType wanted = i == 0 ? ElementType::Bool : ElementType::Float32;
    if (Failure failure = require_element(types.inputs[i], wanted, kNames[i])) return *failure;
    if (Failure failure = require_rank(types.inputs[i], kNames[i])) return *failure;
  }
  const Result<Shape> of_values = broadcast_shape(types.inputs[1].shape, types.inputs[2].shape);
  if (!of_values.ok()) return of_values.error();
  Result<Shape> shape = broadcast_shape(types.inputs[0].shape, *of_values);
  if (!shape.ok()) return shape.error();
  return std::vector<TensorType>{{ElementType::Float32, std::move(*shape)}};
}

// One comparison or operation of logic for each value of the output.
std::int64_t flop(const OperationTypes& types) {
  return value_count(types.outputs[0].shape);
}

BroadcastGradient where_shapes(const OperationTypes& types) {
  return {
      .dy = types.inputs[0].shape, .operand = types.outputs[0].shape, .a = types.inputs[1].shape};
}

// One addition for each value that is summed.
std::int64_t where_gradient_flop(const OperationTypes& types) {
  return sums(where_shapes(types)) ? value_count(types.inputs[0].shape) : 0;
}

std::vector<KernelWord> pair_words(const OperationTypes& types) {
  return broadcast_words(types.outputs[0].shape, types.inputs[0].shape, types.inputs[1].shape);
}

KernelCall comparison_call(const OperationTypes& types) {
  for (const Comparison& row : kComparisons)
    if (row.id == types.kind)
      return {
          .function = types.inputs[0].element == ElementType::Int64 ? row.of_int64 : row.of_float,
          .shape = pair_words(types),
          .inputs = {0, 1},
          .outputs = {0}};
  check_failed("every comparison has a row", __FILE__, __LINE__);
}

KernelCall logic_call(const OperationTypes& types) {
  return {.function = types.kind == Operator::And ? POET_KERNEL(poet_and_forward_u8)
                                                  : POET_KERNEL(poet_or_forward_u8),
          .shape = pair_words(types),
          .inputs = {0, 1},
          .outputs = {0}};
}

KernelCall not_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_not_forward_u8),
          .shape = KernelWords().integer("count", value_count(types.inputs[0].shape)).take(),
          .inputs = {0},
          .outputs = {0}};
}

KernelCall where_call(const OperationTypes& types) {
  const Shape& y = types.outputs[0].shape;
  StridedWalk walk{.extents = y, .strides = {}};
  for (const TensorType& input : types.inputs)
    walk.strides.push_back(broadcast_strides(input.shape, y));
  walk = merged_not_empty(walk);
  return {.function = POET_KERNEL(poet_where_forward_f32),
          .shape = KernelWords()
                       .integer("rank", static_cast<std::int64_t>(walk.extents.size()))
                       .array("extents", walk.extents, 1)
                       .array("condition_strides", walk.strides[0], 0)
                       .array("a_strides", walk.strides[1], 0)
                       .array("b_strides", walk.strides[2], 0)
                       .take(),
          .inputs = {0, 1, 2},
          .outputs = {0}};
}

KernelCall where_gradient_call(const OperationTypes& types) {
  return {.function = types.kind == Operator::WhereTrueGradient
                          ? POET_KERNEL(poet_where_a_gradient_f32)
                          : POET_KERNEL(poet_where_b_gradient_f32),
          .shape = broadcast_gradient_words(where_shapes(types)),
          .inputs = {0, 1},
          .outputs = {0}};
}

// Both read the output's gradient and the condition.
std::vector<GradientPart> where_gradient(const OperationTypes&) {
  const std::vector<GradientOperand> operands = {OutputGradient{0}, ForwardInput{0}};
  return {{.kind = Operator::WhereTrueGradient, .operands = operands, .of_inputs = {1}},
          {.kind = Operator::WhereFalseGradient, .operands = operands, .of_inputs = {2}}};
}

OperatorEntry logic_row(Operator id, std::string_view name, OnnxName onnx) {
  return {.id = id,
          .name = name,
          .least_inputs = 2,
          .most_inputs = 2,
          .roles = kPlainInputs,
          .output_types = logic_type,
          .flop = flop,
          .gradient = nullptr,
          .kernel = logic_call,
          .divides = nullptr,
          .parts = InParts{broadcast_axes},
          .domain = kAnyNumbers,
          .onnx = onnx,
          .in_place = {{0, 0}, {1, 0}}};
}

OperatorEntry where_gradient_row(Operator id, std::string_view name) {
  return {.id = id,
          .name = name,
          .least_inputs = 2,
          .most_inputs = 2,
          .roles = kPlainInputs,
          .output_types = nullptr,
          .flop = where_gradient_flop,
          .gradient = nullptr,
          .kernel = where_gradient_call,
          .divides = nullptr,
          .parts = InParts{operand_gradient_axes},
          .domain = kAnyNumbers,
          .onnx = kNotInOnnx,
          .in_place = {{0, 0}}};
}

}  // namespace

std::vector<OperatorEntry> compare_operators() {
  std::vector<OperatorEntry> rows;
  for (const Comparison& row : kComparisons)
    rows.push_back({.id = row.id,
                    .name = row.name,
                    .least_inputs = 2,
                    .most_inputs = 2,
                    .roles = kPlainInputs,
                    .output_types = comparison_type,
                    .flop = flop,
                    .gradient = nullptr,
                    .kernel = comparison_call,
                    .divides = nullptr,
                    .parts = InParts{broadcast_axes},
                    .domain = kAnyNumbers,
                    .onnx = row.onnx});
  rows.push_back({.id = Operator::Not,
                  .name = "not",
                  .least_inputs = 1,
                  .most_inputs = 1,
                  .roles = kPlainInputs,
                  .output_types = not_type,
                  .flop = flop,
                  .gradient = nullptr,
                  .kernel = not_call,
                  .divides = nullptr,
                  .parts = InParts{broadcast_axes},
                  .domain = kAnyNumbers,
                  .onnx = plain_in_onnx("Not", 1),
                  .in_place = {{0, 0}}});
  rows.push_back(logic_row(Operator::And, "and", plain_in_onnx("And", 1)));
  rows.push_back(logic_row(Operator::Or, "or", plain_in_onnx("Or", 1)));
  rows.push_back({.id = Operator::Where,
                  .name = "where",
                  .least_inputs = 3,
                  .most_inputs = 3,
                  .roles = kPlainInputs,
                  .output_types = where_type,
                  .flop = no_flop,
                  .gradient = where_gradient,
                  .kernel = where_call,
                  .divides = nullptr,
                  .parts = InParts{broadcast_axes},
                  .domain = kAnyNumbers,
                  .onnx = plain_in_onnx("Where", 9),
                  .in_place = {{1, 0}, {2, 0}}});
  rows.push_back(where_gradient_row(Operator::WhereTrueGradient, "where_true_gradient"));
  rows.push_back(where_gradient_row(Operator::WhereFalseGradient, "where_false_gradient"));
  return rows;
}

}  // namespace poet
