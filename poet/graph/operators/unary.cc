#include <fmt/format.h>

#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/runtime/unary.h"

// What is done to every value by itself. A gradient reads the output where that is enough, and the
// input otherwise; what it does not read need not be kept.

namespace poet {
namespace {

enum class Reads { Nothing, Output, Input };

// One operator and its gradient.
struct Unary {
  Operator id{};
  Operator gradient{};
  std::string_view name;
  std::string_view gradient_name;
  Kernel forward_function;
  Kernel gradient_function;
  Reads gradient_reads{};
  std::int64_t flop_per_value = 1;
  std::int64_t gradient_flop_per_value = 1;
  InputDomain domain;  // of both
  OnnxName onnx;
};

#define POET_UNARY(Id, name, reads, flop, gradient_flop, domain, onnx)                   \
  {                                                                                      \
    Operator::Id, Operator::Id##Gradient, #name, #name "_gradient",                      \
        POET_KERNEL(poet_##name##_forward_f32), POET_KERNEL(poet_##name##_gradient_f32), \
        Reads::reads, flop, gradient_flop, domain, onnx                                  \
  }

// FLOP as the kernel does them, where it takes the longest way (tests/operator_flop_test.cc counts
// them): comparisons, additions, multiplications and divisions count 1 each, and so does each call
// of an exponential, logarithm, root or function of an angle or of errors; a sigmoid counts 3. A
// change of sign counts 1 where nothing else is done.
constexpr Unary kUnary[] = {
    POET_UNARY(Relu, relu, Output, 1, 1, kAnyNumbers, plain_in_onnx("Relu", 1)),
    POET_UNARY(LeakyRelu, leaky_relu, Input, 2, 2, kAnyNumbers, special_in_onnx("LeakyRelu", 1)),
    POET_UNARY(Clip, clip, Input, 2, 2, kAnyNumbers, special_in_onnx("Clip", 1)),
    POET_UNARY(Sigmoid, sigmoid, Output, 3, 3, kAnyNumbers, plain_in_onnx("Sigmoid", 1)),
    POET_UNARY(Tanh, tanh, Output, 1, 3, kAnyNumbers, plain_in_onnx("Tanh", 1)),
    POET_UNARY(GeluErf, gelu_erf, Input, 5, 11, kAnyNumbers, special_in_onnx("Gelu", 20)),
    POET_UNARY(GeluTanh, gelu_tanh, Input, 9, 19, kAnyNumbers, special_in_onnx("Gelu", 20)),
    POET_UNARY(Erf, erf, Input, 1, 4, kAnyNumbers, plain_in_onnx("Erf", 9)),
    POET_UNARY(Exp, exp, Output, 1, 1, kAnyNumbers, plain_in_onnx("Exp", 1)),
    POET_UNARY(Log, log, Input, 1, 1, kPositiveNumbers, plain_in_onnx("Log", 1)),
    POET_UNARY(Sqrt, sqrt, Output, 1, 2, kPositiveNumbers, plain_in_onnx("Sqrt", 1)),
    POET_UNARY(Reciprocal, reciprocal, Output, 1, 2, kAnyNumbers, plain_in_onnx("Reciprocal", 1)),
    POET_UNARY(Neg, neg, Nothing, 1, 1, kAnyNumbers, plain_in_onnx("Neg", 1)),
    POET_UNARY(Abs, abs, Input, 1, 2, kAnyNumbers, plain_in_onnx("Abs", 1)),
    POET_UNARY(Sin, sin, Input, 1, 2, kAnyNumbers, plain_in_onnx("Sin", 7)),
    POET_UNARY(Cos, cos, Input, 1, 2, kAnyNumbers, plain_in_onnx("Cos", 7)),
    POET_UNARY(Softplus, softplus, Input, 4, 4, kAnyNumbers, plain_in_onnx("Softplus", 1)),
    POET_UNARY(Elu, elu, Input, 3, 4, kAnyNumbers, special_in_onnx("Elu", 1)),
    POET_UNARY(HardSigmoid, hard_sigmoid, Input, 4, 5, kAnyNumbers,
               special_in_onnx("HardSigmoid", 1)),
    POET_UNARY(HardSwish, hard_swish, Input, 5, 7, kAnyNumbers, special_in_onnx("HardSwish", 14)),
    POET_UNARY(Silu, silu, Input, 4, 8, kAnyNumbers, special_in_onnx("Swish", 24)),
    POET_UNARY(Asinh, asinh, Input, 9, 4, kAnyNumbers, plain_in_onnx("Asinh", 9)),
};

#undef POET_UNARY

// What is flat but for its steps: as in PyTorch, the gradient is 0 everywhere, so none is passed
// on.
struct Steps {
  Operator id{};
  std::string_view name;
  Kernel function;
  std::int64_t flop_per_value;
  OnnxName onnx;
};

constexpr Steps kSteps[] = {
    {Operator::Round, "round", POET_KERNEL(poet_round_forward_f32), 4, plain_in_onnx("Round", 11)},
    {Operator::Floor, "floor", POET_KERNEL(poet_floor_forward_f32), 3, plain_in_onnx("Floor", 1)},
    {Operator::Ceil, "ceil", POET_KERNEL(poet_ceil_forward_f32), 3, plain_in_onnx("Ceil", 1)},
    {Operator::Sign, "sign", POET_KERNEL(poet_sign_forward_f32), 2, plain_in_onnx("Sign", 9)},
};

const Steps& steps_of(Operator id) {
  for (const Steps& row : kSteps)
    if (row.id == id) return row;
  check_failed("every function with steps has a row", __FILE__, __LINE__);
}

const Unary& row_of(Operator id) {
  for (const Unary& row : kUnary)
    if (row.id == id || row.gradient == id) return row;
  check_failed("every unary operator has a row", __FILE__, __LINE__);
}

Result<std::vector<TensorType>> same_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  if (x.element != ElementType::Float32)
    return bad_input(fmt::format("takes float32 values, not {}", to_text(x)));
  return std::vector<TensorType>{x};
}

std::int64_t flop(const OperationTypes& types) {
  return row_of(types.kind).flop_per_value * value_count(types.inputs[0].shape);
}

std::int64_t gradient_flop(const OperationTypes& types) {
  return row_of(types.kind).gradient_flop_per_value * value_count(types.inputs[0].shape);
}

std::vector<GradientOperand> operands_of(Reads reads) {
  switch (reads) {
    case Reads::Nothing:
      return {OutputGradient{0}};
    case Reads::Output:
      return {ForwardOutput{0}, OutputGradient{0}};
    case Reads::Input:
      return {ForwardInput{0}, OutputGradient{0}};
  }
  check_failed("every gradient reads something", __FILE__, __LINE__);
}

std::vector<GradientPart> gradient(const OperationTypes& types) {
  const Unary& row = row_of(types.kind);
  return {{.kind = row.gradient,
           .attributes = types.attributes,
           .operands = operands_of(row.gradient_reads),
           .of_inputs = {0}}};
}

std::vector<KernelWord> shape_words(const OperationTypes& types) {
  ScalarAttributes scalars;
  if (const auto* const given = std::get_if<ScalarAttributes>(&types.attributes)) scalars = *given;
  const auto count = static_cast<std::int32_t>(value_count(types.inputs[0].shape));
  return {{"count", count}, {"alpha", scalars.alpha}, {"beta", scalars.beta}};
}

KernelCall forward_call(const OperationTypes& types) {
  return {.function = row_of(types.kind).forward_function,
          .shape = shape_words(types),
          .inputs = {0},
          .outputs = {0}};
}

std::int64_t steps_flop(const OperationTypes& types) {
  return steps_of(types.kind).flop_per_value * value_count(types.inputs[0].shape);
}

KernelCall steps_call(const OperationTypes& types) {
  return {.function = steps_of(types.kind).function,
          .shape = shape_words(types),
          .inputs = {0},
          .outputs = {0}};
}

KernelCall gradient_call(const OperationTypes& types) {
  const Unary& row = row_of(types.kind);
  KernelCall call{.function = row.gradient_function,
                  .shape = shape_words(types),
                  .inputs = {0},
                  .outputs = {0}};
  if (row.gradient_reads != Reads::Nothing) call.inputs.emplace_back(1);
  return call;
}

}  // namespace

std::vector<OperatorEntry> unary_operators() {
  std::vector<OperatorEntry> rows;
  for (const Unary& row : kUnary) {
    rows.push_back({.id = row.id,
                    .name = row.name,
                    .least_inputs = 1,
                    .most_inputs = 1,
                    .roles = kPlainInputs,
                    .output_types = same_type,
                    .flop = flop,
                    .gradient = gradient,
                    .kernel = forward_call,
                    .divides = along_values<>,
                    .parts = InParts{pointwise_axes},
                    .domain = row.domain,
                    .onnx = row.onnx,
                    .in_place = {{0, 0}}});
    const int read = static_cast<int>(operands_of(row.gradient_reads).size());
    rows.push_back({.id = row.gradient,
                    .name = row.gradient_name,
                    .least_inputs = read,
                    .most_inputs = read,
                    .roles = kPlainInputs,
                    .output_types = nullptr,
                    .flop = gradient_flop,
                    .gradient = nullptr,
                    .kernel = gradient_call,
                    .divides = along_values<>,
                    .parts = InParts{pointwise_axes},
                    .domain = row.domain,
                    .onnx = kNotInOnnx,
                    .in_place = {{read - 1, 0}}});
  }
  for (const Steps& row : kSteps)
    rows.push_back({.id = row.id,
                    .name = row.name,
                    .least_inputs = 1,
                    .most_inputs = 1,
                    .roles = kPlainInputs,
                    .output_types = same_type,
                    .flop = steps_flop,
                    .gradient = nullptr,
                    .kernel = steps_call,
                    .divides = along_values<>,
                    .parts = InParts{pointwise_axes},
                    .domain = kAnyNumbers,
                    .onnx = row.onnx,
                    .in_place = {{0, 0}}});
  return rows;
}

}  // namespace poet
