// Y. Zhang, N. Suda, L. Lai, V. Chandra, "Hello edge: keyword spotting on microcontrollers" (2017),
// as the keyword benchmark of C. Banbury et al., "MLPerf Tiny benchmark" (NeurIPS 2021) has it:
// 49 windows of a second of speech, 10 coefficients each.

#include "poet/model/zoo/networks.h"

namespace poet {
namespace {

constexpr std::int64_t kWindows = 49;
constexpr std::int64_t kCoefficients = 10;
constexpr std::int64_t kChannels = 64;

// TensorFlow's "same" padding: where it is odd, the odd place stands behind.
WindowAttributes first_window() {
  return {.kernel = {10, 4},
          .stride = {2, 2},
          .padding_begin = {4, 1},
          .padding_end = {5, 1},
          .dilation = {1, 1}};
}

// Keras' constants.
TensorId norm_and_relu(NetworkBuilder& net, const std::string& name, TensorId x) {
  x = batch_norm(net, name + ".norm", x, {.epsilon = 1e-3F, .rule = {.rate = 0.01F}});
  return apply(net, Operator::Relu, name + ".relu", {x});
}

}  // namespace

void build_ds_cnn(NetworkBuilder& net, const NetworkSizes& sizes) {
  TensorId x = add_input(net, "spectrogram",
                         {ElementType::Float32, {sizes.batch, 1, kWindows, kCoefficients}});
  x = convolution(net, "conv", x,
                  {.channels = kChannels, .window = first_window(), .bias = Bias::With});
  x = dropout(net, "dropout1", norm_and_relu(net, "conv", x), 0.2F);
  for (int i = 1; i <= 4; ++i) {
    const std::string name = "separable" + std::to_string(i);
    x = conv2d(net, name + ".depthwise", x,
               {.channels = kChannels, .padding = 1, .groups = kChannels, .bias = Bias::With});
    x = norm_and_relu(net, name + ".depthwise", x);
    x = conv2d(net, name + ".pointwise", x,
               {.channels = kChannels, .kernel = 1, .bias = Bias::With});
    x = norm_and_relu(net, name + ".pointwise", x);
  }
  x = dropout(net, "dropout2", x, 0.4F);
  // Of 25 windows that are left, the benchmark's pool of half of 49 sees 24.
  x = apply(net, {.name = "pool",
                  .kind = Operator::AveragePool,
                  .attributes = WindowAttributes{.kernel = {kWindows / 2, kCoefficients / 2},
                                                 .stride = {kWindows / 2, kCoefficients / 2},
                                                 .padding_begin = {0, 0},
                                                 .padding_end = {0, 0},
                                                 .dilation = {1, 1}},
                  .inputs = {x}});
  add_output(net, "logits", linear(net, "fc", flatten(net, "flatten", x), sizes.classes));
}

}  // namespace poet
