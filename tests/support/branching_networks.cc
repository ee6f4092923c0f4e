#include "support/branching_networks.h"

#include "poet/model/network_builder.h"

namespace poet::testing {
namespace {

TensorId add_pictures(NetworkBuilder& net) {
  return add_input(net, "image", {ElementType::Float32, {2, 3, 12, 12}});
}

TensorId relu(NetworkBuilder& net, const std::string& name, TensorId x) {
  return apply(net, Operator::Relu, name + ".relu", {x});
}

TensorId conv_relu(NetworkBuilder& net, const std::string& name, TensorId x, Conv2d layer) {
  layer.bias = Bias::With;
  return relu(net, name, conv2d(net, name, x, layer));
}

TensorId norm_relu(NetworkBuilder& net, const std::string& name, TensorId x) {
  return relu(net, name, batch_norm(net, name, x));
}

TensorId concat(NetworkBuilder& net, const std::string& name, std::vector<TensorId> parts) {
  return apply(net, {.name = name,
                     .kind = Operator::Concat,
                     .attributes = AxisAttributes{1},
                     .inputs = std::move(parts)});
}

Model classified(NetworkBuilder& net, TensorId x) {
  x = global_average_pool(net, "pool", x);
  add_output(net, "scores", linear(net, "classifier", x, 2));
  return std::move(net.model);
}

// G. Huang et al., "Densely connected convolutional networks" (2017): every layer reads all that
// came before it in its block.
Model dense_blocks() {
  NetworkBuilder net;
  TensorId x = conv2d(net, "stem", add_pictures(net), {.channels = 4, .padding = 1});
  for (const std::string block : {"block1", "block2"}) {
    for (const std::string layer : {".layer1", ".layer2", ".layer3"}) {
      const std::string name = block + layer;
      TensorId grown = norm_relu(net, name + ".norm1", x);
      grown = conv2d(net, name + ".conv1", grown, {.channels = 6, .kernel = 1});
      grown = norm_relu(net, name + ".norm2", grown);
      grown = conv2d(net, name + ".conv2", grown, {.channels = 3, .padding = 1});
      x = concat(net, name + ".concat", {x, grown});
    }
    x = norm_relu(net, block + ".norm", x);
    x = conv2d(net, block + ".shrink", x, {.channels = 5, .kernel = 1});
    x = average_pool2d(net, block + ".pool", x, {});
  }
  return classified(net, x);
}

// F. Iandola et al., "SqueezeNet" (2016): few channels, then small and large windows side by side.
Model fire_modules() {
  NetworkBuilder net;
  TensorId x = conv_relu(net, "stem", add_pictures(net), {.channels = 6, .padding = 1});
  x = max_pool2d(net, "pool1", x, {.kernel = 3, .stride = 2, .padding = 1});
  for (const std::string name : {"fire1", "fire2"}) {
    x = conv_relu(net, name + ".squeeze", x, {.channels = 3, .kernel = 1});
    x = concat(net, name + ".concat",
               {conv_relu(net, name + ".small", x, {.channels = 4, .kernel = 1}),
                conv_relu(net, name + ".large", x, {.channels = 4, .padding = 1})});
  }
  x = dropout(net, "dropout", x, 0.5F);
  return classified(net, conv_relu(net, "last", x, {.channels = 5, .kernel = 1}));
}

// (N, g c, H, W) with the channels of each group dealt out over all groups.
TensorId shuffled(NetworkBuilder& net, const std::string& name, TensorId x, std::int64_t groups) {
  const std::int64_t channels = extent(net, x, 1) / groups;
  const std::int64_t height = extent(net, x, 2);
  const std::int64_t width = extent(net, x, 3);
  x = reshape(net, name + ".split", x, {2, groups, channels, height, width});
  x = apply(net, {.name = name + ".swap",
                  .kind = Operator::Transpose,
                  .attributes = TransposeAttributes{{0, 2, 1, 3, 4}},
                  .inputs = {x}});
  return reshape(net, name + ".join", x, {2, groups * channels, height, width});
}

struct ShuffleUnit {
  std::int64_t channels = 0;
  std::int64_t stride = 1;
};

// X. Zhang et al., "ShuffleNet" (2018): grouped convolutions with a shuffle between them. Without
// the norm behind the depthwise one: the next norm takes away what its bias adds, so that has no
// gradient to compare.
TensorId shuffle_unit(NetworkBuilder& net, const std::string& name, TensorId x,
                      const ShuffleUnit& unit) {
  const Conv2d grouped{.channels = unit.channels, .kernel = 1, .groups = 2};
  TensorId y = norm_relu(net, name + ".norm1", conv2d(net, name + ".conv1", x, grouped));
  y = shuffled(net, name + ".shuffle", y, 2);
  y = conv2d(
      net, name + ".depthwise", y,
      {.channels = unit.channels, .stride = unit.stride, .padding = 1, .groups = unit.channels});
  y = batch_norm(net, name + ".norm2", conv2d(net, name + ".conv2", y, grouped));
  if (unit.stride == 1) return relu(net, name, apply(net, Operator::Add, name + ".add", {x, y}));
  x = average_pool2d(net, name + ".pool", x, {.kernel = 3, .stride = 2, .padding = 1});
  return relu(net, name, concat(net, name + ".concat", {x, y}));
}

Model channel_shuffle() {
  NetworkBuilder net;
  TensorId x = conv_relu(net, "stem", add_pictures(net), {.channels = 4, .padding = 1});
  x = shuffle_unit(net, "unit1", x, {.channels = 4, .stride = 2});
  x = shuffle_unit(net, "unit2", x, {.channels = 8});
  x = shuffle_unit(net, "unit3", x, {.channels = 8});
  return classified(net, x);
}

// x / (1 + mean of the squares of 5 channels around)^0.75: A. Krizhevsky et al., "ImageNet
// classification with deep convolutional neural networks" (2012), section 3.3, as it is imported.
TensorId local_response(NetworkBuilder& net, const std::string& name, TensorId x) {
  const Shape shape = {2, extent(net, x, 1), extent(net, x, 2), extent(net, x, 3)};
  TensorId y = apply(net, Operator::Mul, name + ".square", {x, x});
  y = reshape(net, name + ".flat", y, {2, 1, shape[1], shape[2] * shape[3]});
  y = apply(net, {.name = name + ".mean",
                  .kind = Operator::AveragePool,
                  .attributes = WindowAttributes{.kernel = {5, 1},
                                                 .stride = {1, 1},
                                                 .padding_begin = {2, 0},
                                                 .padding_end = {2, 0},
                                                 .dilation = {1, 1},
                                                 .counts_padding = true},
                  .inputs = {y}});
  y = reshape(net, name + ".spread", y, shape);
  const TensorType scalar{ElementType::Float32, {}};
  const TensorId one = add_constant(net, name + ".one", scalar, FilledWith{1});
  const TensorId beta = add_constant(net, name + ".beta", scalar, FilledWith{0.75});
  y = apply(net, Operator::Add, name + ".base", {y, one});
  y = apply(net, Operator::Pow, name + ".power", {y, beta});
  return apply(net, Operator::Div, name, {x, y});
}

// C. Szegedy et al., "Going deeper with convolutions" (2015): four branches of one tensor.
TensorId inception(NetworkBuilder& net, const std::string& name, TensorId x) {
  const TensorId point = conv_relu(net, name + ".point", x, {.channels = 2, .kernel = 1});
  TensorId small = conv_relu(net, name + ".small1", x, {.channels = 2, .kernel = 1});
  small = conv_relu(net, name + ".small2", small, {.channels = 3, .padding = 1});
  TensorId large = conv_relu(net, name + ".large1", x, {.channels = 1, .kernel = 1});
  large = conv_relu(net, name + ".large2", large, {.channels = 2, .kernel = 5, .padding = 2});
  TensorId pooled = max_pool2d(net, name + ".pool", x, {.kernel = 3, .stride = 1, .padding = 1});
  pooled = conv_relu(net, name + ".pooled", pooled, {.channels = 2, .kernel = 1});
  return concat(net, name, {point, small, large, pooled});
}

Model inception_branches() {
  NetworkBuilder net;
  TensorId x = conv_relu(net, "stem", add_pictures(net), {.channels = 6, .padding = 1});
  x = max_pool2d(net, "pool1", x, {.kernel = 3, .stride = 2, .padding = 1});
  x = local_response(net, "norm", x);
  x = inception(net, "inception1", x);
  x = inception(net, "inception2", x);
  return classified(net, dropout(net, "dropout", x, 0.4F));
}

}  // namespace

const std::vector<BranchingNetwork>& branching_networks() {
  static const std::vector<BranchingNetwork> table = {
      {"dense_blocks", dense_blocks},
      {"fire_modules", fire_modules},
      {"channel_shuffle", channel_shuffle},
      {"inception_branches", inception_branches},
  };
  return table;
}

}  // namespace poet::testing
