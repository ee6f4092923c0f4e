#include "poet/model/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "poet/base/checked_math.h"
#include "poet/base/json_reader.h"
#include "poet/base/message_text.h"
#include "poet/model/mapped_file.h"
#include "poet/model/safetensors_blocks.h"

namespace poet {
namespace {

// Where the bytes of a tensor are, and where the header says so.
struct Entry {
  SafeTensor tensor = {};
  std::int64_t begin = 0;
  std::int64_t end = 0;
  const JsonValue* said = nullptr;
};

std::string range_of(const Entry& entry) {
  return fmt::format("[{}, {}]", entry.begin, entry.end);
}

std::optional<std::int64_t> bytes_of(SafeType type, const Shape& shape) {
  std::optional<std::int64_t> bytes = byte_size(type);
  for (const std::int64_t extent : shape) {
    // Refused even where an extent of 0 further on would make it nothing.
    bytes = checked_multiply(*bytes, extent);
    if (!bytes) break;
  }
  return bytes;
}

void check_size(const Entry& entry, std::int64_t data_bytes, JsonReader& reader) {
  const SafeTensor& tensor = entry.tensor;
  if (reader.failure()) return;
  const std::string name = weight_in_quotes(tensor.name);
  const std::optional<std::int64_t> bytes = bytes_of(tensor.type, tensor.shape);
  if (!bytes)
    return reader.refuse(*entry.said, fmt::format("{} has more values than fit in 63 bits", name));
  if (entry.begin > entry.end)
    return reader.refuse(*entry.said,
                         fmt::format("{} ends before it begins: {}", name, range_of(entry)));
  if (entry.end > data_bytes)
    return reader.refuse(
        *entry.said, fmt::format("it is cut off: {} would end at byte {} of the data, and the file "
                                 "has {} of them",
                                 name, entry.end, data_bytes));
  if (entry.end - entry.begin != *bytes)
    reader.refuse(*entry.said,
                  fmt::format("{} has {} bytes, and {} {} takes {}", name, entry.end - entry.begin,
                              name_of(kSafeTypes, tensor.type), to_text(tensor.shape), *bytes));
}

Entry read_entry(const JsonMember& member, std::int64_t data_bytes, JsonReader& reader) {
  Entry entry{.tensor = {.name = member.key}, .said = &member.value};
  JsonObject fields(member.value, "the tensor " + weight_in_quotes(member.key), reader);
  entry.tensor.type = fields.choice("dtype", kSafeTypes);
  entry.tensor.shape = fields.wholes("shape", kSizeRange);
  const std::vector<std::int64_t> offsets = fields.wholes("data_offsets", kSizeRange);
  fields.finish();
  if (offsets.size() != 2) {
    reader.refuse(member.value, fmt::format("'data_offsets' of {} must be the byte where it begins "
                                            "and the one where it ends, found a list of {}",
                                            weight_in_quotes(member.key), offsets.size()));
    return entry;
  }
  entry.begin = offsets[0];
  entry.end = offsets[1];
  check_size(entry, data_bytes, reader);
  return entry;
}

void read_metadata(const JsonMember& member, SafeTensors& file, JsonReader& reader) {
  const auto* const members = std::get_if<JsonMembers>(&member.value.data);
  if (members == nullptr)
    return reader.refuse(member.value,
                         "'__metadata__' must be an object, found " + found_text(member.value));
  for (const JsonMember& one : *members)
    file.metadata.emplace(one.key, reader.text(one.value, one.key));
}

// Every byte is of one tensor.
void check_cover(const std::vector<Entry>& entries, std::int64_t data_bytes, JsonReader& reader) {
  std::int64_t end = 0;
  for (const Entry& entry : entries) {
    const std::string name = weight_in_quotes(entry.tensor.name);
    if (entry.begin < end)
      return reader.refuse(*entry.said, fmt::format("{} begins at byte {} of the data, before the "
                                                    "tensor in front of it ends at {}",
                                                    name, entry.begin, end));
    if (entry.begin > end)
      return reader.refuse(
          *entry.said, fmt::format("bytes {} to {} of the data, before {}, are of no tensor", end,
                                   entry.begin, name));
    end = entry.end;
  }
  if (end != data_bytes)
    reader.refuse(0, 0,
                  fmt::format("the last {} bytes of the file are of no tensor", data_bytes - end));
}

Result<std::int64_t> header_length(const StoredBytes& file, const SourcePos& where) {
  const auto size = static_cast<std::int64_t>(file.bytes.size());
  if (size < kSafeLengthBytes)
    return bad_input(fmt::format("it is not a safetensors file: it has {}, and the first {} say "
                                 "how long its header is",
                                 bytes_text(size), kSafeLengthBytes),
                     where);
  std::uint64_t length = 0;
  for (int i = 0; i < kSafeLengthBytes; ++i)
    length |= std::uint64_t{std::to_integer<std::uint8_t>(file.bytes[static_cast<std::size_t>(i)])}
              << (8 * i);
  if (length > static_cast<std::uint64_t>(kLargestSafeHeaderBytes))
    return bad_input(fmt::format("it is not a safetensors file: its header would have {} bytes, "
                                 "and {} is the most",
                                 length, kLargestSafeHeaderBytes),
                     where);
  if (static_cast<std::int64_t>(length) > size - kSafeLengthBytes)
    return bad_input(
        fmt::format("it is cut off: its header would have {}, and {} follow",
                    bytes_text(static_cast<std::int64_t>(length)), size - kSafeLengthBytes),
        where);
  return static_cast<std::int64_t>(length);
}

// A line and a column of the header, which counts characters, as the byte of the file that it is:
// whoever looks for it there has no text before him.
Error by_bytes(Error error, std::string_view header) {
  if (error.where.line == 0) return error;
  std::size_t place = 0;
  for (int line = 1; line < error.where.line; ++line) place = header.find('\n', place) + 1;
  for (int column = 1; column < error.where.column && place < header.size(); ++column) do
      ++place;
    while (place < header.size() && (header[place] & 0xC0) == 0x80);
  error.message = fmt::format("at byte {}: {}", kSafeLengthBytes + static_cast<std::int64_t>(place),
                              error.message);
  error.where = {.file = error.where.file};
  return error;
}

StoredBytes part_of(const StoredBytes& file, std::int64_t begin, std::int64_t end) {
  return {file.owner, file.bytes.subspan(static_cast<std::size_t>(begin),
                                         static_cast<std::size_t>(end - begin))};
}

}  // namespace

std::int64_t byte_size(SafeType type) {
  switch (type) {
    case SafeType::Bool:
    case SafeType::Uint8:
    case SafeType::Int8:
    case SafeType::Float8E5M2:
    case SafeType::Float8E4M3:
      return 1;
    case SafeType::Float16:
    case SafeType::BFloat16:
    case SafeType::Int16:
    case SafeType::Uint16:
      return 2;
    case SafeType::Float32:
    case SafeType::Int32:
    case SafeType::Uint32:
      return 4;
    case SafeType::Float64:
    case SafeType::Int64:
    case SafeType::Uint64:
      return 8;
  }
  return 1;
}

std::string weight_in_quotes(std::string_view name) {
  return "'" + one_line(name) + "'";
}

Error wrong_tensor(const SafeTensor& tensor, std::string message) {
  return bad_input(std::move(message), {.file = tensor.path ? *tensor.path : std::string()});
}

Result<SafeTensors> parse_safetensors(const StoredBytes& file, const std::string& path) {
  const Result<std::int64_t> length = header_length(file, {.file = path});
  if (!length.ok()) return length.error();
  const std::int64_t data_begin = kSafeLengthBytes + *length;
  const std::int64_t data_bytes = static_cast<std::int64_t>(file.bytes.size()) - data_begin;
  const StoredBytes header = part_of(file, kSafeLengthBytes, data_begin);
  const std::string_view text(reinterpret_cast<const char*>(header.bytes.data()),
                              header.bytes.size());
  if (!text.starts_with('{'))
    return bad_input("it is not a safetensors file: its header does not begin with '{'",
                     {.file = path});
  const Result<JsonValue> json = parse_json(text, path);
  if (!json.ok()) return by_bytes(json.error(), text);

  JsonReader reader(path);
  SafeTensors result;
  std::vector<Entry> entries;
  for (const JsonMember& member : std::get<JsonMembers>(json->data)) {
    if (member.key == kSafeMetadataKey)
      read_metadata(member, result, reader);
    else
      entries.push_back(read_entry(member, data_bytes, reader));
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  if (!reader.failure()) check_cover(entries, data_bytes, reader);
  if (reader.failure()) return by_bytes(*reader.failure(), text);
  const auto file_path = std::make_shared<const std::string>(path);
  for (Entry& entry : entries) {
    entry.tensor.path = file_path;
    entry.tensor.values = part_of(file, data_begin + entry.begin, data_begin + entry.end);
    result.tensors.push_back(std::move(entry.tensor));
  }
  if (Failure failure = take_blocks(path, result)) return *failure;
  return result;
}

Result<SafeTensors> read_safetensors(const std::string& path) {
  const Result<StoredBytes> file = map_file(path);
  if (!file.ok()) return file.error();
  return parse_safetensors(*file, path);
}

}  // namespace poet
