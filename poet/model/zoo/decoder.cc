// The form that decoders have had since H. Touvron et al., "LLaMA: open and efficient foundation
// language models" (2023).

#include "poet/model/zoo/decoder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "poet/model/transformer_pieces.h"
#include "poet/model/zoo/transformer.h"

namespace poet {
namespace {

constexpr double kPi = 3.14159265358979323846;

// --- Constants: rotary positions, and who sees whom

double stretched(double frequency, const RotaryStretch& how) {
  const double length = 2 * kPi / frequency;
  if (length > how.original_length / how.low_frequency_factor) return frequency / how.factor;
  if (length < how.original_length / how.high_frequency_factor) return frequency;
  const double smooth = (how.original_length / length - how.low_frequency_factor) /
                        (how.high_frequency_factor - how.low_frequency_factor);
  return (1 - smooth) * frequency / how.factor + smooth * frequency;
}

// One for each two values of a head.
std::vector<double> frequencies(const DecoderSize& size, double base) {
  std::vector<double> all;
  for (std::int64_t k = 0; k < size.head_features; k += 2) {
    const double share = static_cast<double>(k) / static_cast<double>(size.head_features);
    const double frequency = std::pow(base, -share);
    all.push_back(size.stretch ? stretched(frequency, *size.stretch) : frequency);
  }
  return all;
}

// (S, head_features / 2). Calculated in double precision, so that rounding hides by what the
// libraries of two machines differ.
TensorId add_angles(NetworkBuilder& net, const std::string& name, std::int64_t length,
                    const std::vector<double>& frequencies, double (*part)(double)) {
  const Shape shape = {length, std::ssize(frequencies)};
  if (!net.failure) net.failure = check_shape(shape, name);
  if (net.failure) return TensorId{0};
  std::vector<float> values;
  for (std::int64_t place = 0; place < length; ++place)
    for (const double frequency : frequencies)
      values.push_back(static_cast<float>(part(static_cast<double>(place) * frequency)));
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return add_constant(net, name, {ElementType::Float32, shape}, store(std::move(bytes)));
}

double cosine(double angle) {
  return std::cos(angle);
}

double sine(double angle) {
  return std::sin(angle);
}

// (S, S): a token sees itself and the window - 1 tokens before it. A rule and not bytes: of a long
// text they would be many.
TensorId add_mask(NetworkBuilder& net, const std::string& name, std::int64_t length,
                  std::int64_t window) {
  const auto write = [length, window](std::int64_t offset, std::span<std::byte> into) {
    for (std::byte& value : into) {
      const std::int64_t row = offset / length;
      const std::int64_t column = offset % length;
      value = std::byte{column <= row && column > row - window};
      ++offset;
    }
  };
  return add_constant(net, name, {ElementType::Bool, {length, length}}, WrittenBy{write});
}

// What layers of one kind share.
struct Sight {
  ComplexPair angles = {};
  TensorId mask{};
};

Sight add_sight(NetworkBuilder& net, const std::string& name, const NetworkSizes& sizes,
                const std::vector<double>& frequencies, std::int64_t window) {
  const std::int64_t length = sizes.sequence;
  return {.angles = {.real = add_angles(net, name + ".cos", length, frequencies, cosine),
                     .imaginary = add_angles(net, name + ".sin", length, frequencies, sine)},
          .mask = add_mask(net, name + ".mask", length, window)};
}

// --- Layers

TensorId norm(NetworkBuilder& net, const std::string& name, TensorId x, const DecoderSize& size) {
  if (net.failure) return x;
  const std::size_t last = at(net.model.graph.tensors, x).type.shape.size() - 1;
  const bool from_one = size.gemma.has_value();
  TensorId scale = add_parameter(net, name + ".weight", {extent(net, x, last)},
                                 FilledWith{from_one ? 0.0 : 1.0});
  LayerComposer to(net, name);
  if (from_one) scale = to.add(Operator::Add, std::monostate{}, {scale, to.scalar(1)});
  return rms_norm(to, x, scale, {.epsilon = size.epsilon, .axis = last});
}

// (N, S, heads * size) to (N, heads, S, size), turned by their places.
struct HeadsLayer {
  std::int64_t heads = 1;
  const DecoderSize& size;
  const Sight* turn = nullptr;  // nothing: values, which are not turned
};

TensorId heads_of(NetworkBuilder& net, const std::string& name, TensorId x,
                  const HeadsLayer& layer) {
  const std::int64_t features = layer.size.head_features;
  const Shape apart = {extent(net, x, 0), extent(net, x, 1), layer.heads, features};
  x = linear(net, name + "_proj", x, layer.heads * features, layer.size.qkv_bias);
  LayerComposer to(net, name + "_heads");
  x = to.reshaped(x, apart);
  if (layer.turn != nullptr && layer.size.gemma) x = norm(net, name + "_norm", x, layer.size);
  x = to.transposed(x, {0, 2, 1, 3});
  if (layer.turn == nullptr) return x;
  const ComplexPair halves{.real = to.sliced(x, 3, 0, features / 2),
                           .imaginary = to.sliced(x, 3, features / 2, features / 2)};
  const auto [first, second] = turned(to, halves, layer.turn->angles);
  return to.add(Operator::Concat, AxisAttributes{3}, {first, second});
}

TensorId attention_layer(NetworkBuilder& net, const std::string& name, TensorId x,
                         const DecoderSize& size, const Sight& sight) {
  const Shape shape = {extent(net, x, 0), extent(net, x, 1), size.heads * size.head_features};
  const std::int64_t features = extent(net, x, 2);
  const HeadsLayer queries{.heads = size.heads, .size = size, .turn = &sight};
  const HeadsLayer keys{.heads = size.kv_heads, .size = size, .turn = &sight};
  const HeadsLayer values{.heads = size.kv_heads, .size = size};
  const AttentionHeads heads{.query = heads_of(net, name + ".q", x, queries),
                             .key = heads_of(net, name + ".k", x, keys),
                             .value = heads_of(net, name + ".v", x, values)};
  LayerComposer to(net, name);
  const double scale = 1 / std::sqrt(static_cast<double>(size.head_features));
  TensorId y = grouped_attention(to, heads, static_cast<float>(scale), [&](TensorId scores) {
    const TensorId unseen = to.scalar(-std::numeric_limits<float>::infinity());
    return to.add(Operator::Where, std::monostate{}, {sight.mask, scores, unseen});
  });
  y = to.reshaped(to.transposed(y, {0, 2, 1, 3}), shape);
  return linear(net, name + ".o_proj", y, features, Bias::Without);
}

TensorId gated_layer(NetworkBuilder& net, const std::string& name, TensorId x,
                     const DecoderSize& size) {
  const std::int64_t features = extent(net, x, 2);
  TensorId gate = linear(net, name + ".gate_proj", x, size.hidden, Bias::Without);
  gate = apply(net, size.gate, name + ".act_fn", {gate});
  const TensorId up = linear(net, name + ".up_proj", x, size.hidden, Bias::Without);
  x = apply(net, Operator::Mul, name + ".gated", {gate, up});
  return linear(net, name + ".down_proj", x, features, Bias::Without);
}

TensorId decoder_block(NetworkBuilder& net, const std::string& name, TensorId x,
                       const DecoderSize& size, const Sight& sight) {
  TensorId y = norm(net, name + ".input_layernorm", x, size);
  y = attention_layer(net, name + ".self_attn", y, size, sight);
  if (size.gemma) y = norm(net, name + ".post_attention_layernorm", y, size);
  x = apply(net, Operator::Add, name + ".add1", {x, y});
  const char* const before = size.gemma ? "pre_feedforward" : "post_attention";
  y = norm(net, name + "." + before + "_layernorm", x, size);
  y = gated_layer(net, name + ".mlp", y, size);
  if (size.gemma) y = norm(net, name + ".post_feedforward_layernorm", y, size);
  return apply(net, Operator::Add, name + ".add2", {x, y});
}

}  // namespace

void build_decoder(NetworkBuilder& net, const NetworkSizes& sizes, const DecoderSize& size) {
  net.weight_deviation = size.weight_deviation;
  const TensorId words = add_tokens(net, "input_ids", sizes);
  const TensorId weight =
      add_embedding_weight(net, "model.embed_tokens", {size.words, size.features});
  TensorId x = look_up(net, "model.embed_tokens", weight, words);
  const Sight all = add_sight(net, "model.rotary_emb", sizes, frequencies(size, size.rotary_base),
                              sizes.sequence);
  std::optional<Sight> near;
  if (size.gemma) {
    LayerComposer to(net, "model.scaled_embed_tokens");
    const auto factor = static_cast<float>(std::sqrt(static_cast<double>(size.features)));
    x = to.add(Operator::Mul, std::monostate{}, {x, to.scalar(factor)});
    near = add_sight(net, "model.rotary_emb_local", sizes,
                     frequencies(size, size.gemma->window_rotary_base), size.gemma->window);
  }
  for (std::int64_t i = 0; i < size.layers; ++i) {
    const bool sees_all = !near || (i + 1) % size.gemma->full_every == 0;
    x = decoder_block(net, "model.layers." + std::to_string(i), x, size, sees_all ? all : *near);
  }
  x = norm(net, "model.norm", x, size);
  add_output(net, "logits", tied_head(net, "lm_head", x, weight));
}

}  // namespace poet
