#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "poet/model/real_networks.h"

namespace poet::testing {

// Of the zoo, but without those that are made of the layers of a smaller one: what is tested of
// every network's training says nothing more of them, and takes long.
inline std::vector<std::string_view> networks_of_every_form() {
  constexpr std::array<std::string_view, 11> kLarger = {
      "smollm2-135m", "gemma-3-270m", "qwen2.5-0.5b",     "gemma-3-1b",
      "llama-3.2-1b", "qwen2.5-1.5b", "llama-3.2-3b",     "lstm-medium",
      "ddpm-cifar10", "mobilevit-s",  "mobilenetv3-large"};
  std::vector<std::string_view> names;
  for (const RealNetwork& row : real_network_table())
    if (std::find(kLarger.begin(), kLarger.end(), row.name) == kLarger.end())
      names.push_back(row.name);
  return names;
}

}  // namespace poet::testing
