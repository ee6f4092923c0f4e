// Layers of transformers, and the networks that consist of them:
// - encoders of J. Devlin, M.-W. Chang, K. Lee, K. Toutanova, "BERT: pre-training of deep
//   bidirectional transformers for language understanding" (NAACL 2019), with a classifier for
//   whole sequences. All are as long as the batch's: there is no padding to be hidden;
// - decoders of A. Radford, J. Wu, R. Child, D. Luan, D. Amodei, I. Sutskever, "Language models are
//   unsupervised multitask learners" (2019);
// - A. Dosovitskiy et al., "An image is worth 16x16 words" (ICLR 2021), at the small size of H.
//   Touvron et al., "Training data-efficient image transformers" (ICML 2021).
#include "poet/model/zoo/transformer.h"

#include <cstring>
#include <utility>
#include <vector>

namespace poet {

TensorId add_tokens(NetworkBuilder& net, const std::string& name, const NetworkSizes& sizes) {
  return add_input(net, name, {ElementType::Int64, {sizes.batch, sizes.sequence}});
}

TensorId positions(NetworkBuilder& net, const std::string& name, const NetworkSizes& sizes,
                   const Embedding& table) {
  const TensorId weight = add_embedding_weight(net, name, table);
  if (sizes.sequence == table.rows) return weight;
  return apply(net, {.name = name,
                     .kind = Operator::Slice,
                     .attributes = SliceAttributes{.start = {0, 0},
                                                   .step = {1, 1},
                                                   .extent = {sizes.sequence, table.features}},
                     .inputs = {weight}});
}

TensorId self_attention(NetworkBuilder& net, const std::string& name, TensorId x,
                        const Attention& layer) {
  const std::int64_t features = extent(net, x, 2);
  const TensorId query = linear(net, name + ".query", x, features);
  const TensorId key = linear(net, name + ".key", x, features);
  const TensorId value = linear(net, name + ".value", x, features);
  return attention(net, name, {.query = query, .key = key, .value = value}, layer);
}

TensorId linear_and_add(NetworkBuilder& net, const std::string& name, TensorId x,
                        TensorId shortcut) {
  x = linear(net, name + ".dense", x, extent(net, shortcut, 2));
  x = dropout(net, name + ".dropout", x, kTransformerDropout);
  return apply(net, Operator::Add, name + ".add", {x, shortcut});
}

namespace {

constexpr std::int64_t kTokenTypes = 2;
constexpr float kBertEpsilon = 1e-12F;

TensorId encoder_layer(NetworkBuilder& net, const std::string& name, TensorId x,
                       const TransformerSize& size) {
  const Attention heads{.heads = size.heads, .dropout_probability = kTransformerDropout};
  TensorId y = self_attention(net, name + ".attention.self", x, heads);
  y = linear_and_add(net, name + ".attention.output", y, x);
  x = layer_norm(net, name + ".attention.output.LayerNorm", y, kBertEpsilon);
  y = linear(net, name + ".intermediate.dense", x, 4 * size.features);
  y = apply(net, Operator::GeluErf, name + ".intermediate.gelu", {y});
  y = linear_and_add(net, name + ".output", y, x);
  return layer_norm(net, name + ".output.LayerNorm", y, kBertEpsilon);
}

TensorId embedded(NetworkBuilder& net, const NetworkSizes& sizes, std::int64_t features) {
  const std::string name = "bert.embeddings";
  const TensorId words = add_tokens(net, "input_ids", sizes);
  const TensorId types = add_tokens(net, "token_type_ids", sizes);
  const auto of = [&](const std::string& what, TensorId indices, std::int64_t rows) {
    const TensorId weight = add_embedding_weight(net, name + what, {rows, features});
    return look_up(net, name + what, weight, indices);
  };
  TensorId x = of(".word_embeddings", words, kBertWords);
  const TensorId of_types = of(".token_type_embeddings", types, kTokenTypes);
  x = apply(net, Operator::Add, name + ".add_types", {x, of_types});
  const TensorId of_places =
      positions(net, name + ".position_embeddings", sizes, {kBertPositions, features});
  x = apply(net, Operator::Add, name + ".add_positions", {x, of_places});
  x = layer_norm(net, name + ".LayerNorm", x, kBertEpsilon);
  return dropout(net, name + ".dropout", x, kTransformerDropout);
}

// The first position, through one more layer, says which class the sequence is of.
void classify(NetworkBuilder& net, const NetworkSizes& sizes, std::int64_t features, TensorId x) {
  x = apply(net, {.name = "bert.pooler.first",
                  .kind = Operator::Slice,
                  .attributes = SliceAttributes{.start = {0, 0, 0},
                                                .step = {1, 1, 1},
                                                .extent = {sizes.batch, 1, features}},
                  .inputs = {x}});
  x = linear(net, "bert.pooler.dense", flatten(net, "bert.pooler.flatten", x), features);
  x = apply(net, Operator::Tanh, "bert.pooler.tanh", {x});
  x = dropout(net, "dropout", x, kTransformerDropout);
  add_output(net, "logits", linear(net, "classifier", x, sizes.classes));
}

void build_bert(NetworkBuilder& net, const NetworkSizes& sizes, const TransformerSize& size) {
  net.weight_deviation = 0.02F;
  TensorId x = embedded(net, sizes, size.features);
  for (std::int64_t i = 0; i < size.layers; ++i)
    x = encoder_layer(net, "bert.encoder.layer." + std::to_string(i), x, size);
  classify(net, sizes, size.features, x);
}

}  // namespace

void build_bert_tiny(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_bert(net, sizes, kTinyTransformer);
}

void build_bert_base(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_bert(net, sizes, kBaseTransformer);
}

namespace {

constexpr float kGpt2Epsilon = 1e-5F;

// (S, S): a token sees itself and those before it; exp(-1e9) is 0 in float32.
TensorId add_causal_mask(NetworkBuilder& net, const NetworkSizes& sizes) {
  const auto length = static_cast<std::size_t>(sizes.sequence);
  std::vector<float> mask(length * length, 0.0F);
  for (std::size_t row = 0; row < length; ++row)
    for (std::size_t column = row + 1; column < length; ++column)
      mask[row * length + column] = -1e9F;
  std::vector<std::byte> bytes(mask.size() * sizeof(float));
  std::memcpy(bytes.data(), mask.data(), bytes.size());
  return add_constant(net, "causal_mask", {ElementType::Float32, {sizes.sequence, sizes.sequence}},
                      store(std::move(bytes)));
}

TensorId decoder_layer(NetworkBuilder& net, const std::string& name, TensorId x,
                       const Attention& heads) {
  const std::int64_t features = extent(net, x, 2);
  TensorId y = layer_norm(net, name + ".ln_1", x, kGpt2Epsilon);
  y = self_attention(net, name + ".attn", y, heads);
  x = linear_and_add(net, name + ".attn.c_proj", y, x);
  y = layer_norm(net, name + ".ln_2", x, kGpt2Epsilon);
  y = linear(net, name + ".mlp.c_fc", y, 4 * features);
  y = apply(net, Operator::GeluTanh, name + ".mlp.gelu", {y});
  return linear_and_add(net, name + ".mlp.c_proj", y, x);
}

// The embedding of words is also the weight of the last layer.
void build_gpt2(NetworkBuilder& net, const NetworkSizes& sizes, const TransformerSize& size) {
  net.weight_deviation = 0.02F;
  const TensorId words = add_tokens(net, "input_ids", sizes);
  const TensorId weight = add_embedding_weight(net, "transformer.wte", {kGpt2Words, size.features});
  const TensorId of_words = look_up(net, "transformer.wte", weight, words);
  const TensorId of_places =
      positions(net, "transformer.wpe", sizes, {kGpt2Positions, size.features});
  TensorId x = apply(net, Operator::Add, "transformer.add", {of_words, of_places});
  x = dropout(net, "transformer.drop", x, kTransformerDropout);
  const Attention heads{.heads = size.heads,
                        .dropout_probability = kTransformerDropout,
                        .mask = add_causal_mask(net, sizes)};
  for (std::int64_t i = 0; i < size.layers; ++i)
    x = decoder_layer(net, "transformer.h." + std::to_string(i), x, heads);
  x = layer_norm(net, "transformer.ln_f", x, kGpt2Epsilon);
  x = tied_head(net, "lm_head", x, weight);
  add_output(net, "logits", x);
}

}  // namespace

void build_gpt2_tiny(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_gpt2(net, sizes, kTinyTransformer);
}

void build_gpt2_small(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_gpt2(net, sizes, kBaseTransformer);
}

namespace {

constexpr float kVitEpsilon = 1e-6F;

// (N, patches, features): a token for each square of pixels.
TensorId patches(NetworkBuilder& net, const NetworkSizes& sizes, std::int64_t features) {
  TensorId x =
      conv2d(net, "patch_embed.proj", add_image(net, sizes),
             {.channels = features, .kernel = kVitPatch, .stride = kVitPatch, .bias = Bias::With});
  const std::int64_t side = sizes.image / kVitPatch;
  LayerComposer to(net, "patch_embed.tokens");
  return to.transposed(to.reshaped(x, {sizes.batch, features, side * side}), {0, 2, 1});
}

// A token of its own stands first, and is what is classified.
TensorId with_class_token(NetworkBuilder& net, TensorId x, std::int64_t batch) {
  const std::int64_t features = extent(net, x, 2);
  const TensorId token = add_parameter(net, "cls_token", {1, 1, features},
                                       NormalDraw{.deviation = 1e-6F, .seed = next_seed(net)});
  LayerComposer to(net, "tokens");
  // Of one example too: what is drawn next goes by how many tensors there are.
  const TensorId each = to.add(Operator::Expand, ShapeAttributes{{batch, 1, features}}, {token});
  return to.add(Operator::Concat, AxisAttributes{1}, {each, x});
}

TensorId encoder_block(NetworkBuilder& net, const std::string& name, TensorId x,
                       std::int64_t heads) {
  const std::int64_t features = extent(net, x, 2);
  TensorId y = layer_norm(net, name + ".norm1", x, kVitEpsilon);
  y = self_attention(net, name + ".attn", y, {.heads = heads});
  y = linear(net, name + ".attn.proj", y, features);
  x = apply(net, Operator::Add, name + ".add1", {x, y});
  y = layer_norm(net, name + ".norm2", x, kVitEpsilon);
  y = linear(net, name + ".mlp.fc1", y, 4 * features);
  y = apply(net, Operator::GeluErf, name + ".mlp.act", {y});
  y = linear(net, name + ".mlp.fc2", y, features);
  return apply(net, Operator::Add, name + ".add2", {x, y});
}

}  // namespace

void build_vit_s16(NetworkBuilder& net, const NetworkSizes& sizes) {
  net.weight_deviation = 0.02F;
  TensorId x = with_class_token(net, patches(net, sizes, kSmallVit.features), sizes.batch);
  const TensorId places =
      add_parameter(net, "pos_embed", {1, extent(net, x, 1), kSmallVit.features},
                    NormalDraw{.deviation = 0.02F, .seed = next_seed(net)});
  x = apply(net, Operator::Add, "pos_add", {x, places});
  for (std::int64_t i = 0; i < kSmallVit.layers; ++i)
    x = encoder_block(net, "blocks." + std::to_string(i), x, kSmallVit.heads);
  x = layer_norm(net, "norm", x, kVitEpsilon);
  LayerComposer to(net, "class_token");
  x = to.reshaped(to.sliced(x, 1, 0, 1), {sizes.batch, kSmallVit.features});
  add_output(net, "logits", linear(net, "head", x, sizes.classes));
}

}  // namespace poet
