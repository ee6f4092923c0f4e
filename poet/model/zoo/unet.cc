// O. Ronneberger, P. Fischer, T. Brox, "U-Net: convolutional networks for biomedical image
// segmentation" (MICCAI 2015), with padded convolutions and batch norms, so that the output has the
// size of the picture.

#include "poet/model/zoo/networks.h"

namespace poet {
namespace {

constexpr int kLevels = 4;

std::int64_t channels_of(int level) {
  return std::int64_t{64} << level;
}

TensorId two_convs(NetworkBuilder& net, const std::string& name, TensorId x,
                   std::int64_t channels) {
  for (const char* const part : {"1", "2"}) {
    x = conv2d(net, name + ".conv" + part, x, {.channels = channels, .padding = 1});
    x = apply(net, Operator::Relu, name + ".relu" + part,
              {batch_norm(net, name + ".bn" + part, x)});
  }
  return x;
}

}  // namespace

void build_unet(NetworkBuilder& net, const NetworkSizes& sizes) {
  TensorId x = two_convs(net, "inc", add_image(net, sizes), channels_of(0));
  std::vector<TensorId> skipped;
  for (int level = 1; level <= kLevels; ++level) {
    skipped.push_back(x);
    const std::string name = "down" + std::to_string(level);
    x = two_convs(net, name, max_pool2d(net, name + ".pool", x, {}), channels_of(level));
  }
  for (int level = kLevels - 1; level >= 0; --level) {
    const std::string name = "up" + std::to_string(kLevels - level);
    x = conv_transpose2d(
        net, name + ".up", x,
        {.channels = channels_of(level), .kernel = 2, .stride = 2, .bias = Bias::With});
    x = apply(net, {.name = name + ".concat",
                    .kind = Operator::Concat,
                    .attributes = AxisAttributes{1},
                    .inputs = {skipped[static_cast<std::size_t>(level)], x}});
    x = two_convs(net, name, x, channels_of(level));
  }
  x = conv2d(net, "outc", x, {.channels = sizes.classes, .kernel = 1, .bias = Bias::With});
  add_output(net, "logits", x);
}

}  // namespace poet
