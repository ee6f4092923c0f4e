#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "poet/model/network_builder.h"
#include "poet/model/zoo/networks.h"

namespace poet {

// How wide each level is, in multiples of the first, and where pixels attend to each other.
struct DiffusionSize {
  std::int64_t channels = 32;
  std::vector<std::int64_t> multiples = {1, 2, 2};  // each level has half the pixels of the last
  std::int64_t blocks = 1;                          // residual blocks of a level on the way down
  std::size_t attention_level = 2;
  std::int64_t groups = 8;  // of its norms
  float dropout_probability = 0;
};

// Nothing where no network of this name is one of these.
const DiffusionSize* find_diffusion(std::string_view network);

// Predicts the noise in a picture: "image" (N, 3, H, H) and "timestep" (N), below kDiffusionSteps,
// to "noise" (N, 3, H, H).
void build_diffusion(NetworkBuilder& net, const NetworkSizes& sizes, const DiffusionSize& size);

constexpr std::int64_t kDiffusionSteps = 1000;

}  // namespace poet
