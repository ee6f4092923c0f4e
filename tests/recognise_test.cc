// What the importer takes for one operator gives what the operations gave that it replaces.
#include "poet/model/recognise.h"
#include "poet/graph/operator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "support/model_run.h"

namespace poet {
namespace {

// A model of one input x (2, 3, 4) that is written down operation by operation.
class Sketch {
 public:
  Sketch() {
    model.inputs.push_back({"x", add_tensor(model.graph, {.name = "x",
                                                          .type = {ElementType::Float32, {2, 3, 4}},
                                                          .role = TensorRole::Input,
                                                          .home = Home::Storage})});
  }

  TensorId x() const { return model.inputs[0].tensor; }
  TensorId number(float value, const Shape& shape = {}) {
    return given(TensorRole::Constant, Home::Rom, shape, FilledWith{value});
  }
  TensorId parameter(const Shape& shape, std::uint64_t seed) {
    return given(TensorRole::Parameter, Home::Storage, shape, UniformDraw{1, seed});
  }
  TensorId op(Operator kind, const std::vector<TensorId>& inputs, Attributes attributes = {}) {
    const Result<std::vector<TensorId>> outputs =
        add_operation(model.graph, {.name = "op" + std::to_string(model.graph.tensors.size()),
                                    .kind = kind,
                                    .attributes = std::move(attributes),
                                    .inputs = inputs});
    EXPECT_TRUE(outputs.ok()) << to_string(outputs.error());
    return outputs->front();
  }
  TensorId mean(TensorId of, std::int64_t axis) {
    std::vector<std::int64_t> axes;
    for (std::int64_t d = axis; d < 3; ++d) axes.push_back(d);
    return op(Operator::ReduceMean, {of}, ReduceAttributes{.axes = axes});
  }
  void output(TensorId y) {
    model.outputs.push_back({"y" + std::to_string(model.outputs.size()), y});
    model.graph.outputs.push_back(y);
  }

  Model model = {};

 private:
  TensorId given(TensorRole role, Home home, const Shape& shape, const Initial& initial) {
    const TensorId tensor =
        add_tensor(model.graph, {.name = "t" + std::to_string(model.graph.tensors.size()),
                                 .type = {ElementType::Float32, shape},
                                 .role = role,
                                 .home = home});
    model.initial[tensor] = initial;
    return tensor;
  }
};

std::vector<float> outputs_of(const Model& model) {
  const TensorType type{ElementType::Float32, {2, 3, 4}};
  const std::vector<std::byte> x = initial_bytes(UniformDraw{2, 99}, type);
  const Result<std::vector<TensorValue>> made = testing::run_forward(model, {{"x", {type, x}}});
  EXPECT_TRUE(made.ok()) << to_string(made.error());
  return floats_of(made->front());
}

// The operations that are left; their output is checked to be what it was.
std::vector<Operator> left_after_recognising(Sketch sketch) {
  const std::vector<float> before = outputs_of(sketch.model);
  recognise_operators(sketch.model);
  const Failure failure = check_model(sketch.model);
  EXPECT_FALSE(failure.has_value()) << to_string(*failure);
  const std::vector<float> after = outputs_of(sketch.model);
  EXPECT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i)
    EXPECT_NEAR(before[i], after[i], 2e-6F) << "value " << i;
  std::vector<Operator> kinds;
  for (const GraphOperation& operation : sketch.model.graph.operations)
    kinds.push_back(operation.kind);
  return kinds;
}

using Kinds = std::vector<Operator>;

struct NormSketch {
  Sketch sketch = {};
  TensorId centred{};
  TensorId normal{};
};

NormSketch layer_norm(std::int64_t mean_axis, std::int64_t variance_axis) {
  NormSketch norm;
  Sketch& net = norm.sketch;
  norm.centred = net.op(Operator::Sub, {net.x(), net.mean(net.x(), mean_axis)});
  const TensorId square = net.op(Operator::Pow, {norm.centred, net.number(2)});
  const TensorId variance =
      net.op(Operator::Add, {net.mean(square, variance_axis), net.number(0.125F)});
  norm.normal = net.op(Operator::Div, {norm.centred, net.op(Operator::Sqrt, {variance})});
  return norm;
}

TEST(Recognise, LayerNormWithScaleAndBias) {
  NormSketch norm = layer_norm(2, 2);
  Sketch& net = norm.sketch;
  const TensorId scaled = net.op(Operator::Mul, {norm.normal, net.parameter({4}, 1)});
  net.output(net.op(Operator::Add, {net.parameter({4}, 2), scaled}));
  EXPECT_EQ(left_after_recognising(net), Kinds{Operator::LayerNorm});
}

TEST(Recognise, LayerNormOverTwoDimensionsWithoutScale) {
  NormSketch norm = layer_norm(1, 1);
  norm.sketch.output(norm.normal);
  EXPECT_EQ(left_after_recognising(norm.sketch), Kinds{Operator::LayerNorm});
}

TEST(Recognise, LayerNormWhoseScaleIsOfAnotherShapeKeepsItsProduct) {
  NormSketch norm = layer_norm(2, 2);
  Sketch& net = norm.sketch;
  const TensorId scaled = net.op(Operator::Mul, {norm.normal, net.parameter({3, 1}, 1)});
  net.output(net.op(Operator::Add, {scaled, net.parameter({4}, 2)}));
  EXPECT_EQ(left_after_recognising(net),
            (Kinds{Operator::LayerNorm, Operator::Mul, Operator::Add}));
}

TEST(Recognise, NoLayerNormOfOtherMeansOrSharedParts) {
  NormSketch other = layer_norm(2, 1);
  other.sketch.output(other.normal);
  EXPECT_EQ(left_after_recognising(other.sketch).size(), 7U);
  NormSketch shared = layer_norm(2, 2);
  shared.sketch.output(shared.normal);
  shared.sketch.output(shared.centred);
  EXPECT_EQ(left_after_recognising(shared.sketch).size(), 7U);
}

TEST(Recognise, GeluWithErf) {
  Sketch net;
  const TensorId inner =
      net.op(Operator::Erf, {net.op(Operator::Div, {net.x(), net.number(1.41421356F)})});
  const TensorId sum = net.op(Operator::Add, {inner, net.number(1)});
  const TensorId product = net.op(Operator::Mul, {net.x(), sum});
  net.output(net.op(Operator::Mul, {product, net.number(0.5F)}));
  EXPECT_EQ(left_after_recognising(net), Kinds{Operator::GeluErf});
}

TEST(Recognise, GeluWithErfInAnotherOrder) {
  Sketch net;
  const TensorId inner =
      net.op(Operator::Erf, {net.op(Operator::Mul, {net.number(0.70710678F), net.x()})});
  const TensorId sum = net.op(Operator::Add, {net.number(1), inner});
  const TensorId half = net.op(Operator::Mul, {sum, net.number(0.5F)});
  net.output(net.op(Operator::Mul, {half, net.x()}));
  EXPECT_EQ(left_after_recognising(net), Kinds{Operator::GeluErf});
}

TEST(Recognise, NoGeluWithAnotherNumber) {
  Sketch net;
  const TensorId inner =
      net.op(Operator::Erf, {net.op(Operator::Div, {net.x(), net.number(1.4140625F)})});
  const TensorId sum = net.op(Operator::Add, {inner, net.number(1)});
  const TensorId product = net.op(Operator::Mul, {net.x(), sum});
  net.output(net.op(Operator::Mul, {product, net.number(0.5F)}));
  EXPECT_EQ(left_after_recognising(net).size(), 5U);
}

TEST(Recognise, GeluWithTanh) {
  Sketch net;
  const TensorId cube = net.op(Operator::Pow, {net.x(), net.number(3)});
  const TensorId cubic = net.op(Operator::Mul, {net.number(0.044715F), cube});
  const TensorId sum = net.op(Operator::Add, {net.x(), cubic});
  const TensorId inner = net.op(Operator::Mul, {net.number(0.79788456F), sum});
  const TensorId one = net.op(Operator::Add, {net.number(1), net.op(Operator::Tanh, {inner})});
  const TensorId half = net.op(Operator::Mul, {net.number(0.5F), net.x()});
  net.output(net.op(Operator::Mul, {half, one}));
  EXPECT_EQ(left_after_recognising(net), Kinds{Operator::GeluTanh});
}

TEST(Recognise, GeluWithTanhWhoseCubeIsTakenApart) {
  Sketch net;
  const TensorId scaled = net.op(Operator::Mul, {net.x(), net.number(0.044715F)});
  const TensorId square = net.op(Operator::Mul, {scaled, net.x()});
  const TensorId sum = net.op(Operator::Add, {square, net.number(1)});
  const TensorId outer = net.op(Operator::Mul, {net.x(), net.number(0.79788456F)});
  const TensorId inner = net.op(Operator::Mul, {outer, sum});
  const TensorId one = net.op(Operator::Add, {net.op(Operator::Tanh, {inner}), net.number(1)});
  const TensorId half = net.op(Operator::Mul, {net.x(), net.number(0.5F)});
  net.output(net.op(Operator::Mul, {half, one}));
  EXPECT_EQ(left_after_recognising(net), Kinds{Operator::GeluTanh});
}

TEST(Recognise, ProductsWithAGateOfTheSame) {
  Sketch net;
  const TensorId silu = net.op(Operator::Mul, {net.op(Operator::Sigmoid, {net.x()}), net.x()});
  const TensorId gate =
      net.op(Operator::HardSigmoid, {silu}, ScalarAttributes{.alpha = 1.0F / 6, .beta = 0.5F});
  net.output(net.op(Operator::Mul, {silu, gate}));
  EXPECT_EQ(left_after_recognising(net), (Kinds{Operator::Silu, Operator::HardSwish}));
}

TEST(Recognise, MatrixProductsWithABias) {
  Sketch net;
  const TensorId product = net.op(Operator::MatMul, {net.x(), net.parameter({4, 5}, 1)},
                                  MatMulAttributes{.alpha = 0.5F, .beta = 3});
  net.output(net.op(Operator::Add, {net.parameter({5}, 2), product}));
  EXPECT_EQ(left_after_recognising(net), Kinds{Operator::MatMul});
}

TEST(Recognise, NoBiasThatSeveralRowsHave) {
  Sketch net;
  const TensorId product =
      net.op(Operator::MatMul, {net.x(), net.parameter({4, 5}, 1)}, MatMulAttributes{});
  net.output(net.op(Operator::Add, {net.parameter({3, 5}, 2), product}));
  EXPECT_EQ(left_after_recognising(net), (Kinds{Operator::MatMul, Operator::Add}));
}

}  // namespace
}  // namespace poet
