#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/graph/operators/strided_walk.h"
#include "poet/runtime/broadcast.h"
#include "poet/runtime/broadcast_sum.h"

// Functions of two tensors whose shapes are broadcast. The gradient by an operand is summed over
// the dimensions along which the operand was repeated, without a tensor of the output's size.
//
// Add's gradient by an operand of the output's shape is the output's gradient itself. It is given
// as a BroadcastSum all the same; whoever differentiates passes the gradient on where the kind is
// BroadcastSum, alpha is 1 and the operand has the output's shape.

namespace poet {
namespace {

// FLOP: additions, multiplications, divisions, comparisons and powers count 1 each for each value
// of the output. A sum of k values in a gradient counts k.
struct Pair {
  Operator id{};
  std::string_view name;
  Kernel function;
  OnnxName onnx;
  InputDomain domain = kAnyNumbers;
  InputRoles roles = kPlainInputs;
};

// Places that a network calculates are calculated with, too. They have no gradients.
struct WholePair {
  Operator id{};
  Kernel function;
};

constexpr WholePair kWholePairs[] = {{Operator::Add, POET_KERNEL(poet_add_forward_i64)},
                                     {Operator::Sub, POET_KERNEL(poet_sub_forward_i64)},
                                     {Operator::Mul, POET_KERNEL(poet_mul_forward_i64)}};

constexpr Pair kPairs[] = {
    {Operator::Add,
     "add",
     POET_KERNEL(poet_add_forward_f32),
     plain_in_onnx("Add", 1),
     kAnyNumbers,
     {InputRole::Addend, InputRole::Addend}},
    {Operator::Sub, "sub", POET_KERNEL(poet_sub_forward_f32), plain_in_onnx("Sub", 1)},
    {Operator::Mul, "mul", POET_KERNEL(poet_mul_forward_f32), plain_in_onnx("Mul", 1)},
    {Operator::Div, "div", POET_KERNEL(poet_div_forward_f32), plain_in_onnx("Div", 1)},
    {Operator::Pow, "pow", POET_KERNEL(poet_pow_forward_f32), plain_in_onnx("Pow", 1),
     kPositiveNumbers},
    {Operator::Max, "max", POET_KERNEL(poet_max_forward_f32), plain_in_onnx("Max", 1)},
    {Operator::Min, "min", POET_KERNEL(poet_min_forward_f32), plain_in_onnx("Min", 1)},
};

enum class Reads { OnlyB, Both };

// A gradient by one operand; its inputs are dy, and then a and b as the kernel calls them.
struct PairGradient {
  Operator id{};
  std::string_view name;
  Kernel function;
  Reads reads{};
  std::int64_t flop_per_value = 0;  // of dy; sums not counted
  InputDomain domain = kAnyNumbers;
};

constexpr PairGradient kGradients[] = {
    {Operator::MulGradient, "mul_gradient", POET_KERNEL(poet_mul_gradient_f32), Reads::OnlyB, 1},
    {Operator::DivNumeratorGradient, "div_numerator_gradient", POET_KERNEL(poet_div_a_gradient_f32),
     Reads::OnlyB, 1},
    {Operator::DivDenominatorGradient, "div_denominator_gradient",
     POET_KERNEL(poet_div_b_gradient_f32), Reads::Both, 4},
    {Operator::PowBaseGradient, "pow_base_gradient", POET_KERNEL(poet_pow_a_gradient_f32),
     Reads::Both, 5, kPositiveNumbers},
    {Operator::PowExponentGradient, "pow_exponent_gradient", POET_KERNEL(poet_pow_b_gradient_f32),
     Reads::Both, 6, kPositiveNumbers},
    {Operator::MaxGradient, "max_gradient", POET_KERNEL(poet_max_gradient_f32), Reads::Both, 3},
    {Operator::MinGradient, "min_gradient", POET_KERNEL(poet_min_gradient_f32), Reads::Both, 3},
};

template <typename Row, std::size_t N>
const Row& row_of(const Row (&rows)[N], Operator id) {
  for (const Row& row : rows)
    if (row.id == id) return row;
  check_failed("every operator of two tensors has a row", __FILE__, __LINE__);
}

bool takes_whole_numbers(Operator id) {
  return std::any_of(std::begin(kWholePairs), std::end(kWholePairs),
                     [id](const WholePair& row) { return row.id == id; });
}

OutputTypes pair_type(const OperationTypes& types) {
  const TensorType& a = types.inputs[0];
  const TensorType& b = types.inputs[1];
  if (Failure failure = require_no_attributes(types)) return *failure;
  const bool whole = a.element == ElementType::Int64 && takes_whole_numbers(types.kind);
  const ElementType element = whole ? ElementType::Int64 : ElementType::Float32;
  if (Failure failure = require_element(a, element, "the first input")) return *failure;
  if (Failure failure = require_element(b, element, "the second input")) return *failure;
  if (Failure failure = require_rank(a, "the first input")) return *failure;
  if (Failure failure = require_rank(b, "the second input")) return *failure;
  Result<Shape> shape = broadcast_shape(a.shape, b.shape);
  if (!shape.ok()) return shape.error();
  return std::vector<TensorType>{{element, std::move(*shape)}};
}

std::int64_t pair_flop(const OperationTypes& types) {
  return value_count(types.outputs[0].shape);
}

KernelCall pair_call(const OperationTypes& types) {
  const bool whole = types.inputs[0].element == ElementType::Int64;
  return {.function = whole ? row_of(kWholePairs, types.kind).function
                            : row_of(kPairs, types.kind).function,
          .shape =
              broadcast_words(types.outputs[0].shape, types.inputs[0].shape, types.inputs[1].shape),
          .inputs = {0, 1},
          .outputs = {0}};
}

// What the kernel of a gradient is told of shapes.
BroadcastGradient pair_shapes(const OperationTypes& types) {
  BroadcastGradient shapes{.dy = types.inputs[0].shape, .operand = types.outputs[0].shape};
  if (row_of(kGradients, types.kind).reads == Reads::Both) shapes.a = types.inputs[1].shape;
  shapes.b = types.inputs.back().shape;
  return shapes;
}

std::int64_t pair_gradient_flop(const OperationTypes& types) {
  const std::int64_t sum = sums(pair_shapes(types)) ? 1 : 0;
  return (row_of(kGradients, types.kind).flop_per_value + sum) * value_count(types.inputs[0].shape);
}

KernelCall pair_gradient_call(const OperationTypes& types) {
  const PairGradient& row = row_of(kGradients, types.kind);
  KernelCall call{.function = row.function,
                  .shape = broadcast_gradient_words(pair_shapes(types)),
                  .inputs = {0, 1},
                  .outputs = {0}};
  if (row.reads == Reads::Both) call.inputs.emplace_back(2);
  return call;
}

GradientPart sum_part(int operand, float alpha) {
  return {.kind = Operator::BroadcastSum,
          .attributes = ScalarAttributes{.alpha = alpha},
          .operands = {OutputGradient{0}},
          .of_inputs = {operand}};
}

GradientPart part(Operator kind, std::vector<GradientOperand> operands, int operand) {
  return {.kind = kind, .operands = std::move(operands), .of_inputs = {operand}};
}

std::vector<GradientPart> gradient(const OperationTypes& types) {
  const GradientOperand dy = OutputGradient{0};
  const GradientOperand a = ForwardInput{0};
  const GradientOperand b = ForwardInput{1};
  switch (types.kind) {
    case Operator::Add:
      return {sum_part(0, 1), sum_part(1, 1)};
    case Operator::Sub:
      return {sum_part(0, 1), sum_part(1, -1)};
    case Operator::Mul:
      return {part(Operator::MulGradient, {dy, b}, 0), part(Operator::MulGradient, {dy, a}, 1)};
    case Operator::Div:
      return {part(Operator::DivNumeratorGradient, {dy, b}, 0),
              part(Operator::DivDenominatorGradient, {dy, a, b}, 1)};
    case Operator::Pow:
      return {part(Operator::PowBaseGradient, {dy, a, b}, 0),
              part(Operator::PowExponentGradient, {dy, a, b}, 1)};
    case Operator::Max:
      return {part(Operator::MaxGradient, {dy, a, b}, 0),
              part(Operator::MaxGradient, {dy, b, a}, 1)};
    case Operator::Min:
      return {part(Operator::MinGradient, {dy, a, b}, 0),
              part(Operator::MinGradient, {dy, b, a}, 1)};
    default:
      check_failed("every operator of two tensors has a gradient", __FILE__, __LINE__);
  }
}

float factor_of(const OperationTypes& types) {
  return std::get<ScalarAttributes>(types.attributes).alpha;
}

BroadcastGradient sum_shapes(const OperationTypes& types) {
  return {.dy = types.inputs[0].shape, .operand = types.outputs[0].shape};
}

// One addition for each value that is summed, one multiplication or change of sign for each that
// comes out.
std::int64_t sum_flop(const OperationTypes& types) {
  const std::int64_t additions = sums(sum_shapes(types)) ? value_count(types.inputs[0].shape) : 0;
  const std::int64_t products = factor_of(types) == 1 ? 0 : value_count(types.outputs[0].shape);
  return additions + products;
}

KernelCall sum_call(const OperationTypes& types) {
  const BroadcastGradient shapes = sum_shapes(types);
  const float alpha = factor_of(types);
  KernelCall call{
      .function = POET_KERNEL(poet_broadcast_sum_forward_f32), .inputs = {0}, .outputs = {0}};
  if (alpha == 1) call.function = POET_KERNEL(poet_add_gradient_f32);
  if (alpha == -1) call.function = POET_KERNEL(poet_sub_b_gradient_f32);
  call.shape = alpha == 1 || alpha == -1 ? broadcast_gradient_words(shapes)
                                         : broadcast_sum_words(shapes, alpha);
  return call;
}

// --- The sum in parts: dy, and the sum that is continued

OperationTypes sum_alone(const OperationTypes& types) {
  return {.kind = Operator::BroadcastSum,
          .attributes = types.attributes,
          .inputs = {types.inputs[0]},
          .outputs = {types.inputs[1]}};
}

OutputTypes continued_sum_type(const OperationTypes& types) {
  if (!std::holds_alternative<ScalarAttributes>(types.attributes))
    return wrong_attributes("factor");
  for (const TensorType& input : types.inputs) {
    if (Failure failure = require_element(input, ElementType::Float32, "every input"))
      return *failure;
    if (Failure failure = require_rank(input, "an input")) return *failure;
  }
  const Shape& dy = types.inputs[0].shape;
  const Shape& sum = types.inputs[1].shape;
  const Result<Shape> both = broadcast_shape(sum, dy);
  if (!both.ok() || *both != dy)
    return bad_input(fmt::format("{} cannot be summed to {}", to_text(dy), to_text(sum)));
  return std::vector<TensorType>{types.inputs[1]};
}

std::int64_t continued_sum_flop(const OperationTypes& types) {
  const std::int64_t additions = value_count(types.inputs[0].shape);
  const float alpha = factor_of(types);
  return additions + (alpha == 1 || alpha == -1 ? 0 : value_count(types.inputs[1].shape));
}

KernelCall continued_sum_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_broadcast_sum_continued_f32),
          .shape = broadcast_sum_words(sum_shapes(sum_alone(types)), factor_of(types)),
          .inputs = {0, 1},
          .outputs = {0}};
}

// Along the first dimension of the output.
Division along_output(const KernelCall& call) {
  const bool whole =
      std::any_of(std::begin(kWholePairs), std::end(kWholePairs),
                  [&call](const WholePair& row) { return row.function == call.function; });
  const std::int64_t bytes = byte_size(whole ? ElementType::Int64 : ElementType::Float32);
  const std::int64_t rank = whole_in(call, "rank");
  return {.along = "extents[0]",
          .input_steps_bytes = {bytes * whole_in(call, "a_strides[0]"),
                                bytes * whole_in(call, "b_strides[0]")},
          .output_steps_bytes = {bytes * product_in(call, "extents", 1, rank)}};
}

// Of dy alone: places of the operand are summed each by itself.
Division along_operand(const KernelCall& call) {
  const std::int64_t kept_rank = whole_in(call, "kept_rank");
  if (kept_rank == 0) return {};
  return {.along = "kept_extents[0]",
          .repeats = product_in(call, "summed_extents", 0, whole_in(call, "summed_rank")),
          .input_steps_bytes = {kFloatBytes * whole_in(call, "dy_kept_strides[0]")},
          .output_steps_bytes = {kFloatBytes * product_in(call, "kept_extents", 1, kept_rank)}};
}

}  // namespace

std::vector<OperatorEntry> broadcast_operators() {
  std::vector<OperatorEntry> rows;
  for (const Pair& row : kPairs)
    rows.push_back({.id = row.id,
                    .name = row.name,
                    .least_inputs = 2,
                    .most_inputs = 2,
                    .roles = row.roles,
                    .output_types = pair_type,
                    .flop = pair_flop,
                    .gradient = gradient,
                    .kernel = pair_call,
                    .divides = along_output,
                    .parts = InParts{broadcast_axes},
                    .domain = row.domain,
                    .onnx = row.onnx,
                    .in_place = {{0, 0}, {1, 0}}});
  // Only dy may be written over: another input of the gradient's size may be laid out otherwise.
  for (const PairGradient& row : kGradients) {
    const int inputs = row.reads == Reads::Both ? 3 : 2;
    rows.push_back({.id = row.id,
                    .name = row.name,
                    .least_inputs = inputs,
                    .most_inputs = inputs,
                    .roles = kPlainInputs,
                    .output_types = nullptr,
                    .flop = pair_gradient_flop,
                    .gradient = nullptr,
                    .kernel = pair_gradient_call,
                    .divides = nullptr,
                    .parts = InParts{operand_gradient_axes},
                    .domain = row.domain,
                    .onnx = kNotInOnnx,
                    .in_place = {{0, 0}}});
  }
  rows.push_back({.id = Operator::BroadcastSum,
                  .name = "broadcast_sum",
                  .least_inputs = 1,
                  .most_inputs = 1,
                  .roles = kPlainInputs,
                  .output_types = nullptr,
                  .flop = sum_flop,
                  .gradient = nullptr,
                  .kernel = sum_call,
                  .divides = along_operand,
                  .parts = InParts{broadcast_sum_axes, Operator::BroadcastSumContinued},
                  .domain = kAnyNumbers,
                  .onnx = kNotInOnnx,
                  .in_place = {{0, 0}}});
  rows.push_back({.id = Operator::BroadcastSumContinued,
                  .name = "broadcast_sum_continued",
                  .least_inputs = 2,
                  .most_inputs = 2,
                  .roles = kPlainInputs,
                  .output_types = continued_sum_type,
                  .flop = continued_sum_flop,
                  .gradient = nullptr,
                  .kernel = continued_sum_call,
                  .divides = nullptr,
                  .parts = kDoneWhole,
                  .domain = kAnyNumbers,
                  .onnx = kNotInOnnx,
                  .in_place = {{1, 0}}});
  return rows;
}

}  // namespace poet
