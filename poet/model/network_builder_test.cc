#include "poet/model/network_builder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace poet {
namespace {

TensorId picture(NetworkBuilder& net) {
  return add_input(net, "image", {ElementType::Float32, {2, 8, 6, 6}});
}

const GraphTensor& tensor(const NetworkBuilder& net, std::string_view name) {
  for (const GraphTensor& candidate : net.model.graph.tensors)
    if (candidate.name == name) return candidate;
  ADD_FAILURE() << "no tensor is called " << name;
  return net.model.graph.tensors.front();
}

Initial initial(const NetworkBuilder& net, std::string_view name) {
  for (const auto& [id, values] : net.model.initial)
    if (at(net.model.graph.tensors, id).name == name) return values;
  ADD_FAILURE() << name << " has no values";
  return {};
}

TEST(NetworkBuilder, AddsConvolutionsWithPyTorchsNamesShapesAndBounds) {
  NetworkBuilder net;
  const TensorId y =
      conv2d(net, "layer1.conv1", picture(net),
             {.channels = 4, .stride = 2, .padding = 1, .groups = 2, .bias = Bias::With});
  EXPECT_FALSE(net.failure);
  EXPECT_EQ(at(net.model.graph.tensors, y).type.shape, (Shape{2, 4, 3, 3}));
  EXPECT_EQ(tensor(net, "layer1.conv1.weight").type.shape, (Shape{4, 4, 3, 3}));
  EXPECT_EQ(tensor(net, "layer1.conv1.bias").type.shape, (Shape{4}));
  EXPECT_EQ(tensor(net, "layer1.conv1.weight").home, Home::Storage);
  EXPECT_FLOAT_EQ(std::get<UniformDraw>(initial(net, "layer1.conv1.weight")).bound, 1 / 6.0F);
  EXPECT_FLOAT_EQ(std::get<UniformDraw>(initial(net, "layer1.conv1.bias")).bound, 1 / 6.0F);
}

TEST(NetworkBuilder, ListsBatchNormsToBeTrained) {
  NetworkBuilder net;
  const TensorId x = apply(net, Operator::Relu, "relu", {picture(net)});
  batch_norm(net, "bn1", x);
  ASSERT_EQ(net.model.batch_norms.size(), 1U);
  EXPECT_EQ(net.model.batch_norms[0].operation, OperationId{1});
  EXPECT_EQ(std::get<FilledWith>(initial(net, "bn1.running_var")).value, 1);
  EXPECT_EQ(tensor(net, "bn1.running_mean").role, TensorRole::Statistic);
}

TEST(NetworkBuilder, AddsTheStepWithTheFirstDropoutAndNumbersThem) {
  NetworkBuilder net;
  TensorId x = dropout(net, "drop1", picture(net), 0.5F);
  x = dropout(net, "drop2", x, 0.25F);
  ASSERT_TRUE(net.model.step.has_value());
  EXPECT_EQ(at(net.model.graph.tensors, *net.model.step).home, Home::Resident);
  const auto of = [&](std::size_t i) {
    return std::get<DropoutAttributes>(net.model.graph.operations[i].attributes);
  };
  EXPECT_EQ(of(0), (DropoutAttributes{.probability = 0.5F, .number = 0}));
  EXPECT_EQ(of(1), (DropoutAttributes{.probability = 0.25F, .number = 1}));

  NetworkBuilder without{.dropout_probability = 0.0F};
  const TensorId image = picture(without);
  EXPECT_EQ(dropout(without, "drop1", image, 0.5F), image);
  EXPECT_FALSE(without.model.step);
}

TEST(NetworkBuilder, AttendsWithHeads) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {2, 5, 12}});
  const TensorId y = attention(net, "self", {.query = x, .key = x, .value = x}, {.heads = 3});
  EXPECT_FALSE(net.failure);
  EXPECT_EQ(at(net.model.graph.tensors, y).type.shape, (Shape{2, 5, 12}));
  EXPECT_EQ(tensor(net, "self.softmax").type.shape, (Shape{2, 3, 5, 5}));
  for (const GraphOperation& operation : net.model.graph.operations)
    if (operation.name == "self.scores") {
      EXPECT_FLOAT_EQ(std::get<MatMulAttributes>(operation.attributes).alpha, 0.5F);
    }
}

TEST(NetworkBuilder, RemembersTheFirstTensorThatIsTooLarge) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {70'000, 70'000}});
  const TensorId y = relu6(net, "relu", linear(net, "fc", x, 3));
  EXPECT_EQ(y, TensorId{0});
  EXPECT_EQ(net.failure->message,
            "x has the shape (70000, 70000): a tensor has at most 2147483647 values");
  EXPECT_TRUE(net.model.graph.operations.empty());
  EXPECT_EQ(extent(net, x, 0), 1);
}

TEST(NetworkBuilder, GivesTheSameValuesForTheSameSeedOnly) {
  const auto draw = [](std::uint64_t seed) {
    NetworkBuilder net{.seed = seed};
    linear(net, "fc", add_input(net, "x", {ElementType::Float32, {2, 3}}), 4);
    return std::get<UniformDraw>(initial(net, "fc.weight"));
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1).seed, draw(2).seed);
}

}  // namespace
}  // namespace poet
