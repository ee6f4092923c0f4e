#include "poet/model/load_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "poet/base/json_out.h"
#include "poet/model/published_config.h"
#include "poet/model/real_networks.h"

namespace poet {
namespace {

template <typename Value>
SafeTensor tensor_of(const std::string& name, SafeType type, Shape shape,
                     const std::vector<Value>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(Value));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {.name = name, .type = type, .shape = std::move(shape), .values = store(std::move(bytes))};
}

Model network(const std::string& name) {
  Result<Model> model = real_network(name, {.batch_size = 1});
  EXPECT_TRUE(model.ok());
  return *std::move(model);
}

void put(PublishedWeights& weights, SafeTensor tensor) {
  weights.tensors[tensor.name] = std::move(tensor);
}

// Every tensor as the network's weights are published, with values that tell places apart.
PublishedWeights weights_for(const Model& model, const std::string& name) {
  PublishedWeights weights{.path = "folder"};
  float first = 0;
  for (const PublishedTensor& tensor : published_form(model, name)) {
    std::vector<float> values(static_cast<std::size_t>(value_count(tensor.shape)));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<float>(i);
    put(weights, tensor_of(tensor.name, SafeType::Float32, tensor.shape, values));
    first += 0.25F;
  }
  return weights;
}

TensorId tensor_called(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i)
    if (model.graph.tensors[i].name == name) return static_cast<TensorId>(i);
  ADD_FAILURE() << "no " << name;
  return {};
}

std::vector<float> values_of(const Model& model, const std::string& name) {
  const TensorId id = tensor_called(model, name);
  const std::vector<std::byte> bytes =
      initial_bytes(model.initial.at(id), at(model.graph.tensors, id).type);
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<float> published(const PublishedWeights& weights, const std::string& name) {
  const std::span<const std::byte> bytes = weights.tensors.at(name).values.bytes;
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string refusal(const PublishedWeights& weights, const std::string& name,
                    MissingWeights missing = MissingWeights::Refused) {
  Model model = network(name);
  const Failure failure = load_weights(weights, name, missing, model);
  return failure ? to_string(*failure) : "was taken";
}

// --- Names

WeightPlace place(const std::string& network, std::size_t naming, const std::string& ours) {
  return place_of(weight_family(network).namings.at(naming), ours);
}

TEST(WeightNames, AreThoseOfThePublishedFiles) {
  using enum WeightLayout;
  EXPECT_EQ(place("llama-3.2-1b", 0, "model.layers.15.self_attn.q_proj.weight"),
            (WeightPlace{"model.layers.15.self_attn.q_proj.weight", Same, 0, 1}));
  EXPECT_EQ(place("llama-3.2-1b", 1, "model.norm.weight"),
            (WeightPlace{"norm.weight", Same, 0, 1}));
  EXPECT_EQ(place("gpt2-small", 0, "transformer.h.11.attn.value.weight"),
            (WeightPlace{"transformer.h.11.attn.c_attn.weight", Transposed, 2, 3}));
  EXPECT_EQ(place("gpt2-small", 1, "transformer.h.0.attn.query.bias"),
            (WeightPlace{"h.0.attn.c_attn.bias", Same, 0, 3}));
  EXPECT_EQ(place("gpt2-small", 1, "transformer.h.0.mlp.c_proj.dense.weight"),
            (WeightPlace{"h.0.mlp.c_proj.weight", Transposed, 0, 1}));
  EXPECT_EQ(place("gpt2-small", 1, "transformer.wte.weight"),
            (WeightPlace{"wte.weight", Same, 0, 1}));
  EXPECT_EQ(place("bert-base", 1, "bert.encoder.layer.3.attention.output.LayerNorm.bias"),
            (WeightPlace{"bert.encoder.layer.3.attention.output.LayerNorm.beta", Same, 0, 1}));
  EXPECT_EQ(place("vit-s16", 0, "blocks.7.attn.key.weight"),
            (WeightPlace{"vit.encoder.layer.7.attention.attention.key.weight", Same, 0, 1}));
  EXPECT_EQ(place("vit-s16", 0, "blocks.7.attn.proj.bias"),
            (WeightPlace{"vit.encoder.layer.7.attention.output.dense.bias", Same, 0, 1}));
  EXPECT_EQ(place("vit-s16", 1, "blocks.7.attn.key.weight"),
            (WeightPlace{"blocks.7.attn.qkv.weight", Same, 1, 3}));
  EXPECT_EQ(place("convnext-t", 0, "stages.2.blocks.8.gamma"),
            (WeightPlace{"convnext.encoder.stages.2.layers.8.layer_scale_parameter", Same, 0, 1}));
  EXPECT_EQ(place("convnext-t", 0, "stages.2.downsample.1.bias"),
            (WeightPlace{"convnext.encoder.stages.2.downsampling_layer.1.bias", Same, 0, 1}));
  EXPECT_EQ(place("mobilevit-s", 1, "stages.1.2.expand.0.weight"),
            (WeightPlace{"stages.1.2.conv1_1x1.conv.weight", Same, 0, 1}));
  EXPECT_EQ(place("mobilevit-s", 1, "stages.3.0.reduce.1.running_var"),
            (WeightPlace{"stages.3.0.conv3_1x1.bn.running_var", Same, 0, 1}));
  EXPECT_EQ(place("mobilevit-s", 1, "stages.4.1.transformer.2.attn.value.bias"),
            (WeightPlace{"stages.4.1.transformer.2.attn.qkv.bias", Same, 2, 3}));
  EXPECT_EQ(place("mobilevit-s", 1, "stages.4.1.transformer.2.attn.proj.bias"),
            (WeightPlace{"stages.4.1.transformer.2.attn.proj.bias", Same, 0, 1}));
  EXPECT_EQ(place("mobilevit-s", 0, "stages.1.2.depthwise.0.weight"),
            (WeightPlace{"mobilevit.encoder.layer.1.layer.2.conv_3x3.convolution.weight", Same}));
  EXPECT_EQ(place("mobilevit-s", 0, "stages.3.0.reduce.1.running_var"),
            (WeightPlace{"mobilevit.encoder.layer.3.downsampling_layer.reduce_1x1.normalization."
                         "running_var",
                         Same}));
  EXPECT_EQ(place("mobilevit-s", 0, "stages.4.1.transformer.2.attn.value.bias"),
            (WeightPlace{"mobilevit.encoder.layer.4.transformer.layer.2.attention.attention.value."
                         "bias",
                         Same}));
  EXPECT_EQ(
      place("mobilevit-s", 0, "stages.4.1.transformer.2.mlp.fc2.weight"),
      (WeightPlace{"mobilevit.encoder.layer.4.transformer.layer.2.output.dense.weight", Same}));
  EXPECT_EQ(place("mobilevit-s", 0, "stages.2.1.conv_1x1.weight"),
            (WeightPlace{"mobilevit.encoder.layer.2.conv_1x1.convolution.weight", Same}));
  EXPECT_EQ(place("ddpm-cifar10", 0, "up.3.2.conv1.weight"),
            (WeightPlace{"up_blocks.0.resnets.2.conv1.weight", Same}));
  EXPECT_EQ(place("ddpm-cifar10", 0, "up.1.0.attn.proj.weight"),
            (WeightPlace{"up_blocks.2.attentions.0.to_out.0.weight", Flat}));
  EXPECT_EQ(place("ddpm-cifar10", 1, "mid.attn.proj.bias"),
            (WeightPlace{"mid_block.attentions.0.proj_attn.bias", Same}));
  EXPECT_EQ(place("ddpm-cifar10", 0, "down.1.1.attn.norm.weight"),
            (WeightPlace{"down_blocks.1.attentions.1.group_norm.weight", Same}));
  EXPECT_EQ(place("ddpm-cifar10", 0, "down.2.downsample.bias"),
            (WeightPlace{"down_blocks.2.downsamplers.0.conv.bias", Same}));
  EXPECT_EQ(place("ddpm-cifar10", 0, "time.fc2.weight"),
            (WeightPlace{"time_embedding.linear_2.weight", Same}));
  EXPECT_EQ(place("efficientnet-b0", 1, "features.1.0.block.0.1.bias"),
            (WeightPlace{"blocks.0.0.bn1.bias", Same, 0, 1}));
  EXPECT_EQ(place("efficientnet-b0", 1, "features.1.0.block.2.0.weight"),
            (WeightPlace{"blocks.0.0.conv_pw.weight", Same, 0, 1}));
  EXPECT_EQ(place("efficientnet-b0", 1, "features.4.2.block.1.1.weight"),
            (WeightPlace{"blocks.3.2.bn2.weight", Same, 0, 1}));
  EXPECT_EQ(place("efficientnet-b0", 1, "features.4.2.block.2.fc1.bias"),
            (WeightPlace{"blocks.3.2.se.conv_reduce.bias", Same, 0, 1}));
  EXPECT_EQ(place("efficientnet-b0", 1, "features.7.0.block.3.0.weight"),
            (WeightPlace{"blocks.6.0.conv_pwl.weight", Same, 0, 1}));
  EXPECT_EQ(place("efficientnet-b0", 1, "features.7.0.block.3.1.weight"),
            (WeightPlace{"blocks.6.0.bn3.weight", Same, 0, 1}));
  EXPECT_EQ(place("resnet18", 0, "layer1.0.conv1.weight"),
            (WeightPlace{"layer1.0.conv1.weight", Same, 0, 1}));
}

// Every tensor of these networks is called otherwise by some row: none is forgotten.
TEST(WeightNames, LeaveNoTensorOfVisionNetworksWithoutARow) {
  for (const std::string name : {"vit-s16", "convnext-t"}) {
    const Model model = network(name);
    for (const PublishedTensor& tensor : published_form(model, name))
      EXPECT_TRUE(tensor.name.starts_with("vit.") || tensor.name.starts_with("convnext.") ||
                  tensor.name.starts_with("classifier."))
          << tensor.name;
  }
}

// No name of ours is left, and none meets another.
TEST(WeightNames, HaveTheModulesOfTransformersAndDiffusers) {
  for (const std::string name : {"mobilevit-xs", "mobilevit-s", "ddpm-tiny", "ddpm-cifar10"})
    for (std::size_t k = 0; k < (name.starts_with("ddpm") ? 2U : 1U); ++k) {
      const WeightNaming naming = weight_family(name).namings[k];
      std::set<std::string> places;
      for (const GraphTensor& tensor : network(name).graph.tensors) {
        if (tensor.role != TensorRole::Parameter && tensor.role != TensorRole::Statistic) continue;
        const std::string theirs = place_of(naming, tensor.name).name;
        EXPECT_TRUE(places.insert(theirs).second) << theirs;
        EXPECT_TRUE(theirs != tensor.name || theirs.starts_with("conv_in") ||
                    theirs.starts_with("conv_out"))
            << theirs;
        for (const std::string ours : {"stages.", "down.", "up.", "mid.", ".attn.", ".time."})
          EXPECT_FALSE(theirs.starts_with(ours) || theirs.find(ours) != theirs.npos) << theirs;
      }
    }
}

// As many modules of each kind as timm has: none is forgotten, and none meets another.
TEST(WeightNames, HaveTimmsModulesOfNetworksForPhones) {
  for (const std::string name : {"mobilevit-xs", "efficientnet-b0"}) {
    const Model model = network(name);
    const WeightNaming naming = weight_family(name).namings[1];
    std::set<std::pair<std::string, std::int64_t>> places;
    for (const GraphTensor& tensor : model.graph.tensors) {
      if (tensor.role != TensorRole::Parameter && tensor.role != TensorRole::Statistic) continue;
      const WeightPlace found = place_of(naming, tensor.name);
      EXPECT_TRUE(places.emplace(found.name, found.part).second) << found.name;
      if (found.name.starts_with("head.fc") || found.name.find("mlp.fc") != std::string::npos)
        continue;
      for (const std::string ours :
           {"features.", ".block.", ".fc", ".expand.", ".depthwise.", ".0.weight", ".1.weight"})
        EXPECT_EQ(found.name.find(ours), std::string::npos) << found.name;
    }
  }
}

TEST(WeightNames, PatternsStandForNumbersAndTexts) {
  EXPECT_TRUE(fits("h.#.bias", "h.12.bias"));
  EXPECT_FALSE(fits("h.#.bias", "h..bias"));
  EXPECT_FALSE(fits("h.#.bias", "h.1x.bias"));
  EXPECT_TRUE(fits("*h.#.bias", "transformer.h.3.bias"));
  EXPECT_TRUE(fits("*", ""));
  EXPECT_FALSE(fits("a*", "ba"));
}

// --- Values

TEST(LoadWeights, TakesOverEveryValueOfADecoder) {
  Model model = network("llama-tiny");
  const PublishedWeights weights = weights_for(model, "llama-tiny");
  ASSERT_FALSE(load_weights(weights, "llama-tiny", MissingWeights::Refused, model));
  EXPECT_TRUE(model.notes.empty());
  int learnt = 0;
  for (const GraphTensor& tensor : model.graph.tensors) {
    if (tensor.role != TensorRole::Parameter) continue;
    ++learnt;
    EXPECT_EQ(values_of(model, tensor.name), published(weights, tensor.name)) << tensor.name;
  }
  EXPECT_EQ(learnt, 20);
  // Not copied: they are the file's.
  const Initial& norm = model.initial.at(tensor_called(model, "model.norm.weight"));
  EXPECT_EQ(std::get<StoredBytes>(norm).bytes.data(),
            weights.tensors.at("model.norm.weight").values.bytes.data());
}

TEST(LoadWeights, TurnsAndDividesMatricesOfGpt2) {
  Model model = network("gpt2-tiny");
  const PublishedWeights weights = weights_for(model, "gpt2-tiny");
  ASSERT_FALSE(load_weights(weights, "gpt2-tiny", MissingWeights::Refused, model));
  const std::vector<float> theirs = published(weights, "transformer.h.1.attn.c_attn.weight");
  ASSERT_EQ(theirs.size(), std::size_t{128} * 384);
  std::size_t part = 0;
  for (const char* const which : {"query", "key", "value"}) {
    const std::vector<float> ours =
        values_of(model, std::string("transformer.h.1.attn.") + which + ".weight");
    ASSERT_EQ(ours.size(), std::size_t{128} * 128);
    for (std::size_t to = 0; to < 128; ++to)
      for (std::size_t from = 0; from < 128; ++from)
        ASSERT_EQ(ours[to * 128 + from], theirs[from * 384 + part * 128 + to]);
    ++part;
  }
  const std::vector<float> biases = published(weights, "transformer.h.1.attn.c_attn.bias");
  const std::vector<float> keys = values_of(model, "transformer.h.1.attn.key.bias");
  EXPECT_TRUE(std::equal(keys.begin(), keys.end(), biases.begin() + 128));
}

TEST(LoadWeights, FindsTheNamesOfTheFirstFileOfGpt2) {
  Model model = network("gpt2-tiny");
  PublishedWeights weights{.path = "folder"};
  const std::string prefix = "transformer.";
  for (auto& [name, tensor] : weights_for(model, "gpt2-tiny").tensors) {
    tensor.name = name.substr(prefix.size());
    put(weights, tensor);
  }
  put(weights, tensor_of<float>("h.0.attn.bias", SafeType::Float32, {1}, {0}));
  ASSERT_FALSE(load_weights(weights, "gpt2-tiny", MissingWeights::Refused, model));
  EXPECT_EQ(values_of(model, "transformer.ln_f.weight"), published(weights, "ln_f.weight"));
}

// diffusers has matrices where the network has convolutions of one pixel.
TEST(LoadWeights, TakesMatricesForConvolutionsOfOnePixel) {
  const Model before = network("ddpm-tiny");
  PublishedWeights weights = weights_for(before, "ddpm-tiny");
  const std::string name = "mid_block.attentions.0.to_v.weight";
  EXPECT_EQ(weights.tensors.at(name).shape, (Shape{64, 64}));
  Model model = network("ddpm-tiny");
  ASSERT_FALSE(load_weights(weights, "ddpm-tiny", MissingWeights::Refused, model));
  EXPECT_EQ(values_of(model, "mid.attn.v.weight"), published(weights, name));
  SafeTensor pixels = weights.tensors.at(name);
  pixels.shape = {64, 64, 1, 1};
  put(weights, pixels);
  EXPECT_EQ(refusal(weights, "ddpm-tiny"),
            "folder: the weights are not those of ddpm-tiny: they have '" + name +
                "' as (64, 64, 1, 1) where it takes (64, 64)");
}

TEST(LoadWeights, WidensWhatIsNarrower) {
  Model model = network("llama-tiny");
  PublishedWeights weights = weights_for(model, "llama-tiny");
  const std::vector<std::uint16_t> brain = {0x3F80, 0xBF80, 0x7F80, 0x0001, 0x4049};
  const std::vector<std::uint16_t> half = {0x3C00, 0xC000, 0x7BFF, 0x0001, 0x7C00};
  std::vector<std::uint16_t> brains(64, 0);
  std::vector<std::uint16_t> halves(64, 0);
  std::vector<double> doubles(64, 0.1);
  std::copy(brain.begin(), brain.end(), brains.begin());
  std::copy(half.begin(), half.end(), halves.begin());
  const std::string first = "model.layers.0.input_layernorm.weight";
  const std::string second = "model.layers.1.input_layernorm.weight";
  const std::string third = "model.norm.weight";
  put(weights, tensor_of(first, SafeType::BFloat16, {64}, brains));
  put(weights, tensor_of(second, SafeType::Float16, {64}, halves));
  put(weights, tensor_of(third, SafeType::Float64, {64}, doubles));
  ASSERT_FALSE(load_weights(weights, "llama-tiny", MissingWeights::Refused, model));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> from_brain = {1, -1, kInfinity, 0x1p-133F, 3.140625F};
  const std::vector<float> from_half = {1, -2, 65504, 0x1p-24F, kInfinity};
  const std::vector<float> a = values_of(model, first);
  const std::vector<float> b = values_of(model, second);
  EXPECT_TRUE(std::equal(from_brain.begin(), from_brain.end(), a.begin()));
  EXPECT_TRUE(std::equal(from_half.begin(), from_half.end(), b.begin()));
  EXPECT_EQ(values_of(model, third)[63], 0.1F);
}

// Whoever asks for a part of the values may begin and end in the middle of one.
TEST(LoadWeights, GivesAnyBytesOfConvertedValues) {
  Model model = network("gpt2-tiny");
  const PublishedWeights weights = weights_for(model, "gpt2-tiny");
  ASSERT_FALSE(load_weights(weights, "gpt2-tiny", MissingWeights::Refused, model));
  const TensorId id = tensor_called(model, "transformer.h.0.mlp.c_fc.weight");
  const TensorType& type = at(model.graph.tensors, id).type;
  const Initial& initial = model.initial.at(id);
  const std::vector<std::byte> whole = initial_bytes(initial, type);
  for (const std::int64_t begin : {0, 1, 6, 511})
    for (const std::size_t count : {1U, 2U, 3U, 4U, 9U}) {
      std::vector<std::byte> piece(count);
      write_initial(initial, type, begin, piece);
      EXPECT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + begin));
    }
}

TEST(LoadWeights, RefusesDoublesBeyondFloats) {
  PublishedWeights weights = weights_for(network("llama-tiny"), "llama-tiny");
  std::vector<double> values(64, 1);
  values[7] = 1e39;
  put(weights, tensor_of("model.norm.weight", SafeType::Float64, {64}, values));
  EXPECT_EQ(refusal(weights, "llama-tiny"),
            "folder: 'model.norm.weight' holds 1e+39, which is beyond float32, the type that POET "
            "calculates with");
}

// --- What does not fit

TEST(LoadWeights, NamesEverythingThatDiffersAtOnce) {
  PublishedWeights weights = weights_for(network("llama-tiny"), "llama-tiny");
  weights.tensors.erase("model.norm.weight");
  weights.tensors.erase("model.layers.1.mlp.up_proj.weight");
  put(weights, tensor_of<float>("other", SafeType::Float32, {1}, {1}));
  put(weights,
      tensor_of<float>("model.layers.0.input_layernorm.weight", SafeType::Float32, {1, 2}, {1, 2}));
  put(weights, tensor_of("model.layers.1.input_layernorm.weight", SafeType::Int8, {64},
                         std::vector<std::int8_t>(64)));
  put(weights, tensor_of<float>("model.rotary_emb.inv_freq", SafeType::Float32, {1}, {1}));
  EXPECT_EQ(refusal(weights, "llama-tiny"),
            "folder: the weights are not those of llama-tiny: they lack "
            "'model.layers.1.mlp.up_proj.weight', 'model.norm.weight'; they have "
            "'model.layers.0.input_layernorm.weight' as (1, 2) where it takes (64); llama-tiny has "
            "no place for 'other'; parameters can be F32, F16, BF16 and F64, and they have "
            "'model.layers.1.input_layernorm.weight' as I8");
}

// Whose ends tell them apart.
TEST(LoadWeights, NamesLongNamesToTheirEnd) {
  PublishedWeights weights = weights_for(network("bert-tiny"), "bert-tiny");
  weights.tensors.erase("bert.encoder.layer.1.attention.output.LayerNorm.bias");
  EXPECT_EQ(refusal(weights, "bert-tiny"),
            "folder: the weights are not those of bert-tiny: they lack "
            "'bert.encoder.layer.1.attention.output.LayerNorm.bias'");
}

// A header may have names of megabytes, which every pattern of the table is held against.
TEST(LoadWeights, TakesNamesOfAnyLength) {
  PublishedWeights weights{.path = "folder"};
  put(weights, tensor_of<float>(std::string(2'000'000, '1'), SafeType::Float32, {1}, {1}));
  EXPECT_TRUE(refusal(weights, "llama-tiny").starts_with("folder: the weights are not those of"));
}

TEST(LoadWeights, BeginsWithInitialValuesWhereThatIsAsked) {
  PublishedWeights weights = weights_for(network("llama-tiny"), "llama-tiny");
  weights.tensors.erase("model.norm.weight");
  put(weights, tensor_of<float>("other", SafeType::Float32, {1}, {1}));
  Model model = network("llama-tiny");
  ASSERT_FALSE(load_weights(weights, "llama-tiny", MissingWeights::AsInitial, model));
  EXPECT_EQ(values_of(model, "model.norm.weight"), std::vector<float>(64, 1));
  EXPECT_EQ(values_of(model, "model.embed_tokens.weight"),
            published(weights, "model.embed_tokens.weight"));
  ASSERT_EQ(model.notes.size(), 1U);
  EXPECT_EQ(model.notes[0],
            "the weights in 'folder' are not those of all of llama-tiny, and the rest begins with "
            "values of its own: they lack 'model.norm.weight'; llama-tiny has no place for "
            "'other'");
}

TEST(LoadWeights, RefusesWeightsOfWhichNothingIsTheNetworks) {
  PublishedWeights weights{.path = "folder"};
  put(weights, tensor_of<float>("other", SafeType::Float32, {1}, {1}));
  const std::string sentence = refusal(weights, "llama-tiny", MissingWeights::AsInitial);
  EXPECT_TRUE(
      sentence.starts_with("folder: the weights are not those of llama-tiny: they lack "
                           "'model.embed_tokens.weight', "))
      << sentence;
}

TEST(LoadWeights, TakesATiedHeadThatIsTheEmbeddingOnly) {
  PublishedWeights weights = weights_for(network("llama-tiny"), "llama-tiny");
  SafeTensor head = weights.tensors.at("model.embed_tokens.weight");
  head.name = "lm_head.weight";
  put(weights, head);
  EXPECT_EQ(refusal(weights, "llama-tiny"), "was taken");
  PublishedWeights alone = weights;
  alone.tensors.erase("model.embed_tokens.weight");
  EXPECT_EQ(refusal(alone, "llama-tiny"), "was taken");
  std::vector<float> other = published(weights, "lm_head.weight");
  other.back() += 1;
  put(weights, tensor_of("lm_head.weight", SafeType::Float32, {512, 64}, other));
  EXPECT_EQ(refusal(weights, "llama-tiny"),
            "folder: 'model.embed_tokens.weight' and 'lm_head.weight' differ, and the network has "
            "one tensor for both");
}

// --- Configurations

PublishedConfig config(const std::string& text) {
  return {"config.json", *parse_json(text, "config.json")};
}

TEST(LoadWeights, ComparesTheConfigurationFirst) {
  PublishedWeights weights{.path = "folder"};
  weights.config = config(R"({"model_type": "llama", "vocab_size": 512, "hidden_size": 2048,
"num_hidden_layers": 16, "rms_norm_eps": 1e-05, "rope_scaling": {"factor": 32.0}})");
  EXPECT_EQ(refusal(weights, "llama-tiny"),
            "config.json:1:59: the configuration is of another network than llama-tiny: "
            "hidden_size is 2048 and not 64, num_hidden_layers is 16 and not 2, rope_scaling is an "
            "object and not absent");
  weights.config = config(R"({"model_type": "gemma3_text"})");
  EXPECT_EQ(refusal(weights, "llama-tiny"),
            "config.json:1:16: the configuration is of another network than llama-tiny: model_type "
            "is \"gemma3_text\" and not \"llama\"");
  weights.config = config(R"({"depths": [3, 3, 27, 3]})");
  EXPECT_EQ(refusal(weights, "convnext-t"),
            "config.json:1:12: the configuration is of another network than convnext-t: depths is "
            "[3, 3, 27, 3] and not [3, 3, 9, 3]");
  weights.config = config(R"({"down_block_types": ["DownBlock2D", "DownBlock2D"]})");
  EXPECT_EQ(refusal(weights, "ddpm-tiny"),
            "config.json:1:22: the configuration is of another network than ddpm-tiny: "
            "down_block_types is [\"DownBlock2D\", \"DownBlock2D\"] and not [\"DownBlock2D\", "
            "\"DownBlock2D\", \"AttnDownBlock2D\"]");
  // A key that the network's own library does not have.
  weights.config = config(R"({"model_type": "mobilevit"})");
  EXPECT_EQ(refusal(weights, "ddpm-tiny"),
            "config.json:1:16: the configuration is of another network than ddpm-tiny: model_type "
            "is \"mobilevit\" and not absent");
  weights.config = config(R"({"_class_name": "UNet2DModel"})");
  EXPECT_EQ(refusal(weights, "mobilevit-s"),
            "config.json:1:17: the configuration is of another network than mobilevit-s: "
            "_class_name is \"UNet2DModel\" and not absent");
  weights.config = config(R"({"depths": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]})");
  EXPECT_EQ(refusal(weights, "convnext-t"),
            "config.json:1:12: the configuration is of another network than convnext-t: depths is "
            "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, and 2 more] and not [3, 3, 9, 3]");
  weights.config = config("[]");
  EXPECT_EQ(refusal(weights, "llama-tiny"),
            "config.json:1:1: a configuration must be an object, found a list");
}

TEST(LoadWeights, IsContentWithTheConfigurationThatItWrites) {
  for (const std::string name :
       {"llama-tiny", "llama-3.2-1b", "gemma-3-270m", "qwen2.5-0.5b", "gpt2-small", "bert-base",
        "vit-s16", "convnext-t", "mobilevit-s", "ddpm-tiny", "ddpm-cifar10"}) {
    const std::optional<JsonOut> written = config_of(name);
    ASSERT_TRUE(written) << name;
    const Result<JsonValue> read = parse_json(json_text(*written), "config.json");
    ASSERT_TRUE(read.ok());
    EXPECT_FALSE(check_config(*read, "config.json", name)) << name;
  }
  EXPECT_FALSE(config_of("lenet5"));
}

}  // namespace
}  // namespace poet
