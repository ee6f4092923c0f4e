// Networks for handwritten digits: those of Y. LeCun, L. Bottou, Y. Bengio, P. Haffner,
// "Gradient-based learning applied to document recognition" (Proc. IEEE, 1998), and for the 8x8
// digits of E. Alpaydin and C. Kaynak, "Cascading classifiers" (Kybernetika, 1998) some that are
// small enough for microcontrollers with 16 and 32 KiB of RAM to train them.

#include "poet/model/zoo/networks.h"

namespace poet {

// "784-300-100-10" (section III.C), with rectifiers.
void build_mlp(NetworkBuilder& net, const NetworkSizes& sizes) {
  TensorId x = flatten(net, "flatten", add_image(net, sizes, 1));
  x = apply(net, Operator::Relu, "relu1", {linear(net, "fc1", x, 300)});
  x = apply(net, Operator::Relu, "relu2", {linear(net, "fc2", x, 100)});
  add_output(net, "logits", linear(net, "fc3", x, sizes.classes));
}

// Section II.B in today's form: every picture of C3 sees all of S2, subsampling has no weights,
// and the output layer is linear.
void build_lenet5(NetworkBuilder& net, const NetworkSizes& sizes) {
  TensorId x = add_image(net, sizes, 1);
  x = conv2d(net, "conv1", x, {.channels = 6, .kernel = 5, .bias = Bias::With});
  x = average_pool2d(net, "pool1", apply(net, Operator::Tanh, "tanh1", {x}), {});
  x = conv2d(net, "conv2", x, {.channels = 16, .kernel = 5, .bias = Bias::With});
  x = average_pool2d(net, "pool2", apply(net, Operator::Tanh, "tanh2", {x}), {});
  x = linear(net, "fc1", flatten(net, "flatten", x), 120);
  x = linear(net, "fc2", apply(net, Operator::Tanh, "tanh3", {x}), 84);
  x = linear(net, "fc3", apply(net, Operator::Tanh, "tanh4", {x}), sizes.classes);
  add_output(net, "logits", x);
}

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
