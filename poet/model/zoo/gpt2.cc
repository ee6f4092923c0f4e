// Decoders of A. Radford, J. Wu, R. Child, D. Luan, D. Amodei, I. Sutskever, "Language models are
// unsupervised multitask learners" (2019).

#include <cstring>
#include <utility>
#include <vector>

#include "poet/model/zoo/transformer.h"

namespace poet {
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

}  // namespace poet
