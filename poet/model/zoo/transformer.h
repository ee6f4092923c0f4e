#pragma once

#include <cstdint>
#include <string>

#include "poet/model/zoo/networks.h"

namespace poet {

// What encoders and decoders have in common.
struct TransformerSize {
  std::int64_t layers = 2;
  std::int64_t features = 128;
  std::int64_t heads = 2;
};
// The smallest model of I. Turc, M.-W. Chang, K. Lee, K. Toutanova, "Well-read students learn
// better" (2019), and the base model of J. Devlin et al. (2019), of which GPT-2's smallest has the
// sizes, too.
constexpr TransformerSize kTinyTransformer{.layers = 2, .features = 128, .heads = 2};
constexpr TransformerSize kBaseTransformer{.layers = 12, .features = 768, .heads = 12};
// The small vision transformer, and the side of its patches.
constexpr TransformerSize kSmallVit{.layers = 12, .features = 384, .heads = 6};
constexpr std::int64_t kVitPatch = 16;

// Of whatever is dropped in either.
constexpr float kTransformerDropout = 0.1F;

constexpr std::int64_t kBertWords = 30'522;
constexpr std::int64_t kBertPositions = 512;
constexpr std::int64_t kGpt2Words = 50'257;
constexpr std::int64_t kGpt2Positions = 1024;

// Indices (N, S).
TensorId add_tokens(NetworkBuilder& net, const std::string& name, const NetworkSizes& sizes);

// The learnt vectors of the first S positions, (S, features).
TensorId positions(NetworkBuilder& net, const std::string& name, const NetworkSizes& sizes,
                   const Embedding& table);

// Attention of x (N, S, H) to itself, without the linear layer after it.
TensorId self_attention(NetworkBuilder& net, const std::string& name, TensorId x,
                        const Attention& layer);

// A linear layer and dropout, added to `shortcut`.
TensorId linear_and_add(NetworkBuilder& net, const std::string& name, TensorId x,
                        TensorId shortcut);

}  // namespace poet
