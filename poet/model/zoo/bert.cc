// Encoders of J. Devlin, M.-W. Chang, K. Lee, K. Toutanova, "BERT: pre-training of deep
// bidirectional transformers for language understanding" (NAACL 2019), with a classifier for whole
// sequences. All sequences are as long as the batch's: there is no padding to be hidden.

#include "poet/model/zoo/transformer.h"

namespace poet {
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

}  // namespace poet
