// K. He, X. Zhang, S. Ren, J. Sun, "Deep residual learning for image recognition" (CVPR 2016), with
// the stride of bottlenecks in their 3 x 3 layer and projections where the shape changes, as
// torchvision has them.

#include <array>

#include "poet/model/zoo/networks.h"

namespace poet {
namespace {

// One residual block: `channels` inside, and more at its end when it is a bottleneck.
struct Block {
  std::string name;
  std::int64_t channels = 64;
  std::int64_t stride = 1;
};

TensorId projected(NetworkBuilder& net, const Block& block, TensorId x, std::int64_t channels) {
  if (block.stride == 1 && extent(net, x, 1) == channels) return x;
  const std::string name = block.name + ".downsample";
  x = conv2d(net, name + ".0", x, {.channels = channels, .kernel = 1, .stride = block.stride});
  return batch_norm(net, name + ".1", x);
}

TensorId joined(NetworkBuilder& net, const Block& block, TensorId x, TensorId shortcut) {
  const TensorId sum = apply(net, Operator::Add, block.name + ".add", {x, shortcut});
  return apply(net, Operator::Relu, block.name + ".relu", {sum});
}

// Figure 5, left: 3 x 3, 3 x 3.
TensorId basic_block(NetworkBuilder& net, const Block& block, TensorId x) {
  const std::string& name = block.name;
  const TensorId shortcut = projected(net, block, x, block.channels);
  x = conv2d(net, name + ".conv1", x,
             {.channels = block.channels, .stride = block.stride, .padding = 1});
  x = apply(net, Operator::Relu, name + ".relu1", {batch_norm(net, name + ".bn1", x)});
  x = conv2d(net, name + ".conv2", x, {.channels = block.channels, .padding = 1});
  return joined(net, block, batch_norm(net, name + ".bn2", x), shortcut);
}

// Figure 5, right: 1 x 1, 3 x 3, 1 x 1 to four times as many channels.
TensorId bottleneck(NetworkBuilder& net, const Block& block, TensorId x) {
  const std::string& name = block.name;
  const std::int64_t channels = 4 * block.channels;
  const TensorId shortcut = projected(net, block, x, channels);
  x = conv2d(net, name + ".conv1", x, {.channels = block.channels, .kernel = 1});
  x = apply(net, Operator::Relu, name + ".relu1", {batch_norm(net, name + ".bn1", x)});
  x = conv2d(net, name + ".conv2", x,
             {.channels = block.channels, .stride = block.stride, .padding = 1});
  x = apply(net, Operator::Relu, name + ".relu2", {batch_norm(net, name + ".bn2", x)});
  x = conv2d(net, name + ".conv3", x, {.channels = channels, .kernel = 1});
  return joined(net, block, batch_norm(net, name + ".bn3", x), shortcut);
}

// For pictures of 32 x 32 one 3 x 3 layer (section 4.2), otherwise table 1's 7 x 7 and pooling.
TensorId stem(NetworkBuilder& net, const NetworkSizes& sizes, std::int64_t channels) {
  const bool small = sizes.image <= kSmallImage;
  const Conv2d conv = small ? Conv2d{.channels = channels, .padding = 1}
                            : Conv2d{.channels = channels, .kernel = 7, .stride = 2, .padding = 3};
  TensorId x = conv2d(net, "conv1", add_image(net, sizes), conv);
  x = apply(net, Operator::Relu, "relu", {batch_norm(net, "bn1", x)});
  if (small) return x;
  return max_pool2d(net, "maxpool", x, {.kernel = 3, .stride = 2, .padding = 1});
}

void head(NetworkBuilder& net, const NetworkSizes& sizes, TensorId x) {
  add_output(net, "logits",
             linear(net, "fc", global_average_pool(net, "avgpool", x), sizes.classes));
}

using BlockFunction = TensorId (*)(NetworkBuilder&, const Block&, TensorId);

// The four stages of table 1.
void build_stages(NetworkBuilder& net, const NetworkSizes& sizes, BlockFunction block,
                  const std::array<int, 4>& blocks) {
  TensorId x = stem(net, sizes, 64);
  for (std::size_t stage = 0; stage < blocks.size(); ++stage)
    for (int i = 0; i < blocks[stage]; ++i)
      x = block(net,
                {.name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i),
                 .channels = std::int64_t{64} << stage,
                 .stride = stage > 0 && i == 0 ? 2 : 1},
                x);
  head(net, sizes, x);
}

}  // namespace

// Section 4.2 with n = 1: three stages of one block, of 16, 32 and 64 channels.
void build_resnet8(NetworkBuilder& net, const NetworkSizes& sizes) {
  TensorId x = conv2d(net, "conv1", add_image(net, sizes), {.channels = 16, .padding = 1});
  x = apply(net, Operator::Relu, "relu", {batch_norm(net, "bn1", x)});
  x = basic_block(net, {.name = "layer1.0", .channels = 16, .stride = 1}, x);
  x = basic_block(net, {.name = "layer2.0", .channels = 32, .stride = 2}, x);
  x = basic_block(net, {.name = "layer3.0", .channels = 64, .stride = 2}, x);
  head(net, sizes, x);
}

void build_resnet18(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_stages(net, sizes, basic_block, {2, 2, 2, 2});
}

void build_resnet50(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_stages(net, sizes, bottleneck, {3, 4, 6, 3});
}

}  // namespace poet
