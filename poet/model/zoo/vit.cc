// A. Dosovitskiy et al., "An image is worth 16x16 words" (ICLR 2021), at the small size of H.
// Touvron et al., "Training data-efficient image transformers" (ICML 2021).

#include "poet/model/zoo/transformer.h"

namespace poet {
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
