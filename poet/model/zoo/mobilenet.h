#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "poet/model/network_builder.h"

namespace poet {

using Activation = std::function<TensorId(NetworkBuilder& net, const std::string& name, TensorId)>;

// Silu, and what adds no operation.
TensorId silu(NetworkBuilder& net, const std::string& name, TensorId x);
TensorId relu(NetworkBuilder& net, const std::string& name, TensorId x);
TensorId unchanged(NetworkBuilder& net, const std::string& name, TensorId x);

// A convolution of odd kernel that keeps the extent but for its stride, a batch norm and an
// activation.
struct ConvNorm {
  std::int64_t channels = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t groups = 1;
  BatchNormLayer norm = {};
  Activation activation = unchanged;
};
TensorId conv_norm(NetworkBuilder& net, const std::string& name, TensorId x, const ConvNorm& layer);

// J. Hu, L. Shen, G. Sun, "Squeeze-and-excitation networks" (CVPR 2018): each channel times a gate
// that two linear layers make of the means of all.
struct SqueezeExcite {
  std::int64_t channels = 1;  // between the two
  Activation activation = relu;
  Activation gate = hard_sigmoid;
};
TensorId squeeze_excite(NetworkBuilder& net, const std::string& name, TensorId x,
                        const SqueezeExcite& layer);

// The nearest multiple of 8, which must not be below 90 % of it: the rule of MobileNets.
std::int64_t multiple_of_8(double channels);

}  // namespace poet
