#include "poet/model/low_rank_adapters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "poet/graph/operator.h"
#include "poet/model/network_builder.h"
#include "poet/model/real_networks.h"
#include "poet/model/remove_unused.h"

namespace poet {
namespace {

std::string read_again(std::string_view text) {
  const Result<LowRankAdapters> adapters = read_adapters(text);
  return adapters.ok() ? adapters_text(*adapters) : adapters.error().message;
}

TEST(ReadAdapters, KnowsDefaultsAndPatternsWithCommas) {
  EXPECT_EQ(read_again("lora"), "lora:rank=8,alpha=16,targets=attention");
  EXPECT_EQ(read_again("lora:rank=4"), "lora:rank=4,alpha=8,targets=attention");
  EXPECT_EQ(read_again("lora:targets=all,alpha=0.5"), "lora:rank=8,alpha=0.5,targets=all");
  EXPECT_EQ(read_again("lora:rank=2,targets=regex:^fc[1,2]{1,2}"),
            "lora:rank=2,alpha=4,targets=regex:^fc[1,2]{1,2}");
}

TEST(ReadAdapters, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(read_again("dora:rank=2"),
            "unknown adapter 'dora': use lora, such as lora:rank=8,alpha=16,targets=attention");
  EXPECT_EQ(read_again("lora:rang=2"), "an adapter has no 'rang'; did you mean 'rank'?");
  EXPECT_EQ(read_again("lora:dropout=2"),
            "an adapter has no 'dropout': it has rank, alpha and targets");
  EXPECT_EQ(read_again("lora:8"), "'8' is not NAME=VALUE, such as rank=8");
  EXPECT_EQ(read_again("lora:rank=0"),
            "the rank of an adapter: expected a whole number of at least 1, found '0'");
  EXPECT_EQ(read_again("lora:alpha=0"),
            "the alpha of an adapter: expected a number above 0, found '0'");
  EXPECT_EQ(read_again("lora:alpha=1e7"),
            "the alpha of an adapter is from 1e-06 to 1000000, found '1e7'");
  EXPECT_EQ(read_again("lora:alpha=1e-60"),
            "the alpha of an adapter is from 1e-06 to 1000000, found '1e-60'");
  EXPECT_EQ(read_again("lora:rank=4,"), "nothing is not NAME=VALUE, such as rank=8");
  EXPECT_EQ(read_again("lora:"), "nothing is not NAME=VALUE, such as rank=8");
  EXPECT_EQ(read_again("lora:rank=2,rank=3"), "rank of an adapter is given twice");
  EXPECT_EQ(read_again("lora:targets=atention"),
            "adapters cannot go to 'atention'; did you mean 'attention'?");
  EXPECT_EQ(read_again("lora:targets=mlp"),
            "adapters cannot go to 'mlp': use attention, all or regex:PATTERN");
  EXPECT_EQ(read_again("lora:targets=regex:(").substr(0, 1), "'")
      << read_again("lora:targets=regex:(");
}

Model network(std::string_view name) {
  NetworkOptions options;
  Result<Model> model = real_network(name, options);
  EXPECT_TRUE(model.ok()) << model.error().message;
  return *std::move(model);
}

// The names of adapted weights.
std::string adapted(Model model, const std::string& targets) {
  const Result<Model> with = with_adapters(std::move(model), {.rank = 1, .targets = targets}, 1);
  if (!with.ok()) return with.error().message;
  const Failure failure = check_model(*with);
  EXPECT_FALSE(failure.has_value()) << failure->message;
  std::string names;
  for (const Adapter& adapter : with->adapters)
    names += (names.empty() ? "" : " ") + at(with->graph.tensors, adapter.weight).name;
  return names;
}

// A block of its own for each family: what the first two layers have.
TEST(Adapters, GoToTheAttentionOfTheZoo) {
  const auto begins = [](std::string_view name, std::string_view with) {
    const std::string all = adapted(network(name), "attention");
    EXPECT_EQ(all.substr(0, with.size()), with);
  };
  begins("llama-tiny",
         "model.layers.0.self_attn.q_proj.weight model.layers.0.self_attn.k_proj.weight "
         "model.layers.0.self_attn.v_proj.weight model.layers.0.self_attn.o_proj.weight "
         "model.layers.1.self_attn.q_proj.weight ");
  begins("gemma-tiny",
         "model.layers.0.self_attn.q_proj.weight model.layers.0.self_attn.k_proj.weight "
         "model.layers.0.self_attn.v_proj.weight model.layers.0.self_attn.o_proj.weight "
         "model.layers.1.self_attn.q_proj.weight ");
  begins("gpt2-tiny",
         "transformer.h.0.attn.query.weight transformer.h.0.attn.key.weight "
         "transformer.h.0.attn.value.weight transformer.h.0.attn.c_proj.dense.weight "
         "transformer.h.1.attn.query.weight ");
  begins("bert-tiny",
         "bert.encoder.layer.0.attention.self.query.weight "
         "bert.encoder.layer.0.attention.self.key.weight "
         "bert.encoder.layer.0.attention.self.value.weight "
         "bert.encoder.layer.0.attention.output.dense.weight "
         "bert.encoder.layer.1.attention.self.query.weight ");
  begins("vit-s16",
         "blocks.0.attn.query.weight blocks.0.attn.key.weight blocks.0.attn.value.weight "
         "blocks.0.attn.proj.weight blocks.1.attn.query.weight ");
}

// The table of words, which the head of this decoder shares, is looked up too.
TEST(Adapters, LeaveTablesAlone) {
  const std::string all = adapted(network("llama-tiny"), "all");
  EXPECT_NE(all.find("model.layers.0.mlp.gate_proj.weight"), std::string::npos);
  EXPECT_EQ(all.find("embed"), std::string::npos);
}

TEST(Adapters, GoToWeightsByPattern) {
  EXPECT_EQ(adapted(network("lenet5"), "regex:^fc[12]"), "fc1.weight fc2.weight");
  EXPECT_EQ(adapted(network("lenet5"), "all"), "fc1.weight fc2.weight fc3.weight");
}

TEST(Adapters, AreRefusedWhereTheyDoNotFit) {
  EXPECT_EQ(adapted(network("lenet5"), "attention"),
            "adapters: 'attention' chooses none of the 3 weights of matrix products: they have "
            "names such as 'fc1.weight'");
  EXPECT_EQ(with_adapters(network("lenet5"), {.rank = 11, .targets = "all"}, 1).error().message,
            "an adapter of rank 11 is larger than 'fc3.weight', a map of 84 to 10 features: its "
            "rank can be at most 10");
  NetworkBuilder net;
  add_output(
      net, "y",
      apply(net, Operator::Relu, "relu", {add_input(net, "x", {ElementType::Float32, {2, 3}})}));
  EXPECT_EQ(adapted(net.model, "all"),
            "the network has no product with a weight of its own that an adapter could go to");
  Result<Model> once = with_adapters(network("lenet5"), {.rank = 1, .targets = "all"}, 1);
  EXPECT_EQ(adapted(*once, "regex:^fc1.weight"),
            "the network has a 'fc1.lora_A.weight' already, which is what an adapter of "
            "'fc1.weight' would be called");
}

TEST(Adapters, AreRefusedInTheSingularWhereThereIsOneWeight) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {2, 3}});
  const TensorId weight = add_parameter(net, "w", {3, 4}, UniformDraw{1, 7});
  add_output(net, "y",
             apply(net, {.name = "product",
                         .kind = Operator::MatMul,
                         .attributes = MatMulAttributes{},
                         .inputs = {x, weight}}));
  EXPECT_EQ(adapted(net.model, "attention"),
            "adapters: 'attention' does not choose the one weight of a matrix product, 'w'");
}

// A weight that is given turned, once by a transpose and once by the product, and a batch norm
// behind it whose place changes.
TEST(Adapters, FollowTransposesAndMoveBatchNorms) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {2, 3}});
  const TensorId weight = add_parameter(net, "w", {4, 3}, UniformDraw{1, 7});
  const TensorId turned = apply(net, {.name = "turn",
                                      .kind = Operator::Transpose,
                                      .attributes = TransposeAttributes{{1, 0}},
                                      .inputs = {weight}});
  TensorId y = apply(net, {.name = "product",
                           .kind = Operator::MatMul,
                           .attributes = MatMulAttributes{},
                           .inputs = {x, turned}});
  y = batch_norm(net, "norm", y);
  const TensorId plain = add_parameter(net, "v", {4, 5}, UniformDraw{1, 8});
  add_output(net, "y",
             apply(net, {.name = "last",
                         .kind = Operator::MatMul,
                         .attributes = MatMulAttributes{.alpha = 0.5F},
                         .inputs = {y, plain}}));
  Result<Model> with = with_adapters(net.model, {.rank = 2, .alpha = 6, .targets = "all"}, 1);
  ASSERT_TRUE(with.ok()) << with.error().message;
  EXPECT_FALSE(check_model(*with));
  ASSERT_EQ(with->adapters.size(), 2);
  EXPECT_FALSE(with->adapters[0].weight_is_in_by_out);
  EXPECT_TRUE(with->adapters[1].weight_is_in_by_out);
  EXPECT_EQ(with->adapters[0].scale, 3);
  const auto shape = [&](TensorId id) { return at(with->graph.tensors, id).type.shape; };
  EXPECT_EQ(shape(with->adapters[0].down), (Shape{2, 3}));
  EXPECT_EQ(shape(with->adapters[0].up), (Shape{4, 2}));
  EXPECT_EQ(shape(with->adapters[1].down), (Shape{2, 4}));
  EXPECT_EQ(shape(with->adapters[1].up), (Shape{5, 2}));
  std::string names;
  for (const GraphOperation& operation : with->graph.operations) names += operation.name + " ";
  EXPECT_EQ(names,
            "turn product product.lora_A product.lora_B product.lora norm last last.lora_A "
            "last.lora_B last.lora ");
  EXPECT_EQ(at(with->graph.operations, with->batch_norms[0].operation).name, "norm");
  EXPECT_EQ(at(with->graph.tensors, with->outputs[0].tensor).name, "last");
}

// Nothing else is known of a weight that one product reads turned and another as it lies.
TEST(Adapters, LeaveWeightsAloneThatAreReadBothWays) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {2, 3}});
  const TensorId weight = add_parameter(net, "w", {4, 3}, UniformDraw{1, 7});
  const TensorId code = tied_head(net, "encode", x, weight);
  add_output(net, "y",
             apply(net, {.name = "decode",
                         .kind = Operator::MatMul,
                         .attributes = MatMulAttributes{},
                         .inputs = {code, weight}}));
  EXPECT_EQ(adapted(net.model, "all"),
            "the network has no product with a weight of its own that an adapter could go to");
}

// A begins within 1/sqrt(in), each with other values; B with zeros.
TEST(Adapters, BeginAsTheAuthorsHaveThem) {
  const Model model = *with_adapters(network("lenet5"), {.rank = 2, .targets = "all"}, 1);
  const Adapter& first = model.adapters[0];
  const auto* const draw = std::get_if<UniformDraw>(&model.initial.at(first.down));
  ASSERT_NE(draw, nullptr);
  EXPECT_EQ(draw->bound, 0.05F);  // of 400
  EXPECT_NE(draw->seed, std::get<UniformDraw>(model.initial.at(model.adapters[1].down)).seed);
  const Model other = *with_adapters(network("lenet5"), {.rank = 2, .targets = "all"}, 2);
  EXPECT_NE(draw->seed, std::get<UniformDraw>(other.initial.at(first.down)).seed);
  EXPECT_EQ(std::get<FilledWith>(model.initial.at(first.up)).value, 0);
}

// Two outputs, one of which is dropped with its layer: its adapter goes with it.
TEST(Adapters, GoWithWhatIsNotUsed) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {2, 3}});
  add_output(net, "a", linear(net, "one", x, 4));
  add_output(net, "b", linear(net, "two", x, 5));
  Model model = *with_adapters(net.model, {.rank = 1, .targets = "all"}, 1);
  std::swap(model.outputs[0], model.outputs[1]);
  model.outputs.pop_back();
  model.graph.outputs = {model.outputs[0].tensor};
  remove_unused(model);
  EXPECT_FALSE(check_model(model));
  ASSERT_EQ(model.adapters.size(), 1);
  EXPECT_EQ(at(model.graph.tensors, model.adapters[0].down).name, "two.lora_A.weight");
}

// W + 2 (A' B') by hand, as it lies and turned.
TEST(MergedAdapters, AreTheSumOfBoth) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {1, 2}});
  const TensorId plain = add_parameter(net, "v", {2, 3}, FilledWith{0});
  const TensorId y = linear(net, "fc", x, 3, Bias::Without);
  const TensorId z = apply(net, {.name = "product",
                                 .kind = Operator::MatMul,
                                 .attributes = MatMulAttributes{},
                                 .inputs = {x, plain}});
  add_output(net, "y", apply(net, Operator::Add, "add", {y, z}));
  const Model model = *with_adapters(net.model, {.rank = 1, .alpha = 2, .targets = "all"}, 1);
  ASSERT_EQ(model.adapters.size(), 2);
  const std::vector<float> down = {1, 10};
  const std::vector<float> up = {1, 2, 3};
  const std::vector<float> weight = {0, 100, 200, 300, 400, 500};
  EXPECT_EQ(merged(model, model.adapters[0], {weight, down, up}),
            (std::vector<float>{2, 104, 206, 320, 440, 560}));
  EXPECT_EQ(merged(model, model.adapters[1], {weight, down, up}),
            (std::vector<float>{2, 120, 204, 340, 406, 560}));
}

}  // namespace
}  // namespace poet
