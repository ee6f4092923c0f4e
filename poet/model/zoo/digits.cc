// Networks for the 8x8 digits of E. Alpaydin and C. Kaynak, "Cascading classifiers" (Kybernetika,
// 1998): small enough that microcontrollers with 16 and 32 KiB of RAM can train them.

#include "poet/model/zoo/networks.h"

namespace poet {

// 64-16-10 with rectifiers.
void build_digits_mlp(NetworkBuilder& net, const NetworkSizes& sizes) {
  TensorId x = flatten(net, "flatten", add_image(net, sizes, 1));
  x = apply(net, Operator::Relu, "relu1", {linear(net, "fc1", x, 16)});
  add_output(net, "logits", linear(net, "fc2", x, sizes.classes));
}

// Two convolutions of 8 and 16 channels, each halved by averages, and a linear layer.
void build_digits_cnn(NetworkBuilder& net, const NetworkSizes& sizes) {
  TensorId x = add_image(net, sizes, 1);
  x = conv2d(net, "conv1", x, {.channels = 8, .padding = 1, .bias = Bias::With});
  x = average_pool2d(net, "pool1", apply(net, Operator::Relu, "relu1", {x}), {});
  x = conv2d(net, "conv2", x, {.channels = 16, .padding = 1, .bias = Bias::With});
  x = average_pool2d(net, "pool2", apply(net, Operator::Relu, "relu2", {x}), {});
  add_output(net, "logits", linear(net, "fc", flatten(net, "flatten", x), sizes.classes));
}

}  // namespace poet
