#include "poet/model/onnx_export.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"
#include "poet/model/onnx_import.h"
#include "poet/model/real_networks.h"

namespace poet {
namespace {

Result<ExportedOnnx> exported(const Model& model) {
  return export_onnx(model, [&model](TensorId id) -> Result<StoredBytes> {
    return store(initial_bytes(model.initial.at(id), at(model.graph.tensors, id).type));
  });
}

// How often each operator is there, but for those that ONNX spells out in another way: a product of
// transposed matrices, with a factor or a bias, and dropouts, which are left out when a file is
// read.
std::map<std::string, int> kinds_of(const Model& model) {
  std::map<std::string, int> kinds;
  for (const GraphOperation& operation : model.graph.operations) {
    const Operator kind = operation.kind;
    if (kind == Operator::Transpose || kind == Operator::Mul || kind == Operator::Add ||
        kind == Operator::Dropout)
      continue;
    ++kinds[std::string(entry_of(operation.kind).name)];
  }
  return kinds;
}

class ExportedNetwork : public ::testing::TestWithParam<std::string> {};

TEST_P(ExportedNetwork, IsTheSameWhenItIsReadAgain) {
  const Result<Model> model = real_network(GetParam(), {.batch_size = 2});
  ASSERT_TRUE(model.ok()) << model.error().message;
  const Result<ExportedOnnx> file = exported(*model);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const Result<Model> again = import_onnx(file->model, {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(kinds_of(*again), kinds_of(*model));
  EXPECT_EQ(again->inputs.size(), model->inputs.size());
  EXPECT_EQ(again->batch_norms.size(), model->batch_norms.size());
  EXPECT_EQ(at(again->graph.tensors, again->graph.outputs[0]).type,
            at(model->graph.tensors, model->graph.outputs[0]).type);
}

INSTANTIATE_TEST_SUITE_P(Zoo, ExportedNetwork,
                         ::testing::Values("mlp", "lenet5", "resnet8", "mobilenetv2", "bert-tiny",
                                           "gpt2-tiny", "llama-tiny", "gemma-tiny", "ds-cnn"),
                         [](const ::testing::TestParamInfo<std::string>& row) {
                           std::string name = row.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// y = operation(x), of a picture (1, 2, 4, 4).
Model model_of(GraphOperation operation) {
  Model model;
  model.graph.name = "one";
  const TensorId x = add_tensor(model.graph, {.name = "x",
                                              .type = {ElementType::Float32, {1, 2, 4, 4}},
                                              .role = TensorRole::Input,
                                              .home = Home::Storage});
  operation.name = "y";
  operation.inputs = {x};
  const Result<std::vector<TensorId>> y = add_operation(model.graph, std::move(operation));
  EXPECT_TRUE(y.ok()) << y.error().message;
  model.inputs = {{"x", x}};
  model.outputs = {{"y", y->front()}};
  model.graph.outputs = {y->front()};
  return model;
}

GraphOperation read_again(const GraphOperation& operation) {
  const Result<ExportedOnnx> file = exported(model_of(operation));
  EXPECT_TRUE(file.ok()) << file.error().message;
  const Result<Model> again = import_onnx(file->model, {});
  EXPECT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->graph.operations.size(), 1U);
  return again->graph.operations.front();
}

TEST(ExportedOperation, KeepsItsAttributes) {
  const std::vector<GraphOperation> operations = {
      {.kind = Operator::LeakyRelu, .attributes = ScalarAttributes{.alpha = 0.25F}},
      {.kind = Operator::Elu, .attributes = ScalarAttributes{.alpha = 0.5F}},
      {.kind = Operator::Clip, .attributes = ScalarAttributes{.alpha = -1, .beta = 6}},
      {.kind = Operator::HardSigmoid,
       .attributes = ScalarAttributes{.alpha = 0.125F, .beta = 0.75F}},
      {.kind = Operator::HardSwish, .attributes = ScalarAttributes{.alpha = 0.125F, .beta = 0.75F}},
      {.kind = Operator::Silu},
      {.kind = Operator::GeluErf},
      {.kind = Operator::GeluTanh},
      {.kind = Operator::Softmax, .attributes = AxisAttributes{1}},
      {.kind = Operator::ReduceSum, .attributes = ReduceAttributes{{1, 3}, false}},
      {.kind = Operator::ReduceMax, .attributes = ReduceAttributes{{2}, true}},
      {.kind = Operator::Reshape, .attributes = ShapeAttributes{{2, 16}}},
      {.kind = Operator::Expand, .attributes = ShapeAttributes{{3, 2, 4, 4}}},
      {.kind = Operator::Transpose, .attributes = TransposeAttributes{{3, 1, 0, 2}}},
      {.kind = Operator::Slice,
       .attributes = SliceAttributes{{0, 1, 3, 0}, {1, 1, -1, 2}, {1, 1, 4, 2}}},
      {.kind = Operator::Pad,
       .attributes = PadAttributes{{0, 0, 1, 0}, {0, 0, 0, 2}, PadMode::Edge}},
      {.kind = Operator::Pad,
       .attributes = PadAttributes{{0, 0, 1, 0}, {0, 0, -1, 2}, PadMode::Constant, 2.5F}},
      {.kind = Operator::Cast, .attributes = CastAttributes{ElementType::Int64}},
      {.kind = Operator::AveragePool,
       .attributes = WindowAttributes{{2, 3}, {2, 1}, {0, 1}, {1, 1}, {1, 1}, 1, true, true}}};
  for (const GraphOperation& operation : operations) {
    const GraphOperation again = read_again(operation);
    const std::string_view name = entry_of(operation.kind).name;
    EXPECT_EQ(entry_of(again.kind).name, name);
    EXPECT_TRUE(again.attributes == operation.attributes) << name;
  }
}

TEST(ExportedOperation, RefusesWhatOnnxHasNoNodeFor) {
  const Result<ExportedOnnx> file = exported(model_of({.kind = Operator::SumOfSquares}));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().message,
            "'y' cannot be written: opset 17 of ONNX has no node for 'sum_of_squares'");
}

}  // namespace
}  // namespace poet
