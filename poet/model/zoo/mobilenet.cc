// M. Sandler, A. Howard, M. Zhu, A. Zhmoginov, L.-C. Chen, "MobileNetV2: inverted residuals and
// linear bottlenecks" (CVPR 2018), and A. Howard et al., "Searching for MobileNetV3" (ICCV 2019).
#include "poet/model/zoo/mobilenet.h"

#include <algorithm>
#include <vector>

#include "poet/model/zoo/networks.h"

namespace poet {

TensorId silu(NetworkBuilder& net, const std::string& name, TensorId x) {
  return apply(net, Operator::Silu, name, {x});
}

TensorId relu(NetworkBuilder& net, const std::string& name, TensorId x) {
  return apply(net, Operator::Relu, name, {x});
}

TensorId unchanged(NetworkBuilder&, const std::string&, TensorId x) {
  return x;
}

TensorId conv_norm(NetworkBuilder& net, const std::string& name, TensorId x,
                   const ConvNorm& layer) {
  x = conv2d(net, name + ".0", x,
             {.channels = layer.channels,
              .kernel = layer.kernel,
              .stride = layer.stride,
              .padding = (layer.kernel - 1) / 2,
              .groups = layer.groups});
  x = batch_norm(net, name + ".1", x, layer.norm);
  return layer.activation(net, name + ".2", x);
}

TensorId squeeze_excite(NetworkBuilder& net, const std::string& name, TensorId x,
                        const SqueezeExcite& layer) {
  TensorId gate = apply(net, {.name = name + ".avgpool",
                              .kind = Operator::ReduceMean,
                              .attributes = ReduceAttributes{.axes = {2, 3}},
                              .inputs = {x}});
  gate = conv2d(net, name + ".fc1", gate,
                {.channels = layer.channels, .kernel = 1, .bias = Bias::With});
  gate = layer.activation(net, name + ".activation", gate);
  gate = conv2d(net, name + ".fc2", gate,
                {.channels = extent(net, x, 1), .kernel = 1, .bias = Bias::With});
  gate = layer.gate(net, name + ".scale_activation", gate);
  return apply(net, Operator::Mul, name + ".scale", {x, gate});
}

std::int64_t multiple_of_8(double channels) {
  const auto near = static_cast<std::int64_t>(channels + 4) / 8 * 8;
  const std::int64_t least = std::max<std::int64_t>(8, near);
  return static_cast<double>(least) < 0.9 * channels ? least + 8 : least;
}

namespace {

// A row of table 2: `blocks` blocks, the first with this stride.
struct MobileNetStage {
  std::int64_t expansion = 6;
  std::int64_t channels = 16;
  std::int64_t blocks = 1;
  std::int64_t stride = 1;
};

// Names as torchvision numbers them within their block.
TensorId conv_norm_relu6(NetworkBuilder& net, const std::string& name, TensorId x,
                         const Conv2d& layer) {
  x = batch_norm(net, name + ".1", conv2d(net, name + ".0", x, layer));
  return relu6(net, name + ".2", x);
}

// Figure 4d: wider, depthwise, narrower, and added to what came in where the shape is the same.
TensorId inverted_residual(NetworkBuilder& net, const std::string& name,
                           const MobileNetStage& stage, TensorId x) {
  const TensorId shortcut = x;
  const std::int64_t inputs = extent(net, x, 1);
  const std::int64_t hidden = inputs * stage.expansion;
  int part = 0;
  const auto next = [&] { return name + ".conv." + std::to_string(part++); };
  if (stage.expansion != 1) x = conv_norm_relu6(net, next(), x, {.channels = hidden, .kernel = 1});
  x = conv_norm_relu6(net, next(), x,
                      {.channels = hidden, .stride = stage.stride, .padding = 1, .groups = hidden});
  x = conv2d(net, next(), x, {.channels = stage.channels, .kernel = 1});
  x = batch_norm(net, next(), x);
  if (stage.stride != 1 || inputs != stage.channels) return x;
  return apply(net, Operator::Add, name + ".add", {shortcut, x});
}

enum class Gated { No, Yes };
enum class Kind { Relu, HardSwish };

// A row of table 1 or 2.
struct Block {
  std::int64_t kernel = 3;
  std::int64_t hidden = 16;
  std::int64_t channels = 16;
  Gated gated = Gated::No;
  Kind kind = Kind::Relu;
  std::int64_t stride = 1;
};

struct Variant {
  std::vector<Block> blocks = {};
  std::int64_t last_channels = 1280;  // of the layer before the last
};

// As torchvision's, which trained its weights so.
BatchNormLayer norm() {
  return {.epsilon = 1e-3F, .rule = {.rate = 0.01F}};
}

Variant large() {
  constexpr auto no = Gated::No, yes = Gated::Yes;
  constexpr auto re = Kind::Relu, hs = Kind::HardSwish;
  return {.blocks = {{3, 16, 16, no, re, 1},
                     {3, 64, 24, no, re, 2},
                     {3, 72, 24, no, re, 1},
                     {5, 72, 40, yes, re, 2},
                     {5, 120, 40, yes, re, 1},
                     {5, 120, 40, yes, re, 1},
                     {3, 240, 80, no, hs, 2},
                     {3, 200, 80, no, hs, 1},
                     {3, 184, 80, no, hs, 1},
                     {3, 184, 80, no, hs, 1},
                     {3, 480, 112, yes, hs, 1},
                     {3, 672, 112, yes, hs, 1},
                     {5, 672, 160, yes, hs, 2},
                     {5, 960, 160, yes, hs, 1},
                     {5, 960, 160, yes, hs, 1}},
          .last_channels = 1280};
}

Variant small() {
  constexpr auto no = Gated::No, yes = Gated::Yes;
  constexpr auto re = Kind::Relu, hs = Kind::HardSwish;
  return {.blocks = {{3, 16, 16, yes, re, 2},
                     {3, 72, 24, no, re, 2},
                     {3, 88, 24, no, re, 1},
                     {5, 96, 40, yes, hs, 2},
                     {5, 240, 40, yes, hs, 1},
                     {5, 240, 40, yes, hs, 1},
                     {5, 120, 48, yes, hs, 1},
                     {5, 144, 48, yes, hs, 1},
                     {5, 288, 96, yes, hs, 2},
                     {5, 576, 96, yes, hs, 1},
                     {5, 576, 96, yes, hs, 1}},
          .last_channels = 1024};
}

TensorId inverted_residual(NetworkBuilder& net, const std::string& name, TensorId x,
                           const Block& block) {
  const TensorId shortcut = x;
  const std::int64_t inputs = extent(net, x, 1);
  const Activation activation = block.kind == Kind::Relu ? relu : hard_swish;
  int part = 0;
  const auto next = [&] { return name + ".block." + std::to_string(part++); };
  if (block.hidden != inputs)
    x = conv_norm(net, next(), x,
                  {.channels = block.hidden, .norm = norm(), .activation = activation});
  x = conv_norm(net, next(), x,
                {.channels = block.hidden,
                 .kernel = block.kernel,
                 .stride = block.stride,
                 .groups = block.hidden,
                 .norm = norm(),
                 .activation = activation});
  if (block.gated == Gated::Yes)
    x = squeeze_excite(net, next(), x,
                       {.channels = multiple_of_8(static_cast<double>(block.hidden) / 4)});
  x = conv_norm(net, next(), x, {.channels = block.channels, .norm = norm()});
  if (block.stride != 1 || inputs != block.channels) return x;
  return apply(net, Operator::Add, name + ".add", {shortcut, x});
}

void build_mobilenetv3(NetworkBuilder& net, const NetworkSizes& sizes, const Variant& variant) {
  TensorId x = conv_norm(
      net, "features.0", add_image(net, sizes),
      {.channels = 16, .kernel = 3, .stride = 2, .norm = norm(), .activation = hard_swish});
  int number = 1;
  for (const Block& block : variant.blocks)
    x = inverted_residual(net, "features." + std::to_string(number++), x, block);
  x = conv_norm(net, "features." + std::to_string(number), x,
                {.channels = 6 * extent(net, x, 1), .norm = norm(), .activation = hard_swish});
  x = linear(net, "classifier.0", global_average_pool(net, "avgpool", x), variant.last_channels);
  x = dropout(net, "classifier.2", hard_swish(net, "classifier.1", x), 0.2F);
  add_output(net, "logits", linear(net, "classifier.3", x, sizes.classes));
}

}  // namespace

// For pictures of 32 x 32 the first two strides are left out, so that 4 x 4 places remain.
void build_mobilenetv2(NetworkBuilder& net, const NetworkSizes& sizes) {
  const std::int64_t early_stride = sizes.image <= kSmallImage ? 1 : 2;
  const MobileNetStage stages[] = {
      {1, 16, 1, 1}, {6, 24, 2, early_stride}, {6, 32, 3, 2}, {6, 64, 4, 2},
      {6, 96, 3, 1}, {6, 160, 3, 2},           {6, 320, 1, 1}};
  TensorId x = conv_norm_relu6(net, "features.0", add_image(net, sizes),
                               {.channels = 32, .stride = early_stride, .padding = 1});
  int number = 1;
  for (const MobileNetStage& stage : stages)
    for (std::int64_t i = 0; i < stage.blocks; ++i) {
      MobileNetStage block = stage;
      if (i > 0) block.stride = 1;
      x = inverted_residual(net, "features." + std::to_string(number++), block, x);
    }
  x = conv_norm_relu6(net, "features.18", x, {.channels = 1280, .kernel = 1});
  x = dropout(net, "classifier.0", global_average_pool(net, "pool", x), 0.2F);
  add_output(net, "logits", linear(net, "classifier.1", x, sizes.classes));
}

void build_mobilenetv3_small(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_mobilenetv3(net, sizes, small());
}

void build_mobilenetv3_large(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_mobilenetv3(net, sizes, large());
}

}  // namespace poet
