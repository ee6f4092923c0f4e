#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/json_out.h"
#include "poet/base/result.h"
#include "poet/model/low_rank_adapters.h"
#include "poet/model/model.h"
#include "poet/model/safetensors.h"

namespace poet {

inline constexpr const char* kAdapterConfigFile = "adapter_config.json";
inline constexpr const char* kAdapterFile = "adapter_model.safetensors";

// Adapters of low rank that somebody published, as Hugging Face's library PEFT keeps them: a folder
// with a configuration, adapter_config.json, and the matrices, adapter_model.safetensors.
struct PublishedAdapters {
  std::string path = {};  // of the folder
  std::int64_t rank = 1;
  double alpha = 1;  // of the scale alpha / rank
  // The weights that they were learnt beside, as their configuration calls them, where it does.
  std::optional<std::string> base = {};
  std::map<std::string, SafeTensor> tensors = {};
};

// Refuses files that are not as their formats have it, and by its key whatever a configuration asks
// for that is not W + (alpha / rank) B A with one rank and alpha.
Result<PublishedAdapters> open_adapters(const std::string& folder);

// What has to be asked of a network to have them, whose targets are the weights that the matrices
// are beside; `network`: its name in the zoo, or "" for one of a file. Refuses matrices for which
// the network has no place, and one without the other.
Result<LowRankAdapters> adapters_for(const PublishedAdapters& adapters, std::string_view network,
                                     const Model& base);

// Gives the adapters of a network, which has those of adapters_for(), the values that were
// published: float32 to the bit, float16 and bfloat16 exactly. Refuses other types and shapes.
Failure load_adapters(const PublishedAdapters& adapters, std::string_view network, Model& model);

// A matrix of an adapter as it is published.
struct PublishedMatrix {
  std::string name = {};
  TensorId tensor{};
};

// All of a network with adapters, in its order. Refuses adapters beside a weight that is published
// as a part of a larger one: those beside the whole are others.
Result<std::vector<PublishedMatrix>> published_matrices(const Model& model,
                                                        std::string_view network);

// The configuration that goes with them, of a network whose weights lie in `base`, where that is
// known.
JsonOut adapter_config(const Model& model, const LowRankAdapters& adapters,
                       std::string_view network, const std::optional<std::string>& base);

}  // namespace poet
