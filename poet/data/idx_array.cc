#include <fmt/core.h>

#include <array>
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

Error no_idx(const std::string& path, const std::string& why) {
  return bad_input(fmt::format("{} is no IDX file: {}", quoted_path(path), why));
}

// From the four bytes that the file begins with.
Error no_magic(const std::string& path, const std::array<std::byte, kMagicBytes>& magic) {
  const bool zipped = magic[0] == std::byte{0x1F} && magic[1] == std::byte{0x8B};
  return no_idx(path, zipped ? "it is compressed; unpack it with gunzip"
                             : "it does not begin with two zero bytes, a type and a number of "
                               "dimensions");
}

}  // namespace

Result<NumberArray> open_idx(const std::string& path) {
  Result<DataFile> opened = DataFile::open(path);
  if (!opened.ok()) return opened.error();
  const auto file = std::make_shared<const DataFile>(*std::move(opened));
  std::array<std::byte, kMagicBytes> magic{};
  if (file->size_bytes() < kMagicBytes) return no_idx(path, "it is too short");
  if (Failure failure = file->read(0, magic)) return *failure;
  const std::optional<StoredNumber> number = number_of(magic[2]);
  const int dimensions = std::to_integer<int>(magic[3]);
  if (magic[0] != std::byte{0} || magic[1] != std::byte{0} || !number || dimensions < 1 ||
      dimensions > kMostDimensions)
    return no_magic(path, magic);

  const std::int64_t header_bytes = kMagicBytes + 4 * dimensions;
  if (file->size_bytes() < header_bytes) return no_idx(path, "it is too short");
  const NumberRun extents{file, kMagicBytes, StoredNumber::Uint32, ByteOrder::BigEndian};
  std::vector<std::int64_t> shape(static_cast<std::size_t>(dimensions));
  if (Failure failure =
          read_numbers(extents, 0, ElementType::Int64, std::as_writable_bytes(std::span(shape))))
    return *failure;
  std::optional<std::int64_t> size = byte_size(*number);
  for (const std::int64_t extent : shape)
    if (size) size = checked_multiply(*size, extent);
  if (!size || *size != file->size_bytes() - header_bytes)
    return no_idx(path, fmt::format("its header says {} values, which {} bytes do not hold",
                                    to_text(shape), file->size_bytes() - header_bytes));
  return NumberArray{.name = quoted_path(path),
                     .shape = std::move(shape),
                     .values = {file, header_bytes, *number, ByteOrder::BigEndian}};
}

}  // namespace poet
