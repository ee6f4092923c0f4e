// Decoders with published weights, by the configurations that these come with. All are small
// enough that somebody may want to train them on a small machine, and tie their last layer to the
// embedding.

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

}  // namespace

// Llama's form at a size that trains within seconds.
void build_llama_tiny(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_decoder(net, sizes, {.words = 512});
}

// Gemma 3's, with a window that short texts do not fit in.
void build_gemma_tiny(NetworkBuilder& net, const NetworkSizes& sizes) {
  DecoderSize size = kGemma;
  size.words = 512;
  size.kv_heads = 2;
  size.head_features = 16;
  size.gemma = GemmaParts{.window = 8, .full_every = 2};
  build_decoder(net, sizes, size);
}

void build_llama_3_2_1b(NetworkBuilder& net, const NetworkSizes& sizes) {
  DecoderSize size = kLlama;
  size.features = 2048;
  size.layers = 16;
  size.heads = 32;
  size.head_features = 64;
  build_decoder(net, sizes, size);
}

void build_llama_3_2_3b(NetworkBuilder& net, const NetworkSizes& sizes) {
  DecoderSize size = kLlama;
  size.features = 3072;
  size.layers = 28;
  size.heads = 24;
  size.head_features = 128;
  build_decoder(net, sizes, size);
}

void build_qwen2_5_0_5b(NetworkBuilder& net, const NetworkSizes& sizes) {
  DecoderSize size = kQwen;
  size.features = 896;
  size.layers = 24;
  size.heads = 14;
  size.head_features = 64;
  size.hidden = 4864;
  build_decoder(net, sizes, size);
}

void build_qwen2_5_1_5b(NetworkBuilder& net, const NetworkSizes& sizes) {
  DecoderSize size = kQwen;
  size.features = 1536;
  size.layers = 28;
  size.heads = 12;
  size.head_features = 128;
  size.hidden = 8960;
  build_decoder(net, sizes, size);
}

void build_gemma_3_270m(NetworkBuilder& net, const NetworkSizes& sizes) {
  DecoderSize size = kGemma;
  size.features = 640;
  size.layers = 18;
  size.hidden = 2048;
  build_decoder(net, sizes, size);
}

void build_gemma_3_1b(NetworkBuilder& net, const NetworkSizes& sizes) {
  DecoderSize size = kGemma;
  size.features = 1152;
  size.layers = 26;
  size.hidden = 6912;
  build_decoder(net, sizes, size);
}

// L. Ben Allal et al., "SmolLM2: when Smol goes big" (2025).
void build_smollm2_135m(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_decoder(net, sizes,
                {.words = 49'152,
                 .features = 576,
                 .layers = 30,
                 .heads = 9,
                 .kv_heads = 3,
                 .head_features = 64,
                 .hidden = 1536,
                 .rotary_base = 100'000,
                 .weight_deviation = 0.0416666666666666664F});
}

}  // namespace poet
