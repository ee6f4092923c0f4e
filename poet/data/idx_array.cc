#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "poet/base/checked_math.h"
#include "poet/data/number_array.h"
#include "poet/graph/tensor_type.h"

namespace poet {
namespace {

constexpr std::int64_t kMagicBytes = 4;
constexpr int kMostDimensions = 8;

std::optional<StoredNumber> number_of(std::byte code) {
  switch (std::to_integer<int>(code)) {
    case 0x08:
      return StoredNumber::Uint8;
    case 0x09:
      return StoredNumber::Int8;
    case 0x0B:
      return StoredNumber::Int16;
    case 0x0C:
      return StoredNumber::Int32;
    case 0x0D:
      return StoredNumber::Float32;
    case 0x0E:
      return StoredNumber::Float64;
    default:
      return std::nullopt;
  }
}

constexpr std::int64_t kLargestHeaderBytes = kMagicBytes + 4 * kMostDimensions;

Error no_idx(const std::string& path, const std::string& why) {
  return bad_input(fmt::format("{} is not an IDX file: {}", quoted_path(path), why));
}

struct IdxHeader {
  StoredNumber number = StoredNumber::Uint8;
  Shape shape = {};
  std::int64_t size_bytes = 0;                    // of the header itself
  std::optional<std::int64_t> values_bytes = {};  // nothing: more than 63 bits
};

std::int64_t extent_at(std::span<const std::byte> bytes, std::int64_t at) {
  std::int64_t extent = 0;
  for (std::int64_t i = 0; i < 4; ++i)
    extent = extent << 8 | std::to_integer<std::int64_t>(bytes[static_cast<std::size_t>(at + i)]);
  return extent;
}

// From the bytes that the file begins with.
Result<IdxHeader> read_header(const std::string& path, std::span<const std::byte> first) {
  if (std::ssize(first) < kMagicBytes) return no_idx(path, "it is too short");
  const std::optional<StoredNumber> number = number_of(first[2]);
  const int dimensions = std::to_integer<int>(first[3]);
  if (first[0] != std::byte{0} || first[1] != std::byte{0} || !number || dimensions < 1 ||
      dimensions > kMostDimensions)
    return no_idx(path, "it does not begin with two zero bytes, a type and a number of dimensions");
  IdxHeader header{.number = *number, .size_bytes = kMagicBytes + 4 * dimensions};
  if (std::ssize(first) < header.size_bytes) return no_idx(path, "it is too short");
  header.values_bytes = byte_size(*number);
  for (std::int64_t at = kMagicBytes; at < header.size_bytes; at += 4) {
    header.shape.push_back(extent_at(first, at));
    if (header.values_bytes)
      header.values_bytes = checked_multiply(*header.values_bytes, header.shape.back());
  }
  return header;
}

NumberArray array_behind(IdxHeader header, std::shared_ptr<const DataFile> file) {
  return {.name = quoted_path(file->path()),
          .shape = std::move(header.shape),
          .values = {file, header.size_bytes, header.number, ByteOrder::BigEndian}};
}

Result<NumberArray> open_gzipped(std::shared_ptr<const DataFile> file,
                                 const UnpackOptions& options) {
  const std::string path = file->path();
  const std::int64_t packed_bytes = file->size_bytes();
  const PackedBytes packed{.name = quoted_path(path),
                           .file = std::move(file),
                           .size_bytes = packed_bytes,
                           .form = PackedForm::Gzip};
  std::array<std::byte, kLargestHeaderBytes> first{};
  const Result<std::int64_t> count = unpack_beginning(packed, first);
  if (!count.ok()) return count.error();
  Result<IdxHeader> header =
      read_header(path, std::span(first).first(static_cast<std::size_t>(*count)));
  if (!header.ok()) return header.error();
  const std::optional<std::int64_t> whole_bytes =
      header->values_bytes ? checked_add(*header->values_bytes, header->size_bytes) : std::nullopt;
  if (!whole_bytes)
    return no_idx(path, fmt::format("its header says {} values, which no file holds",
                                    to_text(header->shape)));
  Result<std::shared_ptr<const DataFile>> unpacked =
      unpack(packed, {.bytes = *whole_bytes}, options);
  if (!unpacked.ok()) return unpacked.error();
  return array_behind(*std::move(header), *std::move(unpacked));
}

}  // namespace

Result<NumberArray> open_idx(const std::string& path, const UnpackOptions& options) {
  Result<DataFile> opened = DataFile::open(path);
  if (!opened.ok()) return opened.error();
  const auto file = std::make_shared<const DataFile>(*std::move(opened));
  std::array<std::byte, kLargestHeaderBytes> bytes{};
  const auto first = std::span(bytes).first(
      static_cast<std::size_t>(std::min(kLargestHeaderBytes, file->size_bytes())));
  if (Failure failure = file->read(0, first)) return *failure;
  if (first.size() >= 2 && first[0] == std::byte{0x1F} && first[1] == std::byte{0x8B})
    return open_gzipped(file, options);
  Result<IdxHeader> header = read_header(path, first);
  if (!header.ok()) return header.error();
  if (header->values_bytes != file->size_bytes() - header->size_bytes)
    return no_idx(path,
                  fmt::format("its header says {} values, which {} bytes do not hold",
                              to_text(header->shape), file->size_bytes() - header->size_bytes));
  return array_behind(*std::move(header), file);
}

}  // namespace poet
