#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/model/model.h"

namespace poet {

struct NetworkBuilder;
struct NetworkSizes;

// What may be chosen of a network; what is left out has the network's own default. Naming what a
// network does not have is an error.
struct NetworkOptions {
  std::int64_t batch_size = 1;
  std::optional<std::int64_t> image_size = {};  // pictures are square
  std::optional<std::int64_t> sequence_length = {};
  std::optional<std::int64_t> classes = {};
  std::optional<float> dropout_probability = {};  // of all dropouts; 0: none
  std::uint64_t seed = 1;                         // of initial values
};

// The networks as published, of any size that fits them.
struct RealNetwork {
  std::string_view name;
  std::string_view what;    // one line for help texts
  std::string_view source;  // the publication
  void (*build)(NetworkBuilder& net, const NetworkSizes& sizes) = nullptr;
  // Defaults; nothing: the network has no such option.
  std::optional<std::int64_t> image_size = {};
  std::optional<std::int64_t> sequence_length = {};
  std::optional<std::int64_t> classes = {};
  std::int64_t least_image_size = 1;
  std::int64_t image_size_multiple = 1;
  std::int64_t most_sequence_length = 1;           // as many positions as it was made for
  std::optional<std::int64_t> small_classes = {};  // the default for pictures of 32 x 32
};
const std::vector<RealNetwork>& real_network_table();

// The network's forward pass with its initial values. Inputs and outputs: "image" (N, C, H, W) to
// "logits" (N, classes); for unet logits (N, classes, H, W); "input_ids", for bert also
// "token_type_ids", (N, S) to logits (N, classes), or (N, S, vocabulary) for language models.
// Refuses unknown names, with a suggestion, options that the network does not have, and sizes that
// it cannot work with.
Result<Model> real_network(std::string_view name, const NetworkOptions& options);

}  // namespace poet
