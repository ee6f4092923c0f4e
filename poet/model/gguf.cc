#include "poet/model/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>

#include "poet/base/checked_math.h"
#include "poet/base/message_text.h"
#include "poet/base/utf8.h"
#include "poet/model/block_values.h"
#include "poet/model/ggml_blocks.h"
#include "poet/model/gguf_metadata.h"
#include "poet/model/gguf_reading.h"
#include "poet/model/mapped_file.h"
#include "poet/model/narrow_floats.h"

namespace poet {
namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr std::int64_t kUsualAlignment = 32;
constexpr std::int64_t kLargestAlignment = 1 << 30;
constexpr std::uint32_t kMostDimensions = 4;
// What is known of a tensor takes ten times the bytes that say it: a file of 45 MB may have a
// million. The largest networks have some thousands in a file.
constexpr std::size_t kMostTensors = 65'536;

std::int64_t alignment_of(const GgufMetadata& metadata, GgufReading& reading) {
  const JsonValue* const value = find_said(metadata, kGgufAlignmentKey);
  if (value == nullptr) return kUsualAlignment;
  const auto* const bytes = std::get_if<std::int64_t>(&value->data);
  if (bytes != nullptr && *bytes >= 8 && *bytes <= kLargestAlignment && *bytes % 8 == 0)
    return *bytes;
  reading.refuse(fmt::format("'{}' must be a multiple of 8 up to {}, found {}", kGgufAlignmentKey,
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
Shape read_shape(GgufReading& reading, const std::string& what) {
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

void check_type(GgufTensor& entry, std::uint32_t id, GgufReading& reading) {
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

// As safetensors files, which are written of these, can have it too.
std::string read_name(GgufReading& reading) {
  const std::int64_t place = reading.place();
  std::string name(reading.text("the name of a tensor"));
  if (!is_utf8(name))
    reading.refuse(fmt::format("the name of a tensor at byte {} is not UTF-8", place));
  if (name == kSafeMetadataKey)
    reading.refuse(
        fmt::format("the name of a tensor at byte {} is {}, by which safetensors files "
                    "have something else",
                    place, weight_in_quotes(name)));
  return name;
}

GgufTensor read_tensor(GgufReading& reading) {
  GgufTensor entry;
  entry.tensor.name = read_name(reading);
  const std::string what = weight_in_quotes(entry.tensor.name);
  entry.tensor.shape = read_shape(reading, what);
  const auto type = reading.number<std::uint32_t>(what);
  entry.begin = reading.number<std::uint64_t>(what);
  entry.type = find_ggml_type(type);
  check_type(entry, type, reading);
  return entry;
}

void check_names(const std::vector<GgufTensor>& entries, GgufReading& reading) {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const GgufTensor& entry : entries) names.push_back(entry.tensor.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) reading.refuse(weight_in_quotes(*twice) + " is there twice");
}

std::vector<GgufTensor> read_tensors(std::uint64_t count, GgufReading& reading) {
  std::vector<GgufTensor> entries;
  for (std::uint64_t i = 0; i < count && !reading.failure(); ++i) {
    if (entries.size() == kMostTensors)
      reading.refuse(fmt::format("it has {} tensors, and POET reads {} of a file at the most",
                                 count, kMostTensors));
    entries.push_back(read_tensor(reading));
  }
  if (!reading.failure()) check_names(entries, reading);
  return entries;
}

void check_places(const std::vector<GgufTensor>& entries, std::int64_t alignment,
                  std::int64_t data_bytes, GgufReading& reading) {
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
          fmt::format("it is cut off: {} begins at byte {} of the data and has {}, and the file "
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
  const auto block = static_cast<std::size_t>(type.bytes);
  for (std::size_t begin = 0; begin < bytes.size(); begin += block)
    for (const std::int64_t place : type.scales)
      if (!std::isfinite(from_float16(half_at(bytes, begin + static_cast<std::size_t>(place)))))
        return static_cast<std::int64_t>(begin / block);
  return std::nullopt;
}

// What it holds, of bytes that are there and that nothing looks at yet.
void take_values(GgufTensor& entry, StoredBytes values) {
  const GgmlType& type = *entry.type;
  SafeTensor& tensor = entry.tensor;
  tensor.type = type.plain;
  tensor.values = std::move(values);
  const WeightBlocks blocks = type.blocks.value_or(WeightBlocks{});
  if (type.blocks && tensor.shape.size() >= 2) {
    tensor.blocks = blocks;
  } else if (type.blocks) {
    tensor.made = [blocks, bytes = tensor.values](std::int64_t element) {
      return decoded_value(blocks, blocks.values, bytes.bytes, element);
    };
    tensor.block_without_scale = [blocks, bytes = tensor.values] {
      return block_without_scale(blocks, bytes.bytes);
    };
  } else if (type.value != nullptr) {
    tensor.made = [&type, bytes = tensor.values](std::int64_t element) {
      const auto block = static_cast<std::size_t>(element / type.values * type.bytes);
      return type.value(&bytes.bytes[block], element % type.values);
    };
    tensor.block_without_scale = [&type, bytes = tensor.values] {
      return block_without_scale(type, bytes.bytes);
    };
  }
}

}  // namespace

Result<GgufFile> parse_gguf(const StoredBytes& file, const std::string& path) {
  GgufReading reading(file, path);
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
  result.metadata = read_gguf_metadata(said, reading);
  std::vector<GgufTensor> entries = read_tensors(tensors, reading);
  const std::int64_t alignment = alignment_of(result.metadata, reading);
  if (reading.failure()) return *reading.failure();
  const std::int64_t data_begin = (reading.place() + alignment - 1) / alignment * alignment;
  const std::int64_t data_bytes = std::max<std::int64_t>(0, std::ssize(file.bytes) - data_begin);
  check_places(entries, alignment, data_bytes, reading);
  if (reading.failure()) return *reading.failure();
  const auto file_path = std::make_shared<const std::string>(path);
  for (GgufTensor& entry : entries) {
    const auto begin = static_cast<std::size_t>(data_begin) + entry.begin;
    take_values(entry,
                {file.owner, file.bytes.subspan(begin, static_cast<std::size_t>(entry.bytes))});
    entry.tensor.path = file_path;
    result.tensors.push_back(std::move(entry.tensor));
  }
  return result;
}

Result<GgufFile> read_gguf(const std::string& path) {
  const Result<StoredBytes> file = map_file(path);
  if (!file.ok()) return file.error();
  return parse_gguf(*file, path);
}

}  // namespace poet
