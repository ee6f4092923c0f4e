#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "poet/model/network_builder.h"
#include "poet/model/zoo/networks.h"

namespace poet {

// How frequencies of rotary positions are stretched for longer texts than the model was trained on
// at first: the rule that configurations call "llama3".
struct RotaryStretch {
  double factor = 32;
  double low_frequency_factor = 1;
  double high_frequency_factor = 4;
  double original_length = 8192;
};

// What Gemma 3 does otherwise (Gemma Team, "Gemma 3 technical report", 2025): norms scale by 1 + w,
// stand behind attention and feed-forward layer too, and are over each head of queries and keys;
// embeddings are scaled by sqrt(features); and most layers see only the last `window` tokens.
struct GemmaParts {
  std::int64_t window = 512;
  double window_rotary_base = 10'000;
  std::int64_t full_every = 6;  // layers: the last of these sees all tokens before
};

// A decoder with rotary positions, norms by the root of the mean square, grouped queries and a
// gated feed-forward layer. The embedding of words is also the weight of the last layer.
struct DecoderSize {
  std::int64_t words = 1;
  std::int64_t features = 64;
  std::int64_t layers = 2;
  std::int64_t heads = 4;
  std::int64_t kv_heads = 2;
  std::int64_t head_features = 16;
  std::int64_t hidden = 128;  // of the feed-forward layer
  double rotary_base = 10'000;
  std::optional<RotaryStretch> stretch = {};
  float epsilon = 1e-5F;
  Bias qkv_bias = Bias::Without;
  Operator gate = Operator::Silu;  // of the feed-forward layer
  float weight_deviation = 0.02F;
  std::optional<GemmaParts> gemma = {};
};

// Whose form it is: what configurations call "llama", "qwen2" and "gemma3_text".
enum class DecoderFamily { Llama, Qwen, Gemma };

// A decoder of the zoo.
struct NamedDecoder {
  std::string_view name = {};
  DecoderFamily family = DecoderFamily::Llama;
  DecoderSize size = {};
};

// Nothing where no network of this name is a decoder of this form.
const NamedDecoder* find_decoder(std::string_view name);

// "input_ids" (N, S) to "logits" (N, S, words). Parameters are called as in Hugging Face's
// transformers, by which these models are published.
void build_decoder(NetworkBuilder& net, const NetworkSizes& sizes, const DecoderSize& size);

}  // namespace poet
