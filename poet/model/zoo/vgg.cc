// K. Simonyan, A. Zisserman, "Very deep convolutional networks for large-scale image recognition"
// (ICLR 2015), configuration D.

#include "poet/model/zoo/networks.h"

namespace poet {
namespace {

TensorId hidden_layer(NetworkBuilder& net, int number, TensorId x, std::int64_t features) {
  const auto name = [&](int offset) { return "classifier." + std::to_string(number + offset); };
  x = apply(net, Operator::Relu, name(1), {linear(net, name(0), x, features)});
  return dropout(net, name(2), x, 0.5F);
}

}  // namespace

// Pictures of 32 x 32 end as one place with 512 channels; their classifier has as many features.
void build_vgg16(NetworkBuilder& net, const NetworkSizes& sizes) {
  constexpr std::int64_t kPool = 0;
  constexpr std::int64_t kLayers[] = {64,    64,  kPool, 128, 128,   kPool, 256, 256, 256,
                                      kPool, 512, 512,   512, kPool, 512,   512, 512, kPool};
  TensorId x = add_image(net, sizes);
  int number = 0;
  const auto next = [&] { return "features." + std::to_string(number++); };
  for (const std::int64_t channels : kLayers) {
    if (channels == kPool) {
      x = max_pool2d(net, next(), x, {});
      continue;
    }
    x = conv2d(net, next(), x, {.channels = channels, .padding = 1, .bias = Bias::With});
    x = apply(net, Operator::Relu, next(), {x});
  }
  const std::int64_t features = sizes.image <= kSmallImage ? 512 : 4096;
  x = hidden_layer(net, 0, flatten(net, "flatten", x), features);
  x = hidden_layer(net, 3, x, features);
  add_output(net, "logits", linear(net, "classifier.6", x, sizes.classes));
}

}  // namespace poet
