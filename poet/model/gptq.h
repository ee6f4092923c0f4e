#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "poet/base/json.h"
#include "poet/base/result.h"
#include "poet/model/safetensors.h"

namespace poet {

// How the weights of a network lie that GPTQ has quantised (E. Frantar et al., "GPTQ: accurate
// post-training quantization for generative pre-trained transformers", 2022), as the libraries
// AutoGPTQ and GPTQModel write them.
struct GptqForm {
  std::int64_t bits = 4;          // 4 or 8
  std::int64_t group_size = 128;  // columns with scales of their own; -1: all have one
  std::int64_t added_to_zero = 1;
};

inline constexpr const char* kQuantizeConfigFile = "quantize_config.json";

// Of a configuration, quantize_config.json or what config.json has under quantization_config.
// Refuses other methods and formats, other numbers of bits, and bits that differ between layers.
Result<GptqForm> gptq_form(const JsonValue& config, const std::string& path);

// Whether there is a tensor of numbers of few bits, "NAME.qweight", among them.
bool has_gptq(const std::map<std::string, SafeTensor>& tensors);

// Makes of each NAME.qweight, NAME.qzeros, NAME.scales and NAME.g_idx a tensor NAME.weight (out,
// in) of float32, whose values are scale (number - zero) of their place. Refuses what is missing or
// does not fit: shapes, types, groups that are not there, scales that are not finite.
Failure take_gptq(const GptqForm& form, std::map<std::string, SafeTensor>& tensors);

}  // namespace poet
