#include <fmt/core.h>

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "poet/base/checked_math.h"
#include "poet/base/message_text.h"
#include "poet/data/number_array.h"
#include "poet/graph/tensor_type.h"

namespace poet {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::int64_t kPrefixBytes = 8;  // the magic and two bytes of version
constexpr std::int64_t kLargestHeaderBytes = 65'536;
constexpr std::size_t kMostDimensions = 32;

Error no_npy(const std::string& name, const std::string& why) {
  return bad_input(fmt::format("{} is not an NPY array: {}", name, why));
}

// The header is a Python dictionary, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }:
// this reads as much of that language as NumPy writes.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  bool take(char sign) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != sign) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<std::string_view> take_text() {
    skip_blanks();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::optional<bool> take_flag() {
    if (take_word("True")) return true;
    if (take_word("False")) return false;
    return std::nullopt;
  }

  std::optional<std::int64_t> take_whole() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (status != std::errc{} || value < 0) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  // (), (3,), (3, 4)
  std::optional<Shape> take_shape() {
    if (!take('(')) return std::nullopt;
    Shape shape;
    while (!take(')')) {
      const std::optional<std::int64_t> extent = take_whole();
      if (!extent || shape.size() == kMostDimensions) return std::nullopt;
      shape.push_back(*extent);
      if (!take(',') && !closes()) return std::nullopt;
    }
    return shape;
  }

 private:
  void skip_blanks() {
    const std::size_t begin = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool closes() {
    skip_blanks();
    return rest_.starts_with(')');
  }

  std::string_view rest_;
};

struct Header {
  std::optional<std::string_view> description = {};
  std::optional<bool> column_major = {};
  std::optional<Shape> shape = {};
};

Header read_header(std::string_view text) {
  HeaderReader reader(text);
  Header header;
  if (!reader.take('{')) return header;
  while (const std::optional<std::string_view> key = reader.take_text()) {
    if (!reader.take(':')) return {};
    if (*key == "descr")
      header.description = reader.take_text();
    else if (*key == "fortran_order")
      header.column_major = reader.take_flag();
    else if (*key == "shape")
      header.shape = reader.take_shape();
    else
      return {};
    reader.take(',');
  }
  return header;
}

struct Description {
  std::string_view text;  // without the byte order
  StoredNumber number;
};
constexpr Description kDescriptions[] = {
    {"b1", StoredNumber::Bool},    {"i1", StoredNumber::Int8},    {"u1", StoredNumber::Uint8},
    {"i2", StoredNumber::Int16},   {"u2", StoredNumber::Uint16},  {"i4", StoredNumber::Int32},
    {"u4", StoredNumber::Uint32},  {"i8", StoredNumber::Int64},   {"u8", StoredNumber::Uint64},
    {"f4", StoredNumber::Float32}, {"f8", StoredNumber::Float64},
};

std::optional<StoredNumber> number_of(std::string_view description) {
  if (description.size() != 3) return std::nullopt;
  for (const Description& row : kDescriptions)
    if (description.substr(1) == row.text) return row.number;
  return std::nullopt;
}

// Where the header's text lies, from the array's begin on.
struct HeaderPlace {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Result<HeaderPlace> find_header(const DataFile& file, std::int64_t begin_bytes,
                                std::int64_t size_bytes, const std::string& name) {
  std::array<std::byte, kPrefixBytes + 4> prefix{};
  if (size_bytes < static_cast<std::int64_t>(prefix.size())) return no_npy(name, "it is too short");
  if (Failure failure = file.read(begin_bytes, prefix)) return *failure;
  for (std::size_t i = 0; i < kMagic.size(); ++i)
    if (prefix[i] != std::byte(kMagic[i])) return no_npy(name, "it does not begin as one");
  const int version = std::to_integer<int>(prefix[6]);
  if (version < 1 || version > 3)
    return no_npy(name, fmt::format("its version is {}, and 1 to 3 are known", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::int64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    length |= std::to_integer<std::int64_t>(prefix[kPrefixBytes + i]) << (8 * i);
  const std::int64_t begin = kPrefixBytes + static_cast<std::int64_t>(length_bytes);
  if (length > kLargestHeaderBytes || begin + length > size_bytes)
    return no_npy(name, "its header does not end");
  return HeaderPlace{begin, begin + length};
}

Result<NumberArray> array_of(const Header& header, std::shared_ptr<const DataFile> file,
                             const std::string& name) {
  if (!header.description || !header.column_major || !header.shape)
    return no_npy(name, "its header does not say descr, fortran_order and shape");
  const std::optional<StoredNumber> number = number_of(*header.description);
  if (!number)
    return bad_input(
        fmt::format("{} is made of {}: arrays of whole numbers, bool, float32 and "
                    "float64 can be read",
                    name, in_quotes(*header.description)));
  if (*header.column_major && header.shape->size() > 1)
    return bad_input(
        fmt::format("{} is in column-major order: save it after numpy.ascontiguousarray()", name));
  const ByteOrder order =
      header.description->front() == '>' ? ByteOrder::BigEndian : ByteOrder::LittleEndian;
  return NumberArray{
      .name = name, .shape = *header.shape, .values = {std::move(file), 0, *number, order}};
}

}  // namespace

Result<NumberArray> npy_within(std::shared_ptr<const DataFile> file, std::int64_t begin_bytes,
                               std::int64_t size_bytes, const std::string& name) {
  const Result<HeaderPlace> place = find_header(*file, begin_bytes, size_bytes, name);
  if (!place.ok()) return place.error();
  std::string text(static_cast<std::size_t>(place->end - place->begin), '\0');
  if (Failure failure =
          file->read(begin_bytes + place->begin, std::as_writable_bytes(std::span(text))))
    return *failure;
  Result<NumberArray> array = array_of(read_header(text), std::move(file), name);
  if (!array.ok()) return array.error();
  std::optional<std::int64_t> bytes = byte_size(array->values.number);
  for (const std::int64_t extent : array->shape)
    if (bytes) bytes = checked_multiply(*bytes, extent);
  const std::int64_t values_bytes = size_bytes - place->end;
  if (!bytes || *bytes > values_bytes)
    return no_npy(name, fmt::format("its header says {} values, which {} bytes do not hold",
                                    to_text(array->shape), values_bytes));
  if (*bytes < values_bytes)
    return no_npy(name, fmt::format("it is {} longer than the {} values that its header says",
                                    bytes_text(values_bytes - *bytes), to_text(array->shape)));
  array->values.offset_bytes = begin_bytes + place->end;
  return array;
}

Result<NumberArray> open_npy(const std::string& path) {
  Result<DataFile> file = DataFile::open(path);
  if (!file.ok()) return file.error();
  const std::int64_t size_bytes = file->size_bytes();
  return npy_within(std::make_shared<const DataFile>(*std::move(file)), 0, size_bytes,
                    quoted_path(path));
}

std::string npy_header(const Shape& shape, std::int64_t rows) {
  std::string extents = fmt::format("{},", rows);
  for (std::size_t k = 1; k < shape.size(); ++k) extents += fmt::format(" {},", shape[k]);
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", extents);
  // The values begin at a multiple of 64, as the format asks for.
  constexpr std::size_t kPrefix = 10;
  header.resize((kPrefix + header.size() + 1 + 63) / 64 * 64 - kPrefix - 1, ' ');
  header += '\n';
  std::string text = "\x93NUMPY";
  text += '\x01';
  text += '\0';
  text += static_cast<char>(header.size() % 256);
  text += static_cast<char>(header.size() / 256);
  return text + header;
}

}  // namespace poet
