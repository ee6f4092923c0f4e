#include "poet/model/released_networks.h"

#include <gtest/gtest.h>

#include <set>

namespace poet {
namespace {

std::string error_of(std::string_view name, std::int64_t batch_size) {
  const Result<Outline> graph = released_graph(name, batch_size);
  return graph.ok() ? "no error" : to_string(graph.error());
}

Outline graph_of(std::string_view name, std::int64_t batch_size) {
  return released_graph(name, batch_size).value();
}

const OutlineOperation& operation(const Outline& graph, std::int32_t number) {
  return at(graph.operations, OperationId{number});
}

std::int64_t parameters(const Outline& graph) {
  std::int64_t bytes = 0;
  for (const OutlineOperation& row : graph.operations) bytes += row.parameter_bytes;
  return bytes / 4;
}

TEST(ReleasedGraph, EveryNetworkIsWellFormed) {
  for (const ReleasedNetwork& row : released_network_table()) {
    SCOPED_TRACE(row.name);
    const Outline graph = graph_of(row.name, 1);
    EXPECT_EQ(graph.name, row.name);
    ASSERT_EQ(graph.operations.size(), graph.tensors.size());
    std::set<std::string> names;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(graph.tensors.size()); ++i) {
      const OutlineOperation& made_by = operation(graph, i);
      EXPECT_TRUE(names.insert(made_by.name).second) << made_by.name;
      EXPECT_EQ(made_by.outputs, std::vector<TensorId>{TensorId{i}});
      EXPECT_EQ(at(graph.tensors, TensorId{i}).name, made_by.name);
      EXPECT_GT(size_bytes(at(graph.tensors, TensorId{i})), 0);
      std::set<TensorId> inputs;
      for (const TensorId input : made_by.inputs) {
        EXPECT_LT(index_of(input), i);
        EXPECT_TRUE(inputs.insert(input).second) << made_by.name;
      }
    }
  }
}

TEST(ReleasedGraph, NamesGradientsAfterTheirLayers) {
  const Outline graph = graph_of("linear", 1);
  EXPECT_EQ(operation(graph, 0).name, "input_0");
  EXPECT_EQ(operation(graph, 1).name, "linear_1");
  EXPECT_EQ(operation(graph, 13).name, "loss_13");
  EXPECT_EQ(operation(graph, 14).name, "relu_12_grad");
  EXPECT_EQ(operation(graph, 26).name, "input_0_grad");
}

// The parameter counts that these architectures are known for; BERT without its embeddings and
// norms.
TEST(ReleasedGraph, HasTheParametersOfItsArchitecture) {
  EXPECT_EQ(parameters(graph_of("vgg16", 1)), 138'357'544);
  EXPECT_EQ(parameters(graph_of("linear", 1)), 43'590);
  EXPECT_EQ(parameters(graph_of("bert", 1)), 12 * parameters(graph_of("transformer", 1)));
}

TEST(ReleasedGraph, ReadsTheLossOnceInTheFirstGradient) {
  const Outline graph = graph_of("linear", 1);
  EXPECT_EQ(operation(graph, 14).inputs, (std::vector<TensorId>{TensorId{12}, TensorId{13}}));
  EXPECT_EQ(operation(graph, 15).inputs,
            (std::vector<TensorId>{TensorId{11}, TensorId{12}, TensorId{14}}));
}

TEST(ReleasedGraph, TheSecondBertConnectionStartsOneLayerTooEarly) {
  const Outline graph = graph_of("transformer", 1);
  EXPECT_EQ(operation(graph, 8).kind, LayerKind::SkipAdd);
  EXPECT_EQ(operation(graph, 8).inputs, (std::vector<TensorId>{TensorId{4}, TensorId{7}}));
}

TEST(ReleasedGraph, ConvolutionsScaleWithTheBatchSize) {
  const Outline one = graph_of("resnet18_cifar", 1);
  const Outline four = graph_of("resnet18_cifar", 4);
  EXPECT_EQ(at(four.tensors, TensorId{1}).shape, (std::vector<std::int64_t>{4, 16, 32, 32}));
  EXPECT_EQ(operation(four, 1).flop, 4 * operation(one, 1).flop);
  EXPECT_EQ(operation(four, 1).parameter_bytes, operation(one, 1).parameter_bytes);
}

// Fault 3: the size of a linear layer's output scales, its FLOP do not.
TEST(ReleasedGraph, LinearLayersCostTheSameForEveryBatchSize) {
  const Outline one = graph_of("vgg16_cifar", 1);
  const Outline four = graph_of("vgg16_cifar", 4);
  EXPECT_EQ(operation(one, 33).kind, LayerKind::Linear);
  EXPECT_EQ(operation(four, 33).flop, operation(one, 33).flop);
  EXPECT_EQ(at(four.tensors, TensorId{33}).shape, (std::vector<std::int64_t>{4, 4096}));
}

TEST(ReleasedGraph, TheLossAndTheFirstGradientHoldOneValuePerClass) {
  const Outline graph = graph_of("vgg16_cifar", 4);
  EXPECT_EQ(at(graph.tensors, TensorId{40}).shape, std::vector<std::int64_t>{10});
  EXPECT_EQ(at(graph.tensors, TensorId{41}).shape, std::vector<std::int64_t>{10});
  EXPECT_EQ(operation(graph, 40).flop, 4 * 10 * 10);
}

TEST(ReleasedGraph, SomeNetworksIgnoreTheBatchSize) {
  for (const ReleasedNetwork& row : released_network_table()) {
    const bool same = graph_of(row.name, 1) == graph_of(row.name, 8);
    EXPECT_EQ(same, row.batch_size == BatchSize::Ignored) << row.name;
  }
}

// Sums stay within 62 bits, as a problem requires.
TEST(ReleasedGraph, TheLargestBatchSizeOverflowsNothing) {
  constexpr double kMost = 4.6e18;
  for (const ReleasedNetwork& row : released_network_table()) {
    double bytes = 0;
    double flop = 0;
    const Outline graph = graph_of(row.name, kMaxReleasedBatchSize);
    for (const OutlineTensor& tensor : graph.tensors) {
      double size = static_cast<double>(tensor.element_bytes);
      for (const std::int64_t extent : tensor.shape) size *= static_cast<double>(extent);
      EXPECT_EQ(static_cast<double>(size_bytes(tensor)), size) << tensor.name;
      bytes += size;
    }
    for (const OutlineOperation& made_by : graph.operations) {
      EXPECT_GE(made_by.flop, 0) << made_by.name;
      flop += static_cast<double>(made_by.flop);
    }
    EXPECT_LT(bytes, kMost) << row.name;
    EXPECT_LT(flop, kMost) << row.name;
  }
}

TEST(ReleasedGraph, RefusesBatchSizesOutOfRange) {
  EXPECT_EQ(error_of("vgg16", 0), "the batch size is 0; it must lie between 1 and 1000000");
  EXPECT_EQ(error_of("bert", 1'000'001),
            "the batch size is 1000001; it must lie between 1 and 1000000");
}

TEST(ReleasedGraph, SuggestsTheNameThatWasMeant) {
  EXPECT_EQ(error_of("resnet18_cifra", 1),
            "unknown model 'resnet18_cifra'; did you mean 'resnet18_cifar'?");
  EXPECT_EQ(released_graph("resnet", 1).error().code, ErrorCode::NotFound);
}

TEST(ReleasedGraph, ListsTheNamesWhenNoneIsNear) {
  EXPECT_EQ(error_of("lenet", 1),
            "unknown model 'lenet'; use linear, vgg16, vgg16_cifar, resnet18, resnet50, "
            "resnet18_cifar, bert or transformer");
}

}  // namespace
}  // namespace poet
