// Decoders with published weights, by the configurations that these come with. All are small
// enough that somebody may want to train them on a small machine, and tie their last layer to the
// embedding.

#include "poet/base/check.h"
#include "poet/model/zoo/decoder.h"

namespace poet {
namespace {

// A. Dubey et al., "The Llama 3 herd of models" (2024), and the configurations of Llama 3.2.
constexpr DecoderSize kLlama{.words = 128'256,
                             .kv_heads = 8,
                             .hidden = 8192,
                             .rotary_base = 500'000,
                             .stretch = RotaryStretch{}};

// Qwen Team, "Qwen2.5 technical report" (2024).
constexpr DecoderSize kQwen{.words = 151'936,
                            .kv_heads = 2,
                            .rotary_base = 1'000'000,
                            .epsilon = 1e-6F,
                            .qkv_bias = Bias::With};

// Gemma Team, "Gemma 3 technical report" (2025).
constexpr DecoderSize kGemma{.words = 262'144,
                             .heads = 4,
                             .kv_heads = 1,
                             .head_features = 256,
                             .rotary_base = 1'000'000,
                             .epsilon = 1e-6F,
                             .gate = Operator::GeluTanh,
                             .gemma = GemmaParts{}};

// Llama's form at a size that trains within seconds.
constexpr DecoderSize kLlamaTiny{.words = 512};

// Gemma 3's, with a window that short texts do not fit in.
constexpr DecoderSize gemma_tiny() {
  DecoderSize size = kGemma;
  size.words = 512;
  size.kv_heads = 2;
  size.head_features = 16;
  size.gemma = GemmaParts{.window = 8, .full_every = 2};
  return size;
}

struct Width {
  std::int64_t features = 1;
  std::int64_t layers = 1;
  std::int64_t heads = 1;
  std::int64_t head_features = 1;
  std::int64_t hidden = 1;
};

constexpr DecoderSize sized(DecoderSize size, const Width& width) {
  size.features = width.features;
  size.layers = width.layers;
  size.heads = width.heads;
  size.head_features = width.head_features;
  size.hidden = width.hidden;
  return size;
}

// L. Ben Allal et al., "SmolLM2: when Smol goes big" (2025).
constexpr DecoderSize kSmolLm{.words = 49'152,
                              .features = 576,
                              .layers = 30,
                              .heads = 9,
                              .kv_heads = 3,
                              .head_features = 64,
                              .hidden = 1536,
                              .rotary_base = 100'000,
                              .weight_deviation = 0.0416666666666666664F};

constexpr NamedDecoder kDecoders[] = {
    {"llama-tiny", DecoderFamily::Llama, kLlamaTiny},
    {"gemma-tiny", DecoderFamily::Gemma, gemma_tiny()},
    {"smollm2-135m", DecoderFamily::Llama, kSmolLm},
    {"gemma-3-270m", DecoderFamily::Gemma, sized(kGemma, {640, 18, 4, 256, 2048})},
    {"qwen2.5-0.5b", DecoderFamily::Qwen, sized(kQwen, {896, 24, 14, 64, 4864})},
    {"gemma-3-1b", DecoderFamily::Gemma, sized(kGemma, {1152, 26, 4, 256, 6912})},
    {"llama-3.2-1b", DecoderFamily::Llama, sized(kLlama, {2048, 16, 32, 64, 8192})},
    {"qwen2.5-1.5b", DecoderFamily::Qwen, sized(kQwen, {1536, 28, 12, 128, 8960})},
    {"llama-3.2-3b", DecoderFamily::Llama, sized(kLlama, {3072, 28, 24, 128, 8192})},
};

void build(NetworkBuilder& net, const NetworkSizes& sizes, std::string_view name) {
  const NamedDecoder* const decoder = find_decoder(name);
  POET_CHECK(decoder != nullptr);
  build_decoder(net, sizes, decoder->size);
}

}  // namespace

const NamedDecoder* find_decoder(std::string_view name) {
  for (const NamedDecoder& decoder : kDecoders)
    if (decoder.name == name) return &decoder;
  return nullptr;
}

void build_llama_tiny(NetworkBuilder& net, const NetworkSizes& sizes) {
  build(net, sizes, "llama-tiny");
}

void build_gemma_tiny(NetworkBuilder& net, const NetworkSizes& sizes) {
  build(net, sizes, "gemma-tiny");
}

void build_llama_3_2_1b(NetworkBuilder& net, const NetworkSizes& sizes) {
  build(net, sizes, "llama-3.2-1b");
}

void build_llama_3_2_3b(NetworkBuilder& net, const NetworkSizes& sizes) {
  build(net, sizes, "llama-3.2-3b");
}

void build_qwen2_5_0_5b(NetworkBuilder& net, const NetworkSizes& sizes) {
  build(net, sizes, "qwen2.5-0.5b");
}

void build_qwen2_5_1_5b(NetworkBuilder& net, const NetworkSizes& sizes) {
  build(net, sizes, "qwen2.5-1.5b");
}

void build_gemma_3_270m(NetworkBuilder& net, const NetworkSizes& sizes) {
  build(net, sizes, "gemma-3-270m");
}

void build_gemma_3_1b(NetworkBuilder& net, const NetworkSizes& sizes) {
  build(net, sizes, "gemma-3-1b");
}

void build_smollm2_135m(NetworkBuilder& net, const NetworkSizes& sizes) {
  build(net, sizes, "smollm2-135m");
}

}  // namespace poet
