#include "poet/report/layers.h"

#include <gtest/gtest.h>

#include "poet/graph/operator.h"

namespace poet {
namespace {

// A network by hand: tensors of one shape, named as they are added.
struct Net {
  Graph graph = {};

  TensorId given(const std::string& name, TensorRole role) {
    return add_tensor(graph, {.name = name,
                              .type = {ElementType::Float32, {2, 2}},
                              .role = role,
                              .home = Home::Storage});
  }
  TensorId apply(Operator kind, const std::string& name, std::vector<TensorId> inputs) {
    Attributes attributes;
    if (kind == Operator::MatMul) attributes = MatMulAttributes{};
    if (kind == Operator::Reshape) attributes = ShapeAttributes{{2, 2}};
    return add_operation(
               graph,
               {.name = name, .kind = kind, .attributes = attributes, .inputs = std::move(inputs)})
        ->front();
  }
  TensorId linear(const std::string& name, TensorId x) {
    return apply(Operator::MatMul, name, {x, given(name + ".weight", TensorRole::Parameter)});
  }
};

// One residual block: two products, the second added to what came in.
TensorId block(Net& net, const std::string& name, TensorId x) {
  const TensorId y = net.apply(Operator::Relu, name + ".relu", {net.linear(name + ".first", x)});
  return net.apply(Operator::Add, name + ".add", {net.linear(name + ".second", y), x});
}

TEST(LayersOf, JoinsWhatFollowsOneByOne) {
  Net net;
  const TensorId x = net.given("x", TensorRole::Input);
  TensorId y = net.linear("fc", x);
  y = net.apply(Operator::Reshape, "flat", {y});
  y = net.apply(Operator::Relu, "relu", {y});
  net.linear("head", y);
  EXPECT_EQ(layers_of(net.graph),
            (std::vector<DrawnLayer>{{.name = "fc",
                                      .kinds = {Operator::MatMul, Operator::Relu},
                                      .shape = {2, 2},
                                      .parameters = 4,
                                      .inputs = {},
                                      .given = {x}},
                                     {.name = "head",
                                      .kinds = {Operator::MatMul},
                                      .shape = {2, 2},
                                      .parameters = 4,
                                      .inputs = {0},
                                      .given = {}}}));
}

TEST(LayersOf, KeepsApartWhatSeveralRead) {
  Net net;
  const TensorId x = net.linear("fc", net.given("x", TensorRole::Input));
  const TensorId relu = net.apply(Operator::Relu, "relu", {x});
  net.apply(Operator::Add, "add", {x, relu});
  const std::vector<DrawnLayer> layers = layers_of(net.graph);
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[2].inputs, (std::vector<std::int32_t>{0, 1}));
}

TEST(RepeatsOf, FindsEqualBlocks) {
  Net net;
  TensorId x = net.linear("stem", net.given("x", TensorRole::Input));
  for (const char* const name : {"a", "b", "c"}) x = block(net, name, x);
  net.linear("head", net.apply(Operator::Tanh, "tanh", {x}));
  const std::vector<DrawnLayer> layers = layers_of(net.graph);
  ASSERT_EQ(layers.size(), 1 + 3 * 3 + 1U);
  // The last add goes on with a tanh, so the last block is not like the others.
  EXPECT_EQ(repeats_of(layers), (std::vector<Repeat>{{1, 3, 2}}));
}

TEST(RepeatsOf, WantsTheSameConnections) {
  Net net;
  const TensorId x = block(net, "a", net.linear("stem", net.given("x", TensorRole::Input)));
  // Looks like a block, but adds what it made itself where a block adds what came in.
  const TensorId y = net.apply(Operator::Relu, "b.relu", {net.linear("b.first", x)});
  const TensorId z = net.apply(Operator::Add, "b.add", {net.linear("b.second", y), y});
  net.apply(Operator::Add, "c.add", {x, z});
  EXPECT_EQ(repeats_of(layers_of(net.graph)), std::vector<Repeat>());
}

TEST(RepeatsOf, AllowsEachPieceToReadTheSameFromOutside) {
  Net net;
  const TensorId mask = net.linear("mask", net.given("m", TensorRole::Input));
  TensorId x = net.linear("stem", net.given("x", TensorRole::Input));
  for (const char* const name : {"a", "b", "c", "d"})
    x = net.apply(Operator::Add, name, {net.linear(std::string(name) + ".fc", x), mask});
  EXPECT_EQ(repeats_of(layers_of(net.graph)), (std::vector<Repeat>{{2, 2, 4}}));
}

TEST(RepeatsOf, HasNoneWhereLayersStandSideBySide) {
  Net net;
  const TensorId x = net.given("x", TensorRole::Input);
  const TensorId a = net.linear("a", x);
  const TensorId b = net.linear("b", x);
  const TensorId c = net.linear("c", x);
  net.apply(Operator::Max, "max", {net.apply(Operator::Add, "add", {a, b}), c});
  EXPECT_EQ(repeats_of(layers_of(net.graph)), std::vector<Repeat>());
}

TEST(RepeatsOf, HasNoneInAChainOfDifferentLayers) {
  Net net;
  TensorId x = net.linear("fc", net.given("x", TensorRole::Input));
  net.apply(Operator::Add, "twice", {x, x});
  EXPECT_EQ(repeats_of(layers_of(net.graph)), std::vector<Repeat>());
}

}  // namespace
}  // namespace poet
