#pragma once

#include <map>
#include <optional>
#include <string>

#include "poet/base/json.h"
#include "poet/base/result.h"
#include "poet/model/safetensors.h"
#include "poet/model/weight_names.h"

namespace poet {

// The configuration that lies beside weights.
struct PublishedConfig {
  std::string path = {};
  JsonValue json = {};
};

// Values that somebody published, by the names that they have there. They lie in mapped files and
// are read as they are looked at.
struct PublishedWeights {
  std::string path = {};  // as it was given
  std::map<std::string, SafeTensor> tensors = {};
  std::optional<PublishedConfig> config = {};
};

// Whether a path stands for one file, and not for a folder.
bool names_safetensors_file(const std::string& path);

inline constexpr const char* kDiffusionWeightsFile = "diffusion_pytorch_model.safetensors";
inline constexpr const char* kWeightsIndex = "model.safetensors.index.json";
inline constexpr const char* kConfigFile = "config.json";

// A folder as Hugging Face's libraries write it: model.safetensors, or several files by the index
// model.safetensors.index.json, or diffusion_pytorch_model.safetensors, and config.json where there
// is one; or one file, or one index. A
// file NAME.gguf is one of GGUF, whose configuration is in it. Weights that GPTQ has quantised, in
// a folder that says how, are tensors of float32 (gptq.h). Refuses files that are not as the format
// has them, and an index that does not say of every tensor in which file it is.
Result<PublishedWeights> open_weights(const std::string& path);

}  // namespace poet
