// M. Tan, Q. Le, "EfficientNet: rethinking model scaling for convolutional neural networks" (ICML
// 2019): B0, without stochastic depth.

#include <algorithm>

#include "poet/model/zoo/mobilenet.h"
#include "poet/model/zoo/networks.h"

namespace poet {
namespace {

// A row of table 1: `blocks` blocks, the first with this stride.
struct Stage {
  std::int64_t expansion = 6;
  std::int64_t kernel = 3;
  std::int64_t stride = 1;
  std::int64_t channels = 16;
  std::int64_t blocks = 1;
};

constexpr Stage kStages[] = {{1, 3, 1, 16, 1}, {6, 3, 2, 24, 2},  {6, 5, 2, 40, 2},
                             {6, 3, 2, 80, 3}, {6, 5, 1, 112, 3}, {6, 5, 2, 192, 4},
                             {6, 3, 1, 320, 1}};

// The gate is as narrow as a quarter of what the block is given.
TensorId inverted_residual(NetworkBuilder& net, const std::string& name, TensorId x,
                           const Stage& stage) {
  const TensorId shortcut = x;
  const std::int64_t inputs = extent(net, x, 1);
  const std::int64_t hidden = inputs * stage.expansion;
  int part = 0;
  const auto next = [&] { return name + ".block." + std::to_string(part++); };
  if (stage.expansion != 1) x = conv_norm(net, next(), x, {.channels = hidden, .activation = silu});
  x = conv_norm(net, next(), x,
                {.channels = hidden,
                 .kernel = stage.kernel,
                 .stride = stage.stride,
                 .groups = hidden,
                 .activation = silu});
  x = squeeze_excite(net, next(), x,
                     {.channels = std::max<std::int64_t>(1, inputs / 4),
                      .activation = silu,
                      .gate = [](NetworkBuilder& to, const std::string& gate, TensorId y) {
                        return apply(to, Operator::Sigmoid, gate, {y});
                      }});
  x = conv_norm(net, next(), x, {.channels = stage.channels});
  if (stage.stride != 1 || inputs != stage.channels) return x;
  return apply(net, Operator::Add, name + ".add", {shortcut, x});
}

}  // namespace

void build_efficientnet_b0(NetworkBuilder& net, const NetworkSizes& sizes) {
  TensorId x = conv_norm(net, "features.0", add_image(net, sizes),
                         {.channels = 32, .kernel = 3, .stride = 2, .activation = silu});
  int number = 1;
  for (Stage stage : kStages) {
    const std::string name = "features." + std::to_string(number++);
    for (std::int64_t i = 0; i < stage.blocks; ++i) {
      x = inverted_residual(net, name + "." + std::to_string(i), x, stage);
      stage.stride = 1;
    }
  }
  x = conv_norm(net, "features.8", x, {.channels = 1280, .activation = silu});
  x = dropout(net, "classifier.0", global_average_pool(net, "avgpool", x), 0.2F);
  add_output(net, "logits", linear(net, "classifier.1", x, sizes.classes));
}

}  // namespace poet
