// S. Mehta, M. Rastegari, "MobileViT: light-weight, general-purpose, and mobile-friendly vision
// transformer" (ICLR 2022).

#include "poet/model/zoo/mobilenet.h"
#include "poet/model/zoo/transformer.h"

namespace poet {
namespace {

constexpr float kMobileVitEpsilon = 1e-5F;
constexpr std::int64_t kPatch = 2;
constexpr std::int64_t kHeads = 4;

// A level of three with transformers: channels of the pictures, features of the tokens.
struct Level {
  std::int64_t channels = 64;
  std::int64_t features = 96;
  std::int64_t layers = 2;
};

// A column of table 4.
struct MobileVitVariant {
  std::int64_t first = 16;   // channels behind the first convolution,
  std::int64_t narrow = 32;  // of the block after it,
  std::int64_t wide = 48;    // and of those at a quarter of the picture's side
  Level levels[3] = {};
  std::int64_t last = 384;
};

constexpr MobileVitVariant kExtraSmall{.levels = {{64, 96, 2}, {80, 120, 4}, {96, 144, 3}}};
constexpr MobileVitVariant kSmall{
    .narrow = 32, .wide = 64, .levels = {{96, 144, 2}, {128, 192, 4}, {160, 240, 3}}, .last = 640};

// MobileNetV2's, four times as wide inside.
TensorId inverted_residual(NetworkBuilder& net, const std::string& name, TensorId x,
                           std::int64_t channels, std::int64_t stride) {
  const TensorId shortcut = x;
  const std::int64_t inputs = extent(net, x, 1);
  const std::int64_t hidden = 4 * inputs;
  x = conv_norm(net, name + ".expand", x, {.channels = hidden, .activation = silu});
  x = conv_norm(
      net, name + ".depthwise", x,
      {.channels = hidden, .kernel = 3, .stride = stride, .groups = hidden, .activation = silu});
  x = conv_norm(net, name + ".reduce", x, {.channels = channels});
  if (stride != 1 || inputs != channels) return x;
  return apply(net, Operator::Add, name + ".add", {shortcut, x});
}

TensorId encoder_block(NetworkBuilder& net, const std::string& name, TensorId x) {
  const std::int64_t features = extent(net, x, 2);
  TensorId y = layer_norm(net, name + ".norm1", x, kMobileVitEpsilon);
  y = linear(net, name + ".attn.proj", self_attention(net, name + ".attn", y, {.heads = kHeads}),
             features);
  x = apply(net, Operator::Add, name + ".add1", {x, y});
  y = layer_norm(net, name + ".norm2", x, kMobileVitEpsilon);
  y = silu(net, name + ".mlp.act", linear(net, name + ".mlp.fc1", y, 2 * features));
  y = linear(net, name + ".mlp.fc2", y, features);
  return apply(net, Operator::Add, name + ".add2", {x, y});
}

// (N, C, H, W) to (N * pixels of a patch, patches, C): pixels at the same place of their patch
// attend to each other.
TensorId unfolded(Composer& to, TensorId x) {
  if (to.failed()) return x;
  const Shape shape = to.shape_of(x);
  const std::int64_t rows = shape[2] / kPatch;
  const std::int64_t columns = shape[3] / kPatch;
  x = to.reshaped(x, {shape[0] * shape[1] * rows, kPatch, columns, kPatch});
  x = to.transposed(x, {0, 2, 1, 3});
  x = to.reshaped(x, {shape[0], shape[1], rows * columns, kPatch * kPatch});
  x = to.transposed(x, {0, 3, 2, 1});
  return to.reshaped(x, {shape[0] * kPatch * kPatch, rows * columns, shape[1]});
}

TensorId folded(Composer& to, TensorId x, const Shape& shape) {
  const std::int64_t rows = shape[2] / kPatch;
  const std::int64_t columns = shape[3] / kPatch;
  x = to.reshaped(x, {shape[0], kPatch * kPatch, rows * columns, shape[1]});
  x = to.transposed(x, {0, 3, 2, 1});
  x = to.reshaped(x, {shape[0] * shape[1] * rows, columns, kPatch, kPatch});
  x = to.transposed(x, {0, 2, 1, 3});
  return to.reshaped(x, shape);
}

// Figure 1b.
TensorId mobilevit_block(NetworkBuilder& net, const std::string& name, TensorId x,
                         const Level& level) {
  const TensorId shortcut = x;
  x = conv_norm(net, name + ".conv_kxk", x,
                {.channels = level.channels, .kernel = 3, .activation = silu});
  x = conv2d(net, name + ".conv_1x1", x, {.channels = level.features, .kernel = 1});
  const Shape shape = {extent(net, x, 0), extent(net, x, 1), extent(net, x, 2), extent(net, x, 3)};
  LayerComposer to(net, name + ".patches");
  x = unfolded(to, x);
  for (std::int64_t i = 0; i < level.layers; ++i)
    x = encoder_block(net, name + ".transformer." + std::to_string(i), x);
  x = folded(to, layer_norm(net, name + ".norm", x, kMobileVitEpsilon), shape);
  x = conv_norm(net, name + ".conv_proj", x, {.channels = level.channels, .activation = silu});
  x = apply(net, {.name = name + ".concat",
                  .kind = Operator::Concat,
                  .attributes = AxisAttributes{1},
                  .inputs = {shortcut, x}});
  return conv_norm(net, name + ".conv_fusion", x,
                   {.channels = level.channels, .kernel = 3, .activation = silu});
}

void build_mobilevit(NetworkBuilder& net, const NetworkSizes& sizes,
                     const MobileVitVariant& variant) {
  TensorId x = conv_norm(net, "stem", add_image(net, sizes),
                         {.channels = variant.first, .kernel = 3, .stride = 2, .activation = silu});
  x = inverted_residual(net, "stages.0.0", x, variant.narrow, 1);
  for (int i = 0; i < 3; ++i)
    x = inverted_residual(net, "stages.1." + std::to_string(i), x, variant.wide, i == 0 ? 2 : 1);
  for (int i = 0; i < 3; ++i) {
    const std::string name = "stages." + std::to_string(i + 2);
    x = inverted_residual(net, name + ".0", x, variant.levels[i].channels, 2);
    x = mobilevit_block(net, name + ".1", x, variant.levels[i]);
  }
  x = conv_norm(net, "final_conv", x, {.channels = variant.last, .activation = silu});
  x = dropout(net, "head.dropout", global_average_pool(net, "head.pool", x), 0.1F);
  add_output(net, "logits", linear(net, "head.fc", x, sizes.classes));
}

}  // namespace

void build_mobilevit_xs(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_mobilevit(net, sizes, kExtraSmall);
}

void build_mobilevit_s(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_mobilevit(net, sizes, kSmall);
}

}  // namespace poet
