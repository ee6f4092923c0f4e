#include "poet/model/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "poet/base/checked_math.h"
#include "poet/base/message_text.h"
#include "poet/model/block_values.h"
#include "poet/model/ggml_blocks.h"
#include "poet/model/mapped_file.h"
#include "poet/model/narrow_floats.h"

namespace poet {
namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr std::string_view kAlignmentKey = "general.alignment";
constexpr std::string_view kArchitectureKey = "general.architecture";
constexpr std::int64_t kUsualAlignment = 32;
constexpr std::int64_t kLargestAlignment = 1 << 30;
constexpr std::uint32_t kMostDimensions = 4;
constexpr int kDeepestList = 4;

// Reads one thing after the other, and remembers the first that is wrong; what is read behind it is
// nothing, and takes nothing.
class Reading {
 public:
  Reading(const StoredBytes& file, const std::string& path) : file_(file), path_(path) {}

  const Failure& failure() const { return failure_; }
  std::int64_t place() const { return place_; }
  std::int64_t left() const { return std::ssize(file_.bytes) - place_; }

  void refuse(std::string message) {
    if (!failure_) failure_ = bad_input(std::move(message), {.file = path_});
  }

  // Whether there are so many; they are skipped.
  const std::byte* take(std::uint64_t bytes, std::string_view what) {
    if (failure_) return nullptr;
    if (bytes > static_cast<std::uint64_t>(left())) {
      refuse(fmt::format("it is cut off in {}, at byte {}", what, place_));
      return nullptr;
    }
    const std::byte* const begin = file_.bytes.data() + place_;
    place_ += static_cast<std::int64_t>(bytes);
    return begin;
  }

  template <typename Number>
  Number number(std::string_view what) {
    Number value{};
    if (const std::byte* const bytes = take(sizeof value, what))
      std::memcpy(&value, bytes, sizeof value);
    return value;
  }

  std::string text(std::string_view what) {
    const auto length = number<std::uint64_t>(what);
    const std::byte* const bytes = take(length, what);
    if (bytes == nullptr) return {};
    return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length)};
  }

 private:
  const StoredBytes& file_;
  const std::string& path_;
  std::int64_t place_ = 0;
  Failure failure_ = {};
};

// --- What it says of the network

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
void as_whole(JsonValue& value, Reading& reading, std::string_view what) {
  const auto number = reading.number<Number>(what);
  if (static_cast<std::uint64_t>(number) > static_cast<std::uint64_t>(INT64_MAX) && number > 0)
    value.data = static_cast<double>(number);
  else
    value.data = static_cast<std::int64_t>(number);
}

// Of any kind but a list.
void read_value(Kind kind, JsonValue& value, Reading& reading, std::string_view what) {
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
      value.data = reading.text(what);
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

Kind read_kind(Reading& reading, std::string_view what) {
  const auto kind = reading.number<std::uint32_t>(what);
  if (kind >= kKinds)
    reading.refuse(fmt::format("{} is of type {}, which GGUF does not have", what, kind));
  return kind < kKinds ? static_cast<Kind>(kind) : Kind::Uint8;
}

// Every entry of a list takes bytes, so that a count that is too large ends with the file.
void skip_list(Reading& reading, std::string_view what, int depth) {
  const Kind kind = read_kind(reading, what);
  const auto count = reading.number<std::uint64_t>(what);
  if (kind != Kind::Text && kind != Kind::List) {
    const std::uint64_t bytes = bytes_of(kind);
    reading.take(count > UINT64_MAX / bytes ? UINT64_MAX : count * bytes, what);
    return;
  }
  if (kind == Kind::List && depth == kDeepestList)
    reading.refuse(fmt::format("{} has lists more than {} deep", what, kDeepestList));
  for (std::uint64_t i = 0; i < count && !reading.failure(); ++i) {
    if (kind == Kind::List)
      skip_list(reading, what, depth + 1);
    else
      reading.take(reading.number<std::uint64_t>(what), what);
  }
}

void read_metadata(std::uint64_t count, Reading& reading, GgufFile& file) {
  std::set<std::string> known;
  for (std::uint64_t i = 0; i < count && !reading.failure(); ++i) {
    std::string key = reading.text("the name of what it says");
    const std::string what = weight_in_quotes(key);
    if (!known.insert(key).second) reading.refuse(what + " is there twice");
    const Kind kind = read_kind(reading, what);
    if (kind == Kind::List) {
      skip_list(reading, what, 1);
      continue;
    }
    auto& [name, value] = file.metadata.emplace_back();
    name = std::move(key);
    read_value(kind, value, reading, what);
  }
}

const JsonValue* find(const GgufFile& file, std::string_view key) {
  for (const auto& [name, value] : file.metadata)
    if (name == key) return &value;
  return nullptr;
}

std::int64_t alignment_of(const GgufFile& file, Reading& reading) {
  const JsonValue* const value = find(file, kAlignmentKey);
  if (value == nullptr) return kUsualAlignment;
  const auto* const bytes = std::get_if<std::int64_t>(&value->data);
  if (bytes != nullptr && *bytes >= 8 && *bytes <= kLargestAlignment && *bytes % 8 == 0)
    return *bytes;
  reading.refuse(fmt::format("'{}' must be a multiple of 8 up to {}, found {}", kAlignmentKey,
                             kLargestAlignment, found_text(*value)));
  return kUsualAlignment;
}

// --- Tensors

struct GgufTensor {
  SafeTensor tensor = {};
  const GgmlType* type = nullptr;
  std::uint64_t begin = 0;  // in the data
  std::int64_t bytes = 0;
};

// The innermost extent comes first there.
Shape read_shape(Reading& reading, const std::string& what) {
  const auto dimensions = reading.number<std::uint32_t>(what);
  if (dimensions < 1 || dimensions > kMostDimensions)
    reading.refuse(fmt::format("{} has {} dimensions, and GGUF has 1 to {}", what, dimensions,
                               kMostDimensions));
  Shape shape;
  for (std::uint32_t i = 0; i < dimensions && !reading.failure(); ++i) {
    const auto extent = reading.number<std::uint64_t>(what);
    if (extent < 1 || extent > static_cast<std::uint64_t>(INT64_MAX))
      reading.refuse(fmt::format("{} has an extent of {}", what, extent));
    else
      shape.insert(shape.begin(), static_cast<std::int64_t>(extent));
  }
  return shape;
}

std::optional<std::int64_t> bytes_of(const GgmlType& type, const Shape& shape) {
  std::optional<std::int64_t> values = 1;
  for (const std::int64_t extent : shape) {
    values = checked_multiply(*values, extent);
    if (!values) return std::nullopt;
  }
  return checked_multiply(*values / type.values, type.bytes);
}

void check_type(GgufTensor& entry, std::uint32_t id, Reading& reading) {
  const std::string name = weight_in_quotes(entry.tensor.name);
  if (reading.failure()) return;
  if (entry.type == nullptr)
    return reading.refuse(fmt::format(
        "{} is of GGUF's type {}, and POET reads F32, F16, BF16, F64, Q8_0, Q4_0, Q4_1, "
        "Q5_0, Q5_1, Q4_K, Q5_K and Q6_K",
        name, id));
  if (entry.tensor.shape.back() % entry.type->values != 0)
    return reading.refuse(fmt::format("{} has rows of {} values, and {} has blocks of {}", name,
                                      entry.tensor.shape.back(), entry.type->name,
                                      entry.type->values));
  const std::optional<std::int64_t> bytes = bytes_of(*entry.type, entry.tensor.shape);
  if (!bytes) return reading.refuse(fmt::format("{} has more values than fit in 63 bits", name));
  entry.bytes = *bytes;
}

GgufTensor read_tensor(Reading& reading) {
  GgufTensor entry;
  entry.tensor.name = reading.text("the name of a tensor");
  const std::string what = weight_in_quotes(entry.tensor.name);
  entry.tensor.shape = read_shape(reading, what);
  const auto type = reading.number<std::uint32_t>(what);
  entry.begin = reading.number<std::uint64_t>(what);
  entry.type = find_ggml_type(type);
  check_type(entry, type, reading);
  return entry;
}

std::vector<GgufTensor> read_tensors(std::uint64_t count, Reading& reading) {
  std::vector<GgufTensor> entries;
  std::set<std::string> known;
  for (std::uint64_t i = 0; i < count && !reading.failure(); ++i) {
    entries.push_back(read_tensor(reading));
    const std::string& name = entries.back().tensor.name;
    if (!known.insert(name).second) reading.refuse(weight_in_quotes(name) + " is there twice");
  }
  return entries;
}

void check_places(const std::vector<GgufTensor>& entries, std::int64_t alignment,
                  std::int64_t data_bytes, Reading& reading) {
  std::vector<const GgufTensor*> in_order;
  for (const GgufTensor& entry : entries) in_order.push_back(&entry);
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const GgufTensor* a, const GgufTensor* b) { return a->begin < b->begin; });
  std::uint64_t end = 0;
  for (const GgufTensor* const entry : in_order) {
    const std::string name = weight_in_quotes(entry->tensor.name);
    if (entry->begin % static_cast<std::uint64_t>(alignment) != 0)
      return reading.refuse(
          fmt::format("{} begins at byte {} of the data, and tensors begin at "
                      "multiples of {}",
                      name, entry->begin, alignment));
    if (entry->begin < end)
      return reading.refuse(
          fmt::format("{} begins at byte {} of the data, before the tensor in "
                      "front of it ends at {}",
                      name, entry->begin, end));
    if (entry->begin > static_cast<std::uint64_t>(data_bytes) ||
        entry->bytes > data_bytes - static_cast<std::int64_t>(entry->begin))
      return reading.refuse(
          fmt::format("{} begins at byte {} of the data and has {}, and the file "
                      "has {} of them",
                      name, entry->begin, bytes_text(entry->bytes), data_bytes));
    end = entry->begin + static_cast<std::uint64_t>(entry->bytes);
  }
}

std::uint16_t half_at(std::span<const std::byte> bytes, std::size_t place) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[place]) |
                                    std::to_integer<unsigned>(bytes[place + 1]) << 8U);
}

std::optional<std::int64_t> block_without_scale(const GgmlType& type,
                                                std::span<const std::byte> bytes) {
  if (type.blocks) return block_without_scale(*type.blocks, bytes);
  const auto block = static_cast<std::size_t>(type.bytes);
  for (std::size_t begin = 0; begin < bytes.size(); begin += block)
    for (const std::int64_t place : type.scales)
      if (!std::isfinite(from_float16(half_at(bytes, begin + static_cast<std::size_t>(place)))))
        return static_cast<std::int64_t>(begin / block);
  return std::nullopt;
}

// What it holds, of bytes that are there.
void take_values(GgufTensor& entry, StoredBytes values, Reading& reading) {
  const GgmlType& type = *entry.type;
  if (const auto block = block_without_scale(type, values.bytes))
    reading.refuse(fmt::format("the scale of block {} of {} is not a finite number", *block,
                               weight_in_quotes(entry.tensor.name)));
  SafeTensor& tensor = entry.tensor;
  tensor.type = type.plain;
  tensor.values = std::move(values);
  const WeightBlocks blocks = type.blocks.value_or(WeightBlocks{});
  if (type.blocks && tensor.shape.size() >= 2)
    tensor.blocks = blocks;
  else if (type.blocks)
    tensor.made = [blocks, bytes = tensor.values](std::int64_t element) {
      return decoded_value(blocks, blocks.values, bytes.bytes, element);
    };
  else if (type.value != nullptr)
    tensor.made = [&type, bytes = tensor.values](std::int64_t element) {
      const auto block = static_cast<std::size_t>(element / type.values * type.bytes);
      return type.value(&bytes.bytes[block], element % type.values);
    };
}

// --- The configuration

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

constexpr std::string_view kRotaryFactors = "rope_freqs.weight";

bool is_stretched(const SafeTensor& tensor) {
  if (tensor.name != kRotaryFactors || tensor.type != SafeType::Float32) return false;
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
  const JsonValue* const type = find(file, architecture + ".rope.scaling.type");
  const auto* const name = type == nullptr ? nullptr : std::get_if<std::string>(&type->data);
  if (name != nullptr && *name != "none") {
    JsonMembers members = {{.key = "rope_type", .value = *type}};
    if (const JsonValue* const factor = find(file, architecture + ".rope.scaling.factor"))
      members.push_back({.key = "factor", .value = *factor});
    stretch.value.data = std::move(members);
    return stretch;
  }
  if (!std::ranges::any_of(file.tensors, is_stretched)) return std::nullopt;
  stretch.value.data = JsonMembers{{.key = "rope_type", .value = {.data = std::string("llama3")}}};
  return stretch;
}

}  // namespace

Result<GgufFile> parse_gguf(const StoredBytes& file, const std::string& path) {
  Reading reading(file, path);
  const std::byte* const magic = reading.take(kMagic.size(), "its first four bytes");
  if (magic == nullptr || std::memcmp(magic, kMagic.data(), kMagic.size()) != 0)
    return bad_input("it is not a GGUF file: it does not begin with 'GGUF'", {.file = path});
  const auto version = reading.number<std::uint32_t>("its version");
  if (!reading.failure() && version != 2 && version != 3)
    reading.refuse(
        fmt::format("it is of version {} of GGUF, and POET reads 2 and 3 as machines with the low "
                    "byte first write them",
                    version));
  const auto tensors = reading.number<std::uint64_t>("its number of tensors");
  const auto said = reading.number<std::uint64_t>("its number of keys");
  GgufFile result;
  read_metadata(said, reading, result);
  std::vector<GgufTensor> entries = read_tensors(tensors, reading);
  const std::int64_t alignment = alignment_of(result, reading);
  if (reading.failure()) return *reading.failure();
  const std::int64_t data_begin = (reading.place() + alignment - 1) / alignment * alignment;
  const std::int64_t data_bytes = std::max<std::int64_t>(0, std::ssize(file.bytes) - data_begin);
  check_places(entries, alignment, data_bytes, reading);
  for (GgufTensor& entry : entries) {
    if (reading.failure()) return *reading.failure();
    const auto begin = static_cast<std::size_t>(data_begin) + entry.begin;
    take_values(entry,
                {file.owner, file.bytes.subspan(begin, static_cast<std::size_t>(entry.bytes))},
                reading);
    result.tensors.push_back(std::move(entry.tensor));
  }
  if (reading.failure()) return *reading.failure();
  return result;
}

Result<GgufFile> read_gguf(const std::string& path) {
  const Result<StoredBytes> file = map_file(path);
  if (!file.ok()) return file.error();
  return parse_gguf(*file, path);
}

Result<JsonValue> gguf_config(const GgufFile& file, const std::string& path) {
  const JsonValue* const value = find(file, kArchitectureKey);
  const auto* const name = value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
  if (name == nullptr)
    return bad_input(fmt::format("it does not say of which architecture it is, by a text '{}'",
                                 kArchitectureKey),
                     {.file = path});
  std::string type = *name;
  for (const NamedAlike& row : kArchitectures)
    if (row.theirs == *name) type = row.ours;
  JsonMembers members = {{.key = "model_type", .value = {.data = std::move(type)}}};
  const bool is_gpt2 = *name == "gpt2";
  for (const NamedAlike& row : is_gpt2 ? std::span<const NamedAlike>(kFiguresOfGpt2) : kFigures)
    if (const JsonValue* const figure = find(file, *name + std::string(row.theirs)))
      members.push_back({.key = std::string(row.ours), .value = *figure});
  if (auto stretch = rotary_stretch(file, *name)) members.push_back(*std::move(stretch));
  return JsonValue{.data = std::move(members)};
}

}  // namespace poet
