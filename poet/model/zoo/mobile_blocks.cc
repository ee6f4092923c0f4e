#include "poet/model/zoo/mobile_blocks.h"

#include <algorithm>

namespace poet {

TensorId silu(NetworkBuilder& net, const std::string& name, TensorId x) {
  return apply(net, Operator::Silu, name, {x});
}

TensorId relu(NetworkBuilder& net, const std::string& name, TensorId x) {
  return apply(net, Operator::Relu, name, {x});
}

TensorId unchanged(NetworkBuilder&, const std::string&, TensorId x) {
  return x;
}

TensorId conv_norm(NetworkBuilder& net, const std::string& name, TensorId x,
                   const ConvNorm& layer) {
  x = conv2d(net, name + ".0", x,
             {.channels = layer.channels,
              .kernel = layer.kernel,
              .stride = layer.stride,
              .padding = (layer.kernel - 1) / 2,
              .groups = layer.groups});
  x = batch_norm(net, name + ".1", x, layer.norm);
  return layer.activation(net, name + ".2", x);
}

TensorId squeeze_excite(NetworkBuilder& net, const std::string& name, TensorId x,
                        const SqueezeExcite& layer) {
  TensorId gate = apply(net, {.name = name + ".avgpool",
                              .kind = Operator::ReduceMean,
                              .attributes = ReduceAttributes{.axes = {2, 3}},
                              .inputs = {x}});
  gate = conv2d(net, name + ".fc1", gate,
                {.channels = layer.channels, .kernel = 1, .bias = Bias::With});
  gate = layer.activation(net, name + ".activation", gate);
  gate = conv2d(net, name + ".fc2", gate,
                {.channels = extent(net, x, 1), .kernel = 1, .bias = Bias::With});
  gate = layer.gate(net, name + ".scale_activation", gate);
  return apply(net, Operator::Mul, name + ".scale", {x, gate});
}

std::int64_t multiple_of_8(double channels) {
  const auto near = static_cast<std::int64_t>(channels + 4) / 8 * 8;
  const std::int64_t least = std::max<std::int64_t>(8, near);
  return static_cast<double>(least) < 0.9 * channels ? least + 8 : least;
}

}  // namespace poet
