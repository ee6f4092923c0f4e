#include "poet/autodiff/composed_norms.h"

#include <gtest/gtest.h>

#include <string>

#include "poet/model/network_builder.h"
#include "poet/model/real_networks.h"

namespace poet {
namespace {

std::string names_of(const Graph& graph, const std::set<TensorId>& tensors) {
  std::string names;
  for (const TensorId tensor : tensors)
    names += (names.empty() ? "" : " ") + at(graph.tensors, tensor).name;
  return names;
}

// Scales and biases, of a network whose output `build` makes of an input (2, 4).
template <typename Build>
std::string found(Build build) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {2, 4}});
  add_output(net, "y", build(net, x));
  const NormParameters norms = composed_norms(net.model.graph);
  return names_of(net.model.graph, norms.scales) + " | " + names_of(net.model.graph, norms.biases);
}

TensorId scale(NetworkBuilder& net) {
  return add_parameter(net, "scale", {4}, FilledWith{1});
}

TensorId bias(NetworkBuilder& net) {
  return add_parameter(net, "bias", {4}, FilledWith{0});
}

TensorId mean_of(NetworkBuilder& net, const std::string& name, TensorId x) {
  return apply(net, {.name = name,
                     .kind = Operator::ReduceMean,
                     .attributes = ReduceAttributes{.axes = {1}},
                     .inputs = {x}});
}

TensorId mean_of_squares(NetworkBuilder& net, TensorId x) {
  return mean_of(net, "mean", apply(net, Operator::Mul, "squares", {x, x}));
}

TEST(ComposedNorms, AreQuotientsByRootsOfMeanSquares) {
  EXPECT_EQ(found([](NetworkBuilder& net, TensorId x) {
              const TensorId root = apply(net, Operator::Sqrt, "root", {mean_of_squares(net, x)});
              return apply(net, Operator::Mul, "scaled",
                           {apply(net, Operator::Div, "quotient", {x, root}), scale(net)});
            }),
            "scale | ");
}

// As an export of PyTorch writes layer norms: the reciprocal of the root, a mean taken off, a bias.
TEST(ComposedNorms, MayTakeOffTheMeanAndAddABias) {
  EXPECT_EQ(found([](NetworkBuilder& net, TensorId x) {
              const TensorId mean = mean_of(net, "first_mean", x);
              const TensorId rest = apply(net, Operator::Sub, "rest", {x, mean});
              const TensorId root =
                  apply(net, Operator::Sqrt, "root", {mean_of_squares(net, rest)});
              const TensorId one_by = apply(net, Operator::Reciprocal, "one_by", {root});
              const TensorId normalised = apply(net, Operator::Mul, "normalised", {one_by, rest});
              const TensorId scaled = apply(net, Operator::Mul, "scaled", {scale(net), normalised});
              return apply(net, Operator::Add, "moved", {scaled, bias(net)});
            }),
            "scale | bias");
}

TEST(ComposedNorms, AreNoGatesAndNoOtherMeans) {
  // A scale of what was not divided, and one of what was divided by another value's root.
  EXPECT_EQ(found([](NetworkBuilder& net, TensorId x) {
              return apply(net, Operator::Add, "moved",
                           {apply(net, Operator::Mul, "scaled", {x, scale(net)}), bias(net)});
            }),
            " | ");
  EXPECT_EQ(found([](NetworkBuilder& net, TensorId x) {
              const TensorId other = apply(net, Operator::Tanh, "other", {x});
              const TensorId root =
                  apply(net, Operator::Sqrt, "root", {mean_of_squares(net, other)});
              return apply(net, Operator::Mul, "scaled",
                           {apply(net, Operator::Div, "quotient", {x, root}), scale(net)});
            }),
            " | ");
}

// Gemma's scales are stored less one.
TEST(ComposedNorms, OfPublishedDecodersAreAllTheirNorms) {
  for (const char* name : {"llama-tiny", "gemma-tiny"}) {
    const Result<Model> model = real_network(name, {});
    ASSERT_TRUE(model.ok()) << name;
    const std::set<TensorId> scales = composed_norms(model->graph).scales;
    for (std::size_t i = 0; i < model->graph.tensors.size(); ++i) {
      const GraphTensor& tensor = model->graph.tensors[i];
      const bool is_norm =
          tensor.role == TensorRole::Parameter && tensor.name.find("norm") != std::string::npos;
      EXPECT_EQ(scales.contains(static_cast<TensorId>(i)), is_norm) << name << " " << tensor.name;
    }
  }
}

}  // namespace
}  // namespace poet
