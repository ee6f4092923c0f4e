#include "poet/model/packed_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

constexpr WeightBlocks kBlocks{.bits = 4, .values = 8};

// Looks rows of "table" up, and multiplies them by "w" (16, 8), turned, and by the table, turned.
Model network() {
  Model model;
  Graph& graph = model.graph;
  const auto given = [&](const std::string& name, TensorType type, TensorRole role) {
    return add_tensor(graph,
                      {.name = name, .type = std::move(type), .role = role, .home = Home::Storage});
  };
  const TensorId indices = given("indices", {ElementType::Int32, {3}}, TensorRole::Input);
  const TensorId table = given("table", {ElementType::Float32, {5, 16}}, TensorRole::Parameter);
  const TensorId w = given("w", {ElementType::Float32, {16, 16}}, TensorRole::Parameter);
  const auto add = [&](GraphOperation operation) {
    const Result<std::vector<TensorId>> outputs = add_operation(graph, std::move(operation));
    EXPECT_TRUE(outputs.ok());
    return outputs->front();
  };
  const TensorId rows = add({.name = "rows",
                             .kind = Operator::Gather,
                             .attributes = AxisAttributes{0},
                             .inputs = {table, indices}});
  const MatMulAttributes turned{.transpose_b = true};
  const TensorId hidden =
      add({.name = "hidden", .kind = Operator::MatMul, .attributes = turned, .inputs = {rows, w}});
  const TensorId again =
      add({.name = "again", .kind = Operator::MatMul, .attributes = turned, .inputs = {hidden, w}});
  const TensorId scores = add(
      {.name = "scores", .kind = Operator::MatMul, .attributes = turned, .inputs = {again, table}});
  graph.outputs = {scores};
  model.inputs = {{"indices", indices}};
  model.outputs = {{"scores", scores}};
  model.initial = {{table, FilledWith{1}}, {w, FilledWith{2}}};
  return model;
}

TensorId called(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i)
    if (model.graph.tensors[i].name == name) return static_cast<TensorId>(i);
  ADD_FAILURE() << "no " << name;
  return {};
}

void pack(Model& model, const std::string& name, bool is_transposed = false) {
  const TensorId id = called(model, name);
  PackedWeight packed{.blocks = kBlocks,
                      .shape = at(model.graph.tensors, id).type.shape,
                      .is_transposed = is_transposed,
                      .values = FilledWith{3}};
  if (is_transposed) std::swap(packed.shape[0], packed.shape[1]);
  model.packed[id] = packed;
}

// "decode_blocks(w) -> w.decoded" and so on.
std::vector<std::string> listing(const Model& model) {
  std::vector<std::string> lines;
  for (const GraphOperation& operation : model.graph.operations) {
    std::vector<std::string> inputs;
    for (const TensorId input : operation.inputs)
      inputs.push_back(at(model.graph.tensors, input).name);
    lines.push_back(fmt::format("{}({}) -> {}", entry_of(operation.kind).name,
                                fmt::join(inputs, ", "),
                                at(model.graph.tensors, operation.outputs[0]).name));
  }
  return lines;
}

Model with_decoding_of(Model model) {
  EXPECT_FALSE(check_model(model));
  Result<Model> made = with_decoding(std::move(model));
  EXPECT_TRUE(made.ok());
  EXPECT_FALSE(check_model(*made));
  return *std::move(made);
}

TEST(WithDecoding, LeavesOtherNetworksAsTheyAre) {
  EXPECT_EQ(with_decoding_of(network()).graph, network().graph);
}

TEST(WithDecoding, DecodesOnceInFrontOfTheFirstReader) {
  Model model = network();
  pack(model, "w");
  const Model made = with_decoding_of(std::move(model));
  EXPECT_EQ(listing(made),
            (std::vector<std::string>{
                "gather(table, indices) -> rows", "decode_blocks(w) -> w.decoded",
                "matmul(rows, w.decoded) -> hidden", "matmul(hidden, w.decoded) -> again",
                "matmul(again, table) -> scores"}));
  const TensorId w = called(made, "w");
  EXPECT_EQ(w, called(network(), "w"));
  EXPECT_EQ(to_text(at(made.graph.tensors, w).type), "uint8 (16, 2, 6)");
  EXPECT_EQ(at(made.graph.tensors, w).role, TensorRole::Parameter);
  EXPECT_EQ(std::get<FilledWith>(made.initial.at(w)).value, 3);
  EXPECT_TRUE(made.packed.empty());
}

TEST(WithDecoding, LooksBlocksUpAndDecodesWhatWasPicked) {
  Model model = network();
  pack(model, "table");
  EXPECT_EQ(
      listing(with_decoding_of(std::move(model))),
      (std::vector<std::string>{
          "gather(table, indices) -> rows.blocks", "decode_blocks(rows.blocks) -> rows",
          "matmul(rows, w) -> hidden", "matmul(hidden, w) -> again",
          "decode_blocks(table) -> table.decoded", "matmul(again, table.decoded) -> scores"}));
}

TEST(WithDecoding, TurnsWhatLiesTransposed) {
  Model model = network();
  pack(model, "table", true);
  const Model made = with_decoding_of(std::move(model));
  EXPECT_EQ(listing(made),
            (std::vector<std::string>{
                "decode_blocks(table) -> table.decoded", "transpose(table.decoded) -> table.turned",
                "gather(table.turned, indices) -> rows", "matmul(rows, w) -> hidden",
                "matmul(hidden, w) -> again", "matmul(again, table.turned) -> scores"}));
  EXPECT_EQ(to_text(at(made.graph.tensors, called(made, "table")).type), "uint8 (16, 1, 6)");
}

TEST(WithDecoding, LeavesAnOutputAsItIs) {
  Model model = network();
  pack(model, "w");
  model.outputs.push_back({"w", called(model, "w")});
  model.graph.outputs.push_back(called(model, "w"));
  EXPECT_EQ(listing(with_decoding_of(std::move(model))), listing(network()));
}

}  // namespace
}  // namespace poet
