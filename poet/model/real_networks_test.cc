#include "poet/model/real_networks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>

#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

Model network(std::string_view name, const NetworkOptions& options = {}) {
  Result<Model> model = real_network(name, options);
  EXPECT_TRUE(model.ok()) << model.error().message;
  return model.ok() ? *std::move(model) : Model{};
}

// Of a value of one row of 64 float32, drawn as the whole would be.
std::vector<std::byte> initial_bytes_of_few(const Initial& initial) {
  std::vector<std::byte> bytes(256);
  write_initial(initial, {ElementType::Float32, {1, 64}}, 0, bytes);
  return bytes;
}

std::int64_t parameters(const Model& model, std::string_view of = "") {
  std::int64_t count = 0;
  for (const GraphTensor& tensor : model.graph.tensors)
    if (tensor.role == TensorRole::Parameter && tensor.name.starts_with(of))
      count += value_count(tensor.type.shape);
  return count;
}

// Of convolutions and matrix products, as published tables count them.
std::int64_t multiply_adds(const Model& model) {
  std::int64_t count = 0;
  for (const GraphOperation& operation : model.graph.operations)
    if (operation.kind == Operator::Conv || operation.kind == Operator::MatMul) {
      OperationTypes types = types_of(model.graph, operation);
      types.inputs.resize(2);  // without the bias
      if (auto* const product = std::get_if<MatMulAttributes>(&types.attributes))
        product->alpha = 1;
      count += entry_of(operation.kind).flop(types) / 2;
    }
  return count;
}

std::string error(std::string_view name, const NetworkOptions& options) {
  const Result<Model> model = real_network(name, options);
  return model.ok() ? "" : model.error().message;
}

TEST(RealNetwork, HasThePublishedNumberOfParameters) {
  EXPECT_EQ(parameters(network("mlp")), 266'610);
  EXPECT_EQ(parameters(network("lenet5")), 61'706);
  EXPECT_EQ(parameters(network("digits-mlp")), 64 * 16 + 16 + 16 * 10 + 10);
  EXPECT_EQ(parameters(network("digits-cnn")), 9 * 8 + 8 + 72 * 16 + 16 + 64 * 10 + 10);
  EXPECT_EQ(parameters(network("resnet8")), 78'042);
  EXPECT_EQ(parameters(network("resnet18")), 11'689'512);
  EXPECT_EQ(parameters(network("resnet18", {.image_size = 32})), 11'173'962);
  EXPECT_EQ(parameters(network("resnet50")), 25'557'032);
  EXPECT_EQ(parameters(network("resnet50", {.image_size = 32})), 23'520'842);
  EXPECT_EQ(parameters(network("vgg16")), 138'357'544);
  EXPECT_EQ(parameters(network("vgg16", {.image_size = 32})), 15'245'130);
  EXPECT_EQ(parameters(network("mobilenetv2")), 3'504'872);
  EXPECT_EQ(parameters(network("mobilenetv2", {.image_size = 32})), 2'236'682);
  EXPECT_EQ(parameters(network("unet")), 31'037'698);
  EXPECT_EQ(parameters(network("gpt2-small")), 124'439'808);
  EXPECT_EQ(parameters(network("bert-tiny"), "bert."), 4'385'920);
}

// Of the weights that are published, each once.
TEST(RealNetwork, HasThePublishedNumberOfParametersOfLanguageModels) {
  EXPECT_EQ(parameters(network("smollm2-135m")), 134'515'008);
  EXPECT_EQ(parameters(network("gemma-3-270m")), 268'098'176);
  EXPECT_EQ(parameters(network("gemma-3-1b")), 999'885'952);
  EXPECT_EQ(parameters(network("qwen2.5-0.5b")), 494'032'768);
  EXPECT_EQ(parameters(network("qwen2.5-1.5b")), 1'543'714'304);
  EXPECT_EQ(parameters(network("llama-3.2-1b")), 1'235'814'400);
  EXPECT_EQ(parameters(network("llama-3.2-3b")), 3'212'749'824);
  // 512 words; of each layer queries and outputs, keys and values, three products and two norms.
  constexpr std::int64_t kLayer = 2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128 + 2 * 64;
  EXPECT_EQ(parameters(network("llama-tiny")), 512 * 64 + 2 * kLayer + 64);
  // Two more norms in each layer, and two over the 16 values of a head.
  EXPECT_EQ(parameters(network("gemma-tiny")), 512 * 64 + 2 * (kLayer + 2 * 64 + 2 * 16) + 64);
}

// 2 layers of 4 gates of 200 or 650, which the publication calls 20 million, with the embedding and
// the last layer.
TEST(RealNetwork, HasThePublishedNumberOfParametersOfRecurrentNetworks) {
  EXPECT_EQ(parameters(network("lstm-small")), 4'651'600);
  EXPECT_EQ(parameters(network("lstm-medium")), 19'775'200);
  EXPECT_EQ(parameters(network("lstm-medium"), "lstm."), 2 * 4 * 650 * (2 * 650 + 1));
}

TEST(RealNetwork, HasThePublishedNumberOfParametersOfVisionNetworks) {
  EXPECT_EQ(parameters(network("vit-s16")), 22'050'664);
  EXPECT_EQ(parameters(network("convnext-t")), 28'589'128);
  EXPECT_EQ(parameters(network("efficientnet-b0")), 5'288'548);
  EXPECT_EQ(parameters(network("mobilenetv3-small")), 2'542'856);
  EXPECT_EQ(parameters(network("mobilenetv3-large")), 5'483'032);
  EXPECT_EQ(parameters(network("mobilevit-xs")), 2'317'848);
  EXPECT_EQ(parameters(network("mobilevit-s")), 5'578'632);
}

// The authors' list says 0.64, 0.73, 0.74 and 1.73 million parameters, and 12.8, 67.3, 81.8 and
// 125.9 million multiply-adds.
TEST(RealNetwork, HasThePublishedSizesOfNetworksForMicrocontrollers) {
  EXPECT_EQ(parameters(network("mcunet-in1")), 636'232);
  EXPECT_EQ(parameters(network("mcunet-in2")), 729'392);
  EXPECT_EQ(parameters(network("mcunet-in3")), 737'408);
  EXPECT_EQ(parameters(network("mcunet-in4")), 1'732'640);
  EXPECT_EQ(multiply_adds(network("mcunet-in1")), 12'790'096);
  EXPECT_EQ(multiply_adds(network("mcunet-in2")), 67'287'200);
  EXPECT_EQ(multiply_adds(network("mcunet-in3")), 81'785'520);
  EXPECT_EQ(multiply_adds(network("mcunet-in4")), 125'874'400);
}

TEST(RealNetwork, HasThePublishedNumberOfParametersOfDiffusionNetworks) {
  EXPECT_EQ(parameters(network("ddpm-cifar10")), 35'746'307);
}

// The benchmark counts 24,908, running statistics included: two values of each of 9 norms of 64.
TEST(RealNetwork, HasThePublishedNumberOfParametersOfKeywordSpotting) {
  EXPECT_EQ(parameters(network("ds-cnn")), 24'908 - 9 * 2 * 64);
}

TEST(RealNetwork, HasThePublishedPartsOfBert) {
  const Model bert = network("bert-base");
  EXPECT_EQ(parameters(bert, "bert.embeddings."), 23'837'184);
  EXPECT_EQ(parameters(bert, "bert.encoder."), 85'054'464);
  EXPECT_EQ(parameters(bert, "bert.pooler."), 590'592);
  EXPECT_EQ(parameters(bert, "classifier."), 2 * 768 + 2);
}

TEST(RealNetwork, HasThePublishedNumberOfMultiplications) {
  EXPECT_EQ(multiply_adds(network("resnet18")), 1'814'073'344);
  EXPECT_EQ(multiply_adds(network("resnet50")), 4'089'184'256);
  EXPECT_EQ(multiply_adds(network("vgg16")), 15'470'264'320);
  EXPECT_EQ(multiply_adds(network("mobilenetv2")), 300'774'272);
}

// 12 layers of four products of 768 x 768, two of 768 x 3072, scores and context; and the head.
TEST(RealNetwork, MultipliesAsBertDoes) {
  constexpr std::int64_t kTokens = 128;
  constexpr std::int64_t kLayer = kTokens * (12 * 768 * 768) + 2 * kTokens * kTokens * 768;
  EXPECT_EQ(multiply_adds(network("bert-base")), 12 * kLayer + 768 * 768 + 768 * 2);
}

class EveryRealNetwork : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryRealNetwork, IsAWellFormedModelAtSeveralSizes) {
  for (const RealNetwork& row : real_network_table()) {
    if (row.name != GetParam()) continue;
    NetworkOptions larger{.batch_size = 3, .dropout_probability = 0.0F, .seed = 9};
    if (row.image_size) larger.image_size = std::max<std::int64_t>(64, row.image_size_multiple);
    if (row.sequence_length)
      larger.sequence_length = std::min<std::int64_t>(row.most_sequence_length, 1024);
    if (row.classes) larger.classes = 7;
    NetworkOptions least;
    if (row.image_size) least.image_size = row.least_image_size;
    if (row.sequence_length) least.sequence_length = 1;
    for (const NetworkOptions& options : {NetworkOptions{}, larger, least}) {
      const Model model = network(row.name, options);
      const Failure failure = check_model(model);
      EXPECT_FALSE(failure) << failure->message;
    }
  }
}

TEST_P(EveryRealNetwork, DrawsEveryParameterWithASeedOfItsOwn) {
  std::set<std::uint64_t> seeds;
  const Model model = network(GetParam());
  for (const auto& [tensor, initial] : model.initial) {
    if (const auto* const uniform = std::get_if<UniformDraw>(&initial)) {
      EXPECT_TRUE(seeds.insert(uniform->seed).second);
    }
    if (const auto* const normal = std::get_if<NormalDraw>(&initial)) {
      EXPECT_TRUE(seeds.insert(normal->seed).second);
    }
  }
  EXPECT_GT(seeds.size(), 2U);
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const RealNetwork& row : real_network_table()) all.push_back(row.name);
  return all;
}

// Or one that was trained with two examples a step would be another network when it is asked for
// one.
TEST_P(EveryRealNetwork, BeginsWithTheSameValuesAtEveryBatchSize) {
  const Model one = network(GetParam(), {.batch_size = 1});
  const Model two = network(GetParam(), {.batch_size = 2});
  std::map<std::string, const Initial*> initial;
  for (const auto& [id, value] : two.initial)
    initial.emplace(at(two.graph.tensors, id).name, &value);
  for (const auto& [id, value] : one.initial) {
    const GraphTensor& tensor = at(one.graph.tensors, id);
    if (tensor.role != TensorRole::Parameter) continue;
    ASSERT_TRUE(initial.contains(tensor.name)) << tensor.name;
    EXPECT_EQ(initial_bytes_of_few(value), initial_bytes_of_few(*initial.at(tensor.name)))
        << tensor.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryRealNetwork, ::testing::ValuesIn(names()),
                         [](const ::testing::TestParamInfo<std::string_view>& row) {
                           std::string name(row.param);
                           for (char& letter : name)
                             if (std::isalnum(static_cast<unsigned char>(letter)) == 0)
                               letter = '_';
                           return name;
                         });

TEST(RealNetwork, CallsInputsOutputsAndParametersByTheirUsualNames) {
  const Model model = network("resnet18", {.batch_size = 2, .image_size = 64, .classes = 5});
  ASSERT_EQ(model.inputs.size(), 1U);
  EXPECT_EQ(model.inputs[0].name, "image");
  EXPECT_EQ(at(model.graph.tensors, model.inputs[0].tensor).type.shape, (Shape{2, 3, 64, 64}));
  ASSERT_EQ(model.outputs.size(), 1U);
  EXPECT_EQ(model.outputs[0].name, "logits");
  EXPECT_EQ(at(model.graph.tensors, model.outputs[0].tensor).type.shape, (Shape{2, 5}));
  std::set<std::string> names_of_tensors;
  for (const GraphTensor& tensor : model.graph.tensors) names_of_tensors.insert(tensor.name);
  for (const char* const name : {"conv1.weight", "bn1.running_var", "layer1.0.conv1.weight",
                                 "layer2.0.downsample.0.weight", "layer4.1.bn2.bias", "fc.bias"})
    EXPECT_TRUE(names_of_tensors.contains(name)) << name;
}

TEST(RealNetwork, LeavesDropoutsOutWhenAsked) {
  const auto dropouts = [](const Model& model) {
    int count = 0;
    for (const GraphOperation& operation : model.graph.operations)
      count += operation.kind == Operator::Dropout ? 1 : 0;
    return count;
  };
  EXPECT_EQ(dropouts(network("bert-tiny")), 8);
  EXPECT_EQ(dropouts(network("bert-tiny", {.dropout_probability = 0.0F})), 0);
}

TEST(RealNetwork, SaysWhatIsWrong) {
  EXPECT_EQ(error("resnet", {}), "unknown network 'resnet'; did you mean 'resnet8'?");
  EXPECT_EQ(error("alphafold", {}), "unknown network 'alphafold'; 'poet models' lists them");
  EXPECT_EQ(error("bert-tiny", {.image_size = 32}), "bert-tiny has no image size: leave it out");
  EXPECT_EQ(error("gpt2-tiny", {.classes = 32}),
            "gpt2-tiny has no number of classes: leave it out");
  EXPECT_EQ(error("resnet18", {.sequence_length = 2}),
            "resnet18 has no sequence length: leave it out");
  EXPECT_EQ(error("ds-cnn", {.image_size = 32}), "ds-cnn has no image size: leave it out");
  EXPECT_EQ(error("ddpm-tiny", {.classes = 10}),
            "ddpm-tiny has no number of classes: leave it out");
  EXPECT_EQ(error("llama-3.2-1b", {.image_size = 32}),
            "llama-3.2-1b has no image size: leave it out");
  EXPECT_EQ(error("smollm2-135m", {.sequence_length = 8193}),
            "the sequence length is 8193: smollm2-135m takes up to 8192");
  EXPECT_EQ(error("vit-s16", {.image_size = 40}),
            "the image size is 40: vit-s16 needs a multiple of 16");
  EXPECT_EQ(error("vgg16", {.image_size = 31}), "the image size is 31: vgg16 needs at least 32");
  EXPECT_EQ(error("unet", {.image_size = 40}), "the image size is 40: unet needs a multiple of 16");
  EXPECT_EQ(error("mlp", {.image_size = 0}), "the image size is 0: it must be at least 1");
  EXPECT_EQ(error("bert-base", {.sequence_length = 513}),
            "the sequence length is 513: bert-base takes up to 512");
  EXPECT_EQ(error("mlp", {.batch_size = 0}), "the batch size is 0: it must be at least 1");
  EXPECT_EQ(error("mlp", {.dropout_probability = 1.0F}),
            "the dropout probability is 1: it must be at least 0 and less than 1");
}

TEST(RealNetwork, RefusesSizesThatAreTooLarge) {
  EXPECT_EQ(error("resnet18", {.batch_size = 1'000'000'000}),
            "resnet18 is too large at these sizes: image has the shape (1000000000, 3, 224, 224): "
            "a tensor has at most 2147483647 values");
  EXPECT_EQ(error("resnet50", {.batch_size = 10'000}),
            "resnet50 is too large at these sizes: the output of conv1 has the shape "
            "(10000, 64, 112, 112): a tensor has at most 2147483647 values");
  for (const RealNetwork& row : real_network_table())
    EXPECT_NE(error(row.name, {.batch_size = std::int64_t{1} << 62}), "") << row.name;
}

}  // namespace
}  // namespace poet
