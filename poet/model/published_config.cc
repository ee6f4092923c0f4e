#include "poet/model/published_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/model/zoo/decoder.h"
#include "poet/model/zoo/diffusion.h"
#include "poet/model/zoo/transformer.h"

namespace poet {
namespace {

// Absent or null.
struct None {};

// A figure of a configuration. "rope_scaling.factor" lies in the object "rope_scaling".
struct Fact {
  std::string key = {};
  std::variant<None, bool, std::int64_t, float, std::string, std::vector<std::int64_t>,
               std::vector<std::string>>
      value = {};
};
using Facts = std::vector<Fact>;

// --- What networks are

std::string model_type(DecoderFamily family) {
  switch (family) {
    case DecoderFamily::Llama:
      return "llama";
    case DecoderFamily::Qwen:
      return "qwen2";
    case DecoderFamily::Gemma:
      return "gemma3_text";
  }
  return "";
}

void add_stretch(Facts& facts, const std::optional<RotaryStretch>& stretch) {
  if (!stretch) {
    facts.push_back({"rope_scaling", None{}});
    return;
  }
  const std::string of = "rope_scaling.";
  facts.push_back({of + "rope_type", "llama3"});
  facts.push_back({of + "factor", static_cast<float>(stretch->factor)});
  facts.push_back({of + "low_freq_factor", static_cast<float>(stretch->low_frequency_factor)});
  facts.push_back({of + "high_freq_factor", static_cast<float>(stretch->high_frequency_factor)});
  facts.push_back({of + "original_max_position_embeddings",
                   static_cast<std::int64_t>(stretch->original_length)});
}

Facts decoder_facts(const NamedDecoder& decoder) {
  const DecoderSize& size = decoder.size;
  Facts facts = {{"model_type", model_type(decoder.family)},
                 {"vocab_size", size.words},
                 {"hidden_size", size.features},
                 {"num_hidden_layers", size.layers},
                 {"num_attention_heads", size.heads},
                 {"num_key_value_heads", size.kv_heads},
                 {"head_dim", size.head_features},
                 {"intermediate_size", size.hidden},
                 {"rms_norm_eps", size.epsilon},
                 {"rope_theta", static_cast<float>(size.rotary_base)},
                 {"tie_word_embeddings", true}};
  add_stretch(facts, size.stretch);
  if (!size.gemma) {
    facts.push_back({"hidden_act", "silu"});
    return facts;
  }
  facts.push_back({"hidden_activation", "gelu_pytorch_tanh"});
  facts.push_back({"query_pre_attn_scalar", size.head_features});
  facts.push_back({"sliding_window", size.gemma->window});
  facts.push_back({"sliding_window_pattern", size.gemma->full_every});
  facts.push_back({"rope_local_base_freq", static_cast<float>(size.gemma->window_rotary_base)});
  return facts;
}

Facts gpt2_facts(const TransformerSize& size) {
  return {{"model_type", "gpt2"},
          {"vocab_size", kGpt2Words},
          {"n_positions", kGpt2Positions},
          {"n_embd", size.features},
          {"n_layer", size.layers},
          {"n_head", size.heads},
          {"activation_function", "gelu_new"},
          {"layer_norm_epsilon", 1e-5F}};
}

// What BERT and ViT say alike.
Facts encoder_facts(const char* type, const TransformerSize& size) {
  return {{"model_type", type},
          {"hidden_size", size.features},
          {"num_hidden_layers", size.layers},
          {"num_attention_heads", size.heads},
          {"intermediate_size", 4 * size.features},
          {"hidden_act", "gelu"}};
}

Facts bert_facts(const TransformerSize& size) {
  Facts facts = encoder_facts("bert", size);
  facts.push_back({"vocab_size", kBertWords});
  facts.push_back({"max_position_embeddings", kBertPositions});
  facts.push_back({"layer_norm_eps", 1e-12F});
  return facts;
}

// Not the epsilon of norms, which the libraries that these weights come from do not agree on.
Facts vit_facts() {
  Facts facts = encoder_facts("vit", kSmallVit);
  facts.push_back({"patch_size", kVitPatch});
  facts.push_back({"qkv_bias", true});
  return facts;
}

Facts convnext_facts() {
  return {{"model_type", "convnext"},
          {"depths", std::vector<std::int64_t>{3, 3, 9, 3}},
          {"hidden_sizes", std::vector<std::int64_t>{96, 192, 384, 768}},
          {"patch_size", std::int64_t{4}},
          {"hidden_act", "gelu"}};
}

struct MobileVitFacts {
  std::vector<std::int64_t> features = {};
  std::vector<std::int64_t> channels = {};
};

Facts mobilevit_facts(MobileVitFacts of) {
  return {{"model_type", "mobilevit"},
          {"hidden_sizes", std::move(of.features)},
          {"neck_hidden_sizes", std::move(of.channels)},
          {"num_attention_heads", std::int64_t{4}},
          {"mlp_ratio", 2.0F},
          {"expand_ratio", 4.0F},
          {"patch_size", std::int64_t{2}},
          {"conv_kernel_size", std::int64_t{3}},
          {"hidden_act", "silu"},
          {"layer_norm_eps", 1e-5F},
          {"qkv_bias", true}};
}

// "AttnDownBlock2D" where pixels attend to each other, from the highest level to the lowest.
std::vector<std::string> level_kinds(const DiffusionSize& size, const std::string& way) {
  std::vector<std::string> kinds(size.multiples.size(), way + "Block2D");
  kinds[size.attention_level] = "Attn" + way + "Block2D";
  return kinds;
}

Facts diffusion_facts(const DiffusionSize& size) {
  std::vector<std::int64_t> channels;
  for (const std::int64_t multiple : size.multiples) channels.push_back(size.channels * multiple);
  std::vector<std::string> up = level_kinds(size, "Up");
  std::reverse(up.begin(), up.end());
  return {{"_class_name", "UNet2DModel"},
          {"block_out_channels", std::move(channels)},
          {"layers_per_block", size.blocks},
          {"down_block_types", level_kinds(size, "Down")},
          {"up_block_types", std::move(up)},
          {"attention_head_dim", None{}},
          {"norm_num_groups", size.groups},
          {"norm_eps", 1e-6F},
          {"act_fn", "silu"},
          {"time_embedding_type", "positional"},
          {"flip_sin_to_cos", false},
          {"freq_shift", std::int64_t{1}},
          {"downsample_padding", std::int64_t{0}},
          {"mid_block_scale_factor", std::int64_t{1}},
          {"center_input_sample", false},
          {"in_channels", std::int64_t{3}},
          {"out_channels", std::int64_t{3}}};
}

Facts facts_of(std::string_view network) {
  if (const DiffusionSize* const size = find_diffusion(network)) return diffusion_facts(*size);
  if (const NamedDecoder* const decoder = find_decoder(network)) return decoder_facts(*decoder);
  if (network == "gpt2-tiny") return gpt2_facts(kTinyTransformer);
  if (network == "gpt2-small") return gpt2_facts(kBaseTransformer);
  if (network == "bert-tiny") return bert_facts(kTinyTransformer);
  if (network == "bert-base") return bert_facts(kBaseTransformer);
  if (network == "vit-s16") return vit_facts();
  if (network == "convnext-t") return convnext_facts();
  if (network == "mobilevit-xs")
    return mobilevit_facts({{96, 120, 144}, {16, 32, 48, 64, 80, 96, 384}});
  if (network == "mobilevit-s")
    return mobilevit_facts({{144, 192, 240}, {16, 32, 64, 96, 128, 160, 640}});
  return {};
}

// What configurations may say besides, and POET does not write.
Facts further_facts_of(std::string_view network) {
  // Of the libraries transformers and diffusers each names kinds of networks by a key of its own.
  const Facts own = facts_of(network);
  if (own.empty()) return {};
  const char* const others = own.front().key == "model_type" ? "_class_name" : "model_type";
  const NamedDecoder* const decoder = find_decoder(network);
  if (decoder == nullptr) return {{others, None{}}};
  return {{others, None{}},
          {"rope_parameters.rope_type", decoder->size.stretch ? "llama3" : "default"},
          {"partial_rotary_factor", 1.0F}};
}

// --- What a configuration says

const JsonValue* find(const JsonValue& config, std::string_view key) {
  const auto* const members = std::get_if<JsonMembers>(&config.data);
  if (members == nullptr) return nullptr;
  const std::size_t dot = key.find('.');
  for (const JsonMember& member : *members) {
    if (member.key != key.substr(0, dot)) continue;
    return dot == std::string_view::npos ? &member.value : find(member.value, key.substr(dot + 1));
  }
  return nullptr;
}

std::optional<double> number_in(const JsonValue& value) {
  if (const auto* const whole = std::get_if<std::int64_t>(&value.data))
    return static_cast<double>(*whole);
  if (const auto* const real = std::get_if<double>(&value.data)) return *real;
  return std::nullopt;
}

bool says(const JsonValue& value, None) {
  return std::holds_alternative<std::nullptr_t>(value.data);
}
bool says(const JsonValue& value, bool fact) {
  const bool* const flag = std::get_if<bool>(&value.data);
  return flag != nullptr && *flag == fact;
}
bool says(const JsonValue& value, std::int64_t fact) {
  return number_in(value) == static_cast<double>(fact);
}
// As float32 has it: 1e-05.
bool says(const JsonValue& value, float fact) {
  const std::optional<double> number = number_in(value);
  return number && static_cast<float>(*number) == fact;
}
bool says(const JsonValue& value, const std::string& fact) {
  const auto* const text = std::get_if<std::string>(&value.data);
  return text != nullptr && *text == fact;
}
template <typename Item>
bool says(const JsonValue& value, const std::vector<Item>& fact) {
  const auto* const list = std::get_if<JsonList>(&value.data);
  if (list == nullptr || list->size() != fact.size()) return false;
  for (std::size_t i = 0; i < fact.size(); ++i)
    if (!says((*list)[i], fact[i])) return false;
  return true;
}

std::string found(const JsonValue& value) {
  const auto* const list = std::get_if<JsonList>(&value.data);
  if (list == nullptr) return found_text(value);
  constexpr std::size_t kMostItems = 12;
  std::vector<std::string> items;
  for (std::size_t i = 0; i < list->size() && i < kMostItems; ++i)
    items.push_back(found_text((*list)[i]));
  if (list->size() > kMostItems)
    items.push_back(fmt::format("and {} more", list->size() - kMostItems));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string text_of(None) {
  return "absent";
}
std::string text_of(bool fact) {
  return fact ? "true" : "false";
}
std::string text_of(const std::string& fact) {
  return fmt::format("\"{}\"", fact);
}
template <typename Number>
std::string text_of(Number fact) {
  return fmt::format("{}", fact);
}
// Behind those of items.
template <typename Item>
std::string text_of(const std::vector<Item>& fact) {
  std::vector<std::string> items;
  for (const Item& item : fact) items.push_back(text_of(item));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

void set(JsonOut& config, std::string_view key, JsonOut value) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos)
    config[std::string(key)] = std::move(value);
  else
    set(config[std::string(key.substr(0, dot))], key.substr(dot + 1), std::move(value));
}

JsonOut json_of(None) {
  return nullptr;
}
// The digits that are meant, which float32 is the nearest to.
JsonOut json_of(float fact) {
  const std::string digits = fmt::format("{}", fact);
  double number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}
template <typename Value>
JsonOut json_of(const Value& fact) {
  return fact;
}

}  // namespace

Failure check_config(const JsonValue& config, const std::string& path, std::string_view network) {
  if (!std::holds_alternative<JsonMembers>(config.data))
    return bad_input("a configuration must be an object, found " + found_text(config),
                     {path, config.line, config.column});
  std::vector<std::string> differences;
  SourcePos where;
  Facts facts = facts_of(network);
  std::ranges::move(further_facts_of(network), std::back_inserter(facts));
  for (const Fact& fact : facts) {
    const JsonValue* const value = find(config, fact.key);
    if (value == nullptr) continue;
    const auto agrees = [value](const auto& of_ours) { return says(*value, of_ours); };
    if (std::visit(agrees, fact.value)) continue;
    if (differences.empty()) where = {path, value->line, value->column};
    const std::string ours =
        std::visit([](const auto& of_ours) { return text_of(of_ours); }, fact.value);
    differences.push_back(fmt::format("{} is {} and not {}", fact.key, found(*value), ours));
  }
  if (differences.empty()) return std::nullopt;
  return bad_input(fmt::format("the configuration is of another network than {}: {}", network,
                               fmt::join(differences, ", ")),
                   where);
}

std::optional<JsonOut> config_of(std::string_view network) {
  const Facts facts = facts_of(network);
  if (facts.empty()) return std::nullopt;
  JsonOut config = JsonOut::object();
  for (const Fact& fact : facts)
    set(config, fact.key,
        std::visit([](const auto& of_ours) { return json_of(of_ours); }, fact.value));
  return config;
}

}  // namespace poet
