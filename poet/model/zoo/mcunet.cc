// J. Lin, W.-M. Chen, Y. Lin, J. Cohn, C. Gan, S. Han, "MCUNet: tiny deep learning on IoT devices"
// (NeurIPS 2020). The networks were searched for, one for each budget; their rows and names are
// those of the configurations that the authors publish beside the weights
// (mit-han-lab/tinyml, mcunet/assets/configs), and parameters and multiply-adds those of their
// list.

#include <span>

#include "poet/model/zoo/networks.h"

namespace poet {
namespace {

// An inverted residual: the depthwise convolution has `expansion` times the channels that come in.
struct McuBlock {
  std::int64_t expansion = 1;
  std::int64_t channels = 1;
  std::int64_t stride = 1;
  std::int64_t kernel = 3;
};

// mcunet-5fps_imagenet.json
constexpr McuBlock kIn1[] = {{1, 8, 1, 3},  {4, 16, 2, 3}, {3, 16, 1, 3}, {3, 24, 2, 7},
                             {5, 24, 1, 3}, {5, 40, 2, 3}, {4, 40, 1, 7}, {4, 48, 1, 5},
                             {3, 48, 1, 3}, {4, 48, 1, 3}, {5, 96, 2, 7}, {4, 96, 1, 5},
                             {4, 96, 1, 5}, {6, 160, 1, 3}};

// mcunet-256kb-1mb_imagenet.json
constexpr McuBlock kIn2[] = {
    {1, 8, 1, 3},  {3, 16, 2, 5}, {6, 16, 1, 7}, {5, 16, 1, 3}, {5, 16, 1, 5}, {5, 24, 2, 3},
    {6, 24, 1, 7}, {6, 24, 1, 5}, {4, 40, 2, 7}, {5, 40, 1, 5}, {5, 48, 1, 3}, {5, 48, 1, 5},
    {4, 48, 1, 3}, {6, 96, 2, 5}, {4, 96, 1, 5}, {3, 96, 1, 5}, {4, 96, 1, 3}, {5, 160, 1, 5}};

// mcunet-320kb-1mb_imagenet.json
constexpr McuBlock kIn3[] = {
    {1, 8, 1, 3},  {3, 16, 2, 7}, {5, 16, 1, 3}, {5, 16, 1, 7}, {4, 16, 1, 5}, {5, 24, 2, 5},
    {5, 24, 1, 5}, {5, 24, 1, 5}, {5, 40, 2, 3}, {6, 40, 1, 7}, {4, 40, 1, 5}, {5, 48, 1, 5},
    {5, 48, 1, 7}, {5, 48, 1, 3}, {6, 96, 2, 3}, {5, 96, 1, 7}, {4, 96, 1, 3}, {5, 160, 1, 7}};

// mcunet-512kb-2mb_imagenet.json
constexpr McuBlock kIn4[] = {
    {1, 16, 1, 3}, {3, 24, 2, 7},  {5, 24, 1, 3},  {4, 24, 1, 5},  {5, 40, 2, 7}, {4, 40, 1, 3},
    {4, 40, 1, 7}, {3, 80, 2, 7},  {3, 80, 1, 3},  {3, 80, 1, 7},  {4, 96, 1, 3}, {3, 96, 1, 5},
    {3, 96, 1, 5}, {4, 192, 2, 7}, {3, 192, 1, 7}, {3, 192, 1, 5}, {4, 320, 1, 5}};

TensorId conv_and_norm(NetworkBuilder& net, const std::string& name, TensorId x, Conv2d layer) {
  layer.padding = (layer.kernel - 1) / 2;
  return batch_norm(net, name + ".bn", conv2d(net, name + ".conv", x, layer));
}

TensorId mcu_block(NetworkBuilder& net, const std::string& name, const McuBlock& block,
                   TensorId x) {
  const TensorId shortcut = x;
  const std::int64_t inputs = extent(net, x, 1);
  const std::int64_t hidden = inputs * block.expansion;
  const std::string inner = name + ".mobile_inverted_conv.";
  if (block.expansion != 1) {
    x = conv_and_norm(net, inner + "inverted_bottleneck", x, {.channels = hidden, .kernel = 1});
    x = relu6(net, inner + "inverted_bottleneck.act", x);
  }
  x = conv_and_norm(
      net, inner + "depth_conv", x,
      {.channels = hidden, .kernel = block.kernel, .stride = block.stride, .groups = hidden});
  x = relu6(net, inner + "depth_conv.act", x);
  x = conv_and_norm(net, inner + "point_linear", x, {.channels = block.channels, .kernel = 1});
  if (block.stride != 1 || inputs != block.channels) return x;
  return apply(net, Operator::Add, name + ".add", {x, shortcut});
}

void build_mcunet(NetworkBuilder& net, const NetworkSizes& sizes, std::int64_t first_channels,
                  std::span<const McuBlock> blocks) {
  TensorId x = conv_and_norm(net, "first_conv", add_image(net, sizes),
                             {.channels = first_channels, .stride = 2});
  x = relu6(net, "first_conv.act", x);
  int number = 0;
  for (const McuBlock& block : blocks)
    x = mcu_block(net, "blocks." + std::to_string(number++), block, x);
  x = global_average_pool(net, "pool", x);
  add_output(net, "logits", linear(net, "classifier.linear", x, sizes.classes));
}

}  // namespace

void build_mcunet_in1(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_mcunet(net, sizes, 16, kIn1);
}

void build_mcunet_in2(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_mcunet(net, sizes, 16, kIn2);
}

void build_mcunet_in3(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_mcunet(net, sizes, 16, kIn3);
}

void build_mcunet_in4(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_mcunet(net, sizes, 32, kIn4);
}

}  // namespace poet
