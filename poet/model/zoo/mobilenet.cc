// M. Sandler, A. Howard, M. Zhu, A. Zhmoginov, L.-C. Chen, "MobileNetV2: inverted residuals and
// linear bottlenecks" (CVPR 2018).

#include "poet/model/zoo/networks.h"

namespace poet {
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

}  // namespace poet
