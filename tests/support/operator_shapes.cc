#include "support/operator_shapes.h"

#include <utility>

#include "poet/base/check.h"
#include "poet/cost/operation_key.h"
#include "support/operator_cases.h"

namespace poet::testing {
namespace {

using Operations = std::vector<OperationTypes>;

TensorType f32(const Shape& shape) {
  return {ElementType::Float32, shape};
}

// With its outputs, and followed by every part of its gradient.
void add_with_gradient(Operations& all, OperationTypes forward) {
  forward.outputs = *entry_of(forward.kind).output_types(forward);
  if (entry_of(forward.kind).gradient != nullptr)
    for (const GradientPart& part : entry_of(forward.kind).gradient(forward)) {
      OperationTypes gradient{.kind = part.kind, .attributes = part.attributes};
      for (const GradientOperand& operand : part.operands) {
        if (const auto* const input = std::get_if<ForwardInput>(&operand))
          gradient.inputs.push_back(forward.inputs[static_cast<std::size_t>(input->input)]);
        else if (const auto* const output = std::get_if<ForwardOutput>(&operand))
          gradient.inputs.push_back(forward.outputs[static_cast<std::size_t>(output->output)]);
        else
          gradient.inputs.push_back(
              forward.outputs[static_cast<std::size_t>(std::get<OutputGradient>(operand).output)]);
      }
      for (const int input : part.of_inputs)
        gradient.outputs.push_back(forward.inputs[static_cast<std::size_t>(input)]);
      all.push_back(std::move(gradient));
    }
  all.push_back(std::move(forward));
}

void add_cases(Operations& all) {
  for (const OperatorCase& one : operator_cases()) {
    const Graph graph = graph_of(one).graph;
    for (const GraphOperation& operation : graph.operations)
      if (!entry_of(operation.kind).view) all.push_back(types_of(graph, operation));
  }
}

struct ConvShape {
  Shape x;
  Shape weights;
  std::int64_t stride = 1;
  std::int64_t padding_begin = 0;
  std::int64_t padding_end = 0;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
};

WindowAttributes window_of(const ConvShape& conv) {
  const Shape kernel(conv.weights.begin() + 2, conv.weights.end());
  const auto everywhere = [&kernel](std::int64_t value) {
    return std::vector<std::int64_t>(kernel.size(), value);
  };
  return {.kernel = kernel,
          .stride = everywhere(conv.stride),
          .padding_begin = everywhere(conv.padding_begin),
          .padding_end = everywhere(conv.padding_end),
          .dilation = everywhere(conv.dilation),
          .groups = conv.groups};
}

void add_convolutions(Operations& all) {
  const ConvShape shapes[] = {
      {{2, 3, 9, 9}, {16, 3, 3, 3}, 1, 1, 1},
      {{2, 16, 8, 8}, {32, 16, 3, 3}, 1, 1, 1},
      {{3, 16, 7, 7}, {16, 16, 3, 3}, 2, 1, 1},
      {{1, 17, 5, 6}, {19, 17, 3, 3}, 1, 0, 1},
      {{2, 16, 9, 9}, {16, 16, 3, 3}, 1, 2, 2, 2},
      {{2, 32, 8, 8}, {32, 1, 3, 3}, 1, 1, 1, 1, 32},
      {{2, 24, 8, 8}, {12, 6, 3, 3}, 2, 1, 0, 1, 4},
      {{4, 32, 8, 8}, {64, 32, 1, 1}, 2},
      {{1, 8, 40}, {12, 8, 5}, 3, 2, 2},
      {{1, 8, 5, 6, 7}, {16, 8, 3, 3, 3}, 1, 1, 1},
      {{2, 3, 32, 32}, {64, 3, 7, 7}, 2, 3, 3},
      {{8, 64, 32, 32}, {64, 64, 3, 3}, 1, 1, 1},
  };
  for (const ConvShape& shape : shapes) {
    add_with_gradient(all, {.kind = Operator::Conv,
                            .attributes = window_of(shape),
                            .inputs = {f32(shape.x), f32(shape.weights)}});
    add_with_gradient(all, {.kind = Operator::Conv,
                            .attributes = window_of(shape),
                            .inputs = {f32(shape.x), f32(shape.weights), f32({shape.weights[0]})}});
  }
  const ConvShape transposed[] = {{{2, 16, 5, 5}, {16, 8, 3, 3}, 2, 1, 0},
                                  {{1, 8, 6, 4}, {8, 16, 2, 2}, 2}};
  for (const ConvShape& shape : transposed)
    add_with_gradient(all, {.kind = Operator::ConvTranspose,
                            .attributes = window_of(shape),
                            .inputs = {f32(shape.x), f32(shape.weights), f32({shape.weights[1]})}});
}

void add_products(Operations& all) {
  const auto add = [&all](const MatMulAttributes& how, std::vector<TensorType> inputs) {
    add_with_gradient(all,
                      {.kind = Operator::MatMul, .attributes = how, .inputs = std::move(inputs)});
  };
  add({}, {f32({33, 65}), f32({65, 17})});
  add({.transpose_b = true}, {f32({8, 16, 48}), f32({96, 48}), f32({96})});
  add({.transpose_a = true}, {f32({40, 30}), f32({40, 20})});
  add({.transpose_a = true, .transpose_b = true}, {f32({40, 30}), f32({20, 40}), f32({30, 20})});
  add({.transpose_b = true, .alpha = 0.125F}, {f32({2, 3, 32, 16}), f32({2, 3, 32, 16})});
  add({}, {f32({2, 3, 32, 32}), f32({2, 3, 32, 16})});
  add({}, {f32({2, 1, 9, 8}), f32({3, 8, 7})});
  add({.alpha = 2, .beta = 0.5F}, {f32({5, 6}), f32({6, 7}), f32({7})});
  add({}, {f32({6, 5}), f32({5, 4}), f32({6, 1})});
  add({}, {f32({1, 300}), f32({300, 200})});
}

void add_norms(Operations& all) {
  for (const Shape& x : {Shape{4, 16, 9, 9}, Shape{2, 3, 5, 5}})
    add_with_gradient(all, {.kind = Operator::BatchNorm,
                            .attributes = NormAttributes{},
                            .inputs = {f32(x), f32({x[1]}), f32({x[1]})}});
  for (const Shape& x : {Shape{3, 8, 48}, Shape{65, 1, 100}, Shape{2, 7, 768}}) {
    const TensorType features = f32({x[2]});
    const NormAttributes how{.epsilon = 1e-12F, .axis = 2};
    add_with_gradient(
        all,
        {.kind = Operator::LayerNorm, .attributes = how, .inputs = {f32(x), features, features}});
    add_with_gradient(all, {.kind = Operator::LayerNorm, .attributes = how, .inputs = {f32(x)}});
  }
  for (const std::int64_t axis : {0, 1, 2})
    for (const Operator kind : {Operator::Softmax, Operator::LogSoftmax})
      add_with_gradient(
          all, {.kind = kind, .attributes = AxisAttributes{axis}, .inputs = {f32({9, 33, 40})}});
}

// Large enough to be divided among threads.
void add_large(Operations& all) {
  const Shape large = {33, 7, 65};
  for (const Operator kind : {Operator::Relu, Operator::GeluErf, Operator::GeluTanh, Operator::Tanh,
                              Operator::Sigmoid, Operator::Silu, Operator::Exp, Operator::Sqrt})
    add_with_gradient(all, {.kind = kind, .inputs = {f32(large)}});
  for (const Operator kind : {Operator::Add, Operator::Mul, Operator::Sub, Operator::Div}) {
    add_with_gradient(all, {.kind = kind, .inputs = {f32(large), f32(large)}});
    add_with_gradient(all, {.kind = kind, .inputs = {f32(large), f32({7, 1})}});
    add_with_gradient(all, {.kind = kind, .inputs = {f32({65}), f32(large)}});
  }
  add_with_gradient(all, {.kind = Operator::Transpose,
                          .attributes = TransposeAttributes{{2, 0, 1}},
                          .inputs = {f32(large)}});
  const WindowAttributes pool{.kernel = {3, 3},
                              .stride = {2, 2},
                              .padding_begin = {1, 1},
                              .padding_end = {1, 1},
                              .dilation = {1, 1}};
  for (const Operator kind : {Operator::MaxPool, Operator::AveragePool})
    add_with_gradient(all, {.kind = kind, .attributes = pool, .inputs = {f32({3, 16, 23, 23})}});
  const TensorType step{ElementType::Int32, {8}};
  const TensorType p = f32({123, 457});
  add_with_gradient(all, {.kind = Operator::Dropout,
                          .attributes = DropoutAttributes{.probability = 0.1F},
                          .inputs = {p, step}});
  const UpdateAttributes how{.weight_decay = 0.01F, .momentum = 0.9F};
  add_with_gradient(all, {.kind = Operator::Sgd, .attributes = how, .inputs = {p, p, step}});
  add_with_gradient(all,
                    {.kind = Operator::Velocity, .attributes = how, .inputs = {p, p, p, step}});
  add_with_gradient(all,
                    {.kind = Operator::Nesterov, .attributes = how, .inputs = {p, p, p, step}});
  add_with_gradient(all, {.kind = Operator::FirstMoment, .attributes = how, .inputs = {p, p, p}});
  add_with_gradient(all, {.kind = Operator::SecondMoment, .attributes = how, .inputs = {p, p, p}});
  add_with_gradient(all, {.kind = Operator::Adam, .attributes = how, .inputs = {p, p, p, step}});
  add_with_gradient(all, {.kind = Operator::Accumulate, .inputs = {p, p}});
}

Operations all_shapes() {
  Operations all;
  add_convolutions(all);
  add_products(all);
  add_norms(all);
  add_large(all);
  add_cases(all);
  return all;
}

}  // namespace

const std::vector<OperationTypes>& operation_shapes() {
  static const Operations shapes = all_shapes();
  return shapes;
}

std::string as_text(const OperationTypes& types) {
  return operation_key(types);
}

}  // namespace poet::testing
