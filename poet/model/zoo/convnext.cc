// Z. Liu, H. Mao, C.-Y. Wu, C. Feichtenhofer, T. Darrell, S. Xie, "A ConvNet for the 2020s" (CVPR
// 2022): the tiny one, without stochastic depth.

#include "poet/model/zoo/networks.h"

namespace poet {
namespace {

constexpr float kConvNextEpsilon = 1e-6F;
constexpr double kLayerScale = 1e-6;

struct Stage {
  std::int64_t channels = 96;
  std::int64_t blocks = 3;
};
constexpr Stage kStages[] = {{96, 3}, {192, 3}, {384, 9}, {768, 3}};

TensorId permuted(NetworkBuilder& net, const std::string& name, TensorId x,
                  std::vector<std::int64_t> permutation) {
  return apply(net, {.name = name,
                     .kind = Operator::Transpose,
                     .attributes = TransposeAttributes{std::move(permutation)},
                     .inputs = {x}});
}

TensorId channels_last(NetworkBuilder& net, const std::string& name, TensorId x) {
  return permuted(net, name, x, {0, 2, 3, 1});
}

TensorId channels_first(NetworkBuilder& net, const std::string& name, TensorId x) {
  return permuted(net, name, x, {0, 3, 1, 2});
}

// Over the channels of each pixel.
TensorId pixel_norm(NetworkBuilder& net, const std::string& name, TensorId x) {
  x = layer_norm(net, name, channels_last(net, name + ".last", x), kConvNextEpsilon);
  return channels_first(net, name + ".first", x);
}

// Figure 4. Channels come last between the depthwise convolution and the shortcut.
TensorId block(NetworkBuilder& net, const std::string& name, TensorId x) {
  const std::int64_t channels = extent(net, x, 1);
  TensorId y = conv2d(
      net, name + ".conv_dw", x,
      {.channels = channels, .kernel = 7, .padding = 3, .groups = channels, .bias = Bias::With});
  y = layer_norm(net, name + ".norm", channels_last(net, name + ".last", y), kConvNextEpsilon);
  y = linear(net, name + ".mlp.fc1", y, 4 * channels);
  y = apply(net, Operator::GeluErf, name + ".mlp.act", {y});
  y = linear(net, name + ".mlp.fc2", y, channels);
  const TensorId scale = add_parameter(net, name + ".gamma", {channels}, FilledWith{kLayerScale});
  y = apply(net, Operator::Mul, name + ".scale", {y, scale});
  return apply(net, Operator::Add, name + ".add", {x, channels_first(net, name + ".first", y)});
}

}  // namespace

void build_convnext_t(NetworkBuilder& net, const NetworkSizes& sizes) {
  net.weight_deviation = 0.02F;
  TensorId x = add_image(net, sizes);
  for (std::size_t s = 0; s < std::size(kStages); ++s) {
    const std::string name = s == 0 ? "stem" : "stages." + std::to_string(s) + ".downsample";
    const std::int64_t patch = s == 0 ? 4 : 2;
    if (s > 0) x = pixel_norm(net, name + ".0", x);
    x = conv2d(
        net, s == 0 ? name + ".0" : name + ".1", x,
        {.channels = kStages[s].channels, .kernel = patch, .stride = patch, .bias = Bias::With});
    if (s == 0) x = pixel_norm(net, name + ".1", x);
    for (std::int64_t i = 0; i < kStages[s].blocks; ++i)
      x = block(net, "stages." + std::to_string(s) + ".blocks." + std::to_string(i), x);
  }
  x = layer_norm(net, "head.norm", global_average_pool(net, "head.global_pool", x),
                 kConvNextEpsilon);
  add_output(net, "logits", linear(net, "head.fc", x, sizes.classes));
}

}  // namespace poet
