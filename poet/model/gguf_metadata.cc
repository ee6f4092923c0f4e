#include "poet/model/gguf_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <span>

#include "poet/base/message_text.h"
#include "poet/model/gguf.h"

namespace poet {
namespace {

constexpr int kDeepestList = 4;
constexpr std::uint64_t kLongestWordBytes = 1024;

// --- What is asked for

struct NamedAlike {
  std::string_view theirs;
  std::string_view ours;
};
constexpr NamedAlike kArchitectures[] = {{"gemma3", "gemma3_text"}};
constexpr NamedAlike kFigures[] = {{".vocab_size", "vocab_size"},
                                   {".embedding_length", "hidden_size"},
                                   {".block_count", "num_hidden_layers"},
                                   {".attention.head_count", "num_attention_heads"},
                                   {".attention.head_count_kv", "num_key_value_heads"},
                                   {".rope.dimension_count", "head_dim"},
                                   {".attention.key_length", "head_dim"},
                                   {".feed_forward_length", "intermediate_size"},
                                   {".attention.layer_norm_rms_epsilon", "rms_norm_eps"},
                                   {".rope.freq_base", "rope_theta"},
                                   {".attention.sliding_window", "sliding_window"}};
constexpr NamedAlike kFiguresOfGpt2[] = {{".embedding_length", "n_embd"},
                                         {".block_count", "n_layer"},
                                         {".attention.head_count", "n_head"},
                                         {".attention.layer_norm_epsilon", "layer_norm_epsilon"}};

constexpr std::string_view kStretchType = ".rope.scaling.type";
constexpr std::string_view kStretchFactor = ".rope.scaling.factor";
constexpr std::string_view kRotaryFactors = "rope_freqs.weight";

// Behind the name of the architecture.
std::vector<std::string_view> asked_ends() {
  std::vector<std::string_view> ends = {kStretchType, kStretchFactor};
  for (const NamedAlike& row : kFigures) ends.push_back(row.theirs);
  for (const NamedAlike& row : kFiguresOfGpt2)
    if (std::find(ends.begin(), ends.end(), row.theirs) == ends.end()) ends.push_back(row.theirs);
  return ends;
}

// --- Values

// By their numbers in files.
enum class Kind : std::uint32_t {
  Uint8,
  Int8,
  Uint16,
  Int16,
  Uint32,
  Int32,
  Float32,
  Bool,
  Text,
  List,
  Uint64,
  Int64,
  Float64
};
constexpr std::uint32_t kKinds = 13;

template <typename Number>
void as_whole(JsonValue& value, GgufReading& reading, std::string_view what) {
  const auto number = reading.number<Number>(what);
  if (static_cast<std::uint64_t>(number) > static_cast<std::uint64_t>(INT64_MAX) && number > 0)
    value.data = static_cast<double>(number);
  else
    value.data = static_cast<std::int64_t>(number);
}

std::string word(GgufReading& reading, std::string_view what) {
  const std::string_view text = reading.text(what);
  if (text.size() <= kLongestWordBytes) return std::string(text);
  reading.refuse(fmt::format("{} is a text of {}, and takes a word of at most {}", what,
                             bytes_text(std::ssize(text)), kLongestWordBytes));
  return {};
}

// Of any kind but a list.
void read_value(Kind kind, JsonValue& value, GgufReading& reading, std::string_view what) {
  switch (kind) {
    case Kind::Uint8:
      return as_whole<std::uint8_t>(value, reading, what);
    case Kind::Int8:
      return as_whole<std::int8_t>(value, reading, what);
    case Kind::Uint16:
      return as_whole<std::uint16_t>(value, reading, what);
    case Kind::Int16:
      return as_whole<std::int16_t>(value, reading, what);
    case Kind::Uint32:
      return as_whole<std::uint32_t>(value, reading, what);
    case Kind::Int32:
      return as_whole<std::int32_t>(value, reading, what);
    case Kind::Uint64:
      return as_whole<std::uint64_t>(value, reading, what);
    case Kind::Int64:
      return as_whole<std::int64_t>(value, reading, what);
    case Kind::Float32:
      value.data = static_cast<double>(reading.number<float>(what));
      return;
    case Kind::Float64:
      value.data = reading.number<double>(what);
      return;
    case Kind::Bool:
      value.data = reading.number<std::uint8_t>(what) != 0;
      return;
    case Kind::Text:
      value.data = word(reading, what);
      return;
    case Kind::List:
      return;
  }
}

std::uint64_t bytes_of(Kind kind) {
  switch (kind) {
    case Kind::Uint8:
    case Kind::Int8:
    case Kind::Bool:
      return 1;
    case Kind::Uint16:
    case Kind::Int16:
      return 2;
    case Kind::Uint32:
    case Kind::Int32:
    case Kind::Float32:
      return 4;
    default:
      return 8;
  }
}

Kind read_kind(GgufReading& reading, std::string_view what) {
  const auto kind = reading.number<std::uint32_t>(what);
  if (kind >= kKinds)
    reading.refuse(fmt::format("{} is of type {}, which GGUF does not have", what, kind));
  return kind < kKinds ? static_cast<Kind>(kind) : Kind::Uint8;
}

void skip_list(GgufReading& reading, std::string_view what, int depth);

void skip_value(Kind kind, GgufReading& reading, std::string_view what, int depth) {
  if (kind == Kind::List)
    skip_list(reading, what, depth);
  else if (kind == Kind::Text)
    reading.text(what);
  else
    reading.take(bytes_of(kind), what);
}

// Every entry of a list takes bytes, so that a count that is too large ends with the file.
void skip_list(GgufReading& reading, std::string_view what, int depth) {
  const Kind kind = read_kind(reading, what);
  const auto count = reading.number<std::uint64_t>(what);
  if (kind != Kind::Text && kind != Kind::List) {
    const std::uint64_t bytes = bytes_of(kind);
    reading.take(count > UINT64_MAX / bytes ? UINT64_MAX : count * bytes, what);
    return;
  }
  if (kind == Kind::List && depth == kDeepestList)
    reading.refuse(fmt::format("{} has lists more than {} deep", what, kDeepestList));
  for (std::uint64_t i = 0; i < count && !reading.failure(); ++i)
    skip_value(kind, reading, what, depth + 1);
}

// --- Keys

// Where they lie in the file, which takes no more memory than they take there; by their letters
// once all are known.
using Keys = std::deque<std::string_view>;

Keys skip_all(std::uint64_t count, GgufReading& reading) {
  Keys keys;
  for (std::uint64_t i = 0; i < count && !reading.failure(); ++i) {
    const std::string_view key = reading.text("the name of what it says");
    const std::string what = weight_in_quotes(key);
    const Kind kind = read_kind(reading, what);
    skip_value(kind, reading, what, 1);
    keys.push_back(key);
  }
  if (reading.failure()) return keys;
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice != keys.end()) reading.refuse(weight_in_quotes(*twice) + " is there twice");
  return keys;
}

JsonValue one_value(std::string_view key, GgufReading& reading) {
  const std::string what = weight_in_quotes(key);
  JsonValue value;
  const Kind kind = read_kind(reading, what);
  if (kind == Kind::List)
    reading.refuse(fmt::format("{} is a list, and takes one value", what));
  else
    read_value(kind, value, reading, what);
  return value;
}

void keep(const Keys& keys, std::string_view key, GgufReading& reading, GgufMetadata& metadata) {
  if (reading.failure()) return;  // keys are in order only where nothing is wrong with them
  const auto place = std::lower_bound(keys.begin(), keys.end(), key);
  if (place == keys.end() || *place != key) return;
  reading.go_behind(*place);
  metadata.emplace_back(key, one_value(key, reading));
}

bool is_stretched(const SafeTensor& tensor) {
  const bool are_floats = tensor.type == SafeType::Float32 && !tensor.blocks && !tensor.made;
  if (tensor.name != kRotaryFactors || !are_floats) return false;
  for (std::size_t place = 0; place < tensor.values.bytes.size(); place += sizeof(float)) {
    float factor = 0;
    std::memcpy(&factor, &tensor.values.bytes[place], sizeof factor);
    if (factor != 1) return true;
  }
  return false;
}

// How positions are stretched: it says so, or has a factor for each frequency, as its writer makes
// of what Hugging Face calls llama3.
std::optional<JsonMember> rotary_stretch(const GgufFile& file, const std::string& architecture) {
  JsonMember stretch = {.key = "rope_scaling", .value = {}};
  const JsonValue* const type = find_said(file.metadata, architecture + std::string(kStretchType));
  const auto* const name = type == nullptr ? nullptr : std::get_if<std::string>(&type->data);
  if (name != nullptr && *name != "none") {
    JsonMembers members = {{.key = "rope_type", .value = *type}};
    if (const JsonValue* const factor =
            find_said(file.metadata, architecture + std::string(kStretchFactor)))
      members.push_back({.key = "factor", .value = *factor});
    stretch.value.data = std::move(members);
    return stretch;
  }
  if (!std::ranges::any_of(file.tensors, is_stretched)) return std::nullopt;
  stretch.value.data = JsonMembers{{.key = "rope_type", .value = {.data = std::string("llama3")}}};
  return stretch;
}

}  // namespace

GgufMetadata read_gguf_metadata(std::uint64_t count, GgufReading& reading) {
  const Keys keys = skip_all(count, reading);
  const std::int64_t end = reading.place();
  GgufMetadata metadata;
  keep(keys, kGgufArchitectureKey, reading, metadata);
  const JsonValue* const said = find_said(metadata, kGgufArchitectureKey);
  const auto* const name = said == nullptr ? nullptr : std::get_if<std::string>(&said->data);
  if (name != nullptr)
    for (const std::string architecture = *name; const std::string_view key_end : asked_ends())
      keep(keys, architecture + std::string(key_end), reading, metadata);
  keep(keys, kGgufAlignmentKey, reading, metadata);
  reading.go_back_to(end);
  return metadata;
}

const JsonValue* find_said(const GgufMetadata& metadata, std::string_view key) {
  for (const auto& [name, value] : metadata)
    if (name == key) return &value;
  return nullptr;
}

Result<JsonValue> gguf_config(const GgufFile& file, const std::string& path) {
  const JsonValue* const value = find_said(file.metadata, kGgufArchitectureKey);
  const auto* const name = value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
  if (name == nullptr)
    return bad_input(fmt::format("it does not say of which architecture it is, by a text '{}'",
                                 kGgufArchitectureKey),
                     {.file = path});
  std::string type = *name;
  for (const NamedAlike& row : kArchitectures)
    if (row.theirs == *name) type = row.ours;
  JsonMembers members = {{.key = "model_type", .value = {.data = std::move(type)}}};
  const bool is_gpt2 = *name == "gpt2";
  for (const NamedAlike& row : is_gpt2 ? std::span<const NamedAlike>(kFiguresOfGpt2) : kFigures)
    if (const JsonValue* const figure = find_said(file.metadata, *name + std::string(row.theirs)))
      members.push_back({.key = std::string(row.ours), .value = *figure});
  if (auto stretch = rotary_stretch(file, *name)) members.push_back(*std::move(stretch));
  return JsonValue{.data = std::move(members)};
}

}  // namespace poet
