#include "poet/model/onnx_file_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "poet/base/checked_math.h"
#include "poet/base/message_text.h"
#include "poet/graph/tensor_type.h"
#include "poet/model/mapped_file.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

bool leads_out(const fs::path& relative) {
  return relative.empty() || *relative.begin() == "..";
}

bool is_below(const fs::path& folder, const fs::path& file) {
  return !leads_out(file.lexically_relative(folder));
}

Error outside(const std::string& location) {
  return bad_input(
      fmt::format("external data in {} lies outside the model's folder", in_quotes(location)));
}

// Links may be followed as long as they stay in the model's folder, or in the one that a link to
// the model itself leads to.
bool stays_beside(const fs::path& model, const fs::path& file) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(file, error);
  if (error) return false;
  const fs::path folder = fs::weakly_canonical(
      model.parent_path().empty() ? fs::path(".") : model.parent_path(), error);
  if (!error && is_below(folder, target)) return true;
  const fs::path real_model = fs::weakly_canonical(model, error);
  return !error && is_below(real_model.parent_path(), target);
}

// ONNX keeps bytes little-endian, and they are used as they are.
static_assert(std::endian::native == std::endian::little);

Error in_tensor(const onnx::TensorProto& proto, const std::string& what) {
  const std::string name = proto.name().empty() ? "a tensor" : "tensor " + in_quotes(proto.name());
  return bad_input(name + ": " + what);
}

// Extents may be 0, as those of an empty list of axes.
Result<Shape> shape_of(const onnx::TensorProto& proto) {
  std::int64_t values = 1;
  for (const std::int64_t extent : proto.dims()) {
    if (extent < 0) return in_tensor(proto, fmt::format("its shape has the extent {}", extent));
    if (extent > 0 && values > kMaxValues / extent)
      return in_tensor(proto, fmt::format("it has more than {} values", kMaxValues));
    values *= std::max<std::int64_t>(extent, 1);
  }
  return Shape(proto.dims().begin(), proto.dims().end());
}

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc{} || stop != end || number < 0) return std::nullopt;
  return number;
}

Result<ExternalPlace> external_place(const onnx::TensorProto& proto) {
  ExternalPlace place;
  for (const onnx::StringStringEntryProto& entry : proto.external_data()) {
    if (entry.key() == "location") place.location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    const std::optional<std::int64_t> number = whole_number(entry.value());
    if (!number)
      return in_tensor(proto, fmt::format("the {} of its external data is {}, not a whole number",
                                          entry.key(), in_quotes(entry.value())));
    if (entry.key() == "offset") place.offset_bytes = *number;
    if (entry.key() == "length") place.length_bytes = number;
  }
  return place;
}

template <typename T>
StoredBytes within(const std::shared_ptr<const void>& owner, const T* values, std::size_t count) {
  return {owner, std::as_bytes(std::span<const T>(values, count))};
}

template <typename T>
StoredBytes within(const std::shared_ptr<const void>& owner, const T& field) {
  return within(owner, field.data(), static_cast<std::size_t>(field.size()));
}

// Values of few bits that are kept one to a 32-bit field.
template <typename T>
StoredBytes narrowed(const google::protobuf::RepeatedField<std::int32_t>& field) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(field.size()) * sizeof(T));
  std::size_t place = 0;
  for (const std::int32_t value : field) {
    const auto kept = static_cast<T>(value);
    std::memcpy(&bytes[place], &kept, sizeof kept);
    place += sizeof kept;
  }
  return store(std::move(bytes));
}

// Of types that POET has not itself.
std::size_t foreign_bytes(const onnx::TensorProto& proto) {
  return proto.data_type() == onnx::TensorProto::DOUBLE ? 8 : 2;
}

StoredBytes typed_values(const onnx::TensorProto& proto, ElementType element,
                         const std::shared_ptr<const void>& owner) {
  switch (element) {
    case ElementType::Float32:
      return within(owner, proto.float_data());
    case ElementType::Int64:
      return within(owner, proto.int64_data());
    case ElementType::Int32:
      return within(owner, proto.int32_data());
    case ElementType::Uint8:
    case ElementType::Bool:
      return narrowed<std::uint8_t>(proto.int32_data());
  }
  return {};
}

StoredBytes foreign_values(const onnx::TensorProto& proto,
                           const std::shared_ptr<const void>& owner) {
  return proto.data_type() == onnx::TensorProto::DOUBLE
             ? within(owner, proto.double_data())
             : narrowed<std::uint16_t>(proto.int32_data());
}

// A Bool is 0 or 1 with us, whatever the file has.
StoredBytes ones_and_zeros(const StoredBytes& values) {
  std::vector<std::byte> bytes(values.bytes.begin(), values.bytes.end());
  for (std::byte& value : bytes) value = value == std::byte{0} ? std::byte{0} : std::byte{1};
  return store(std::move(bytes));
}

Result<StoredBytes> values_of(const onnx::TensorProto& proto, const OnnxTensor& tensor,
                              const std::shared_ptr<const void>& owner, ExternalFiles* files) {
  const OnnxElement& element = tensor.element;
  const std::int64_t wanted_bytes =
      element.known ? size_bytes({*element.known, tensor.shape})
                    : value_count(tensor.shape) * static_cast<std::int64_t>(foreign_bytes(proto));
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    if (files == nullptr) return in_tensor(proto, "external data cannot be here");
    const Result<ExternalPlace> place = external_place(proto);
    if (!place.ok()) return place.error();
    Result<StoredBytes> part = files->part(*place, wanted_bytes);
    if (!part.ok())
      return Error{part.error().code, in_tensor(proto, part.error().message).message, {}};
    return part;
  }
  StoredBytes values = proto.has_raw_data() ? within(owner, proto.raw_data())
                       : element.known      ? typed_values(proto, *element.known, owner)
                                            : foreign_values(proto, owner);
  if (std::ssize(values.bytes) != wanted_bytes)
    return in_tensor(proto,
                     fmt::format("it has {} bytes of values, but {} needs {}", values.bytes.size(),
                                 element.known ? to_text(TensorType{*element.known, tensor.shape})
                                               : element.name + " " + to_text(tensor.shape),
                                 wanted_bytes));
  return values;
}

}  // namespace

Result<StoredBytes> ExternalFiles::file(const std::string& location) {
  if (const auto known = mapped_.find(location); known != mapped_.end()) return known->second;
  const fs::path relative = fs::path(location).lexically_normal();
  if (location.empty() || location.find('\0') != std::string::npos || relative.is_absolute() ||
      leads_out(relative))
    return outside(location);
  const fs::path model(model_path_);
  const fs::path path = model.parent_path() / relative;
  if (!stays_beside(model, path)) return outside(location);
  Result<StoredBytes> mapped = map_file(path.string());
  if (mapped.ok()) mapped_[location] = *mapped;
  return mapped;
}

std::vector<std::string> ExternalFiles::paths() const {
  std::vector<std::string> paths;
  for (const auto& [location, bytes] : mapped_)
    paths.push_back((fs::path(model_path_).parent_path() / location).string());
  return paths;
}

Result<StoredBytes> ExternalFiles::part(const ExternalPlace& place, std::int64_t size_bytes) {
  if (place.length_bytes && *place.length_bytes != size_bytes)
    return bad_input(fmt::format("its external data has {} bytes, not the {} of its shape",
                                 *place.length_bytes, size_bytes));
  Result<StoredBytes> whole = file(place.location);
  if (!whole.ok()) return whole;
  const std::optional<std::int64_t> end = checked_add(place.offset_bytes, size_bytes);
  const auto there = static_cast<std::int64_t>(whole->bytes.size());
  if (place.offset_bytes < 0 || !end || *end > there)
    return bad_input(
        fmt::format("its external data is not in {}: it would be {} bytes from byte "
                    "{} on, and the file has {}",
                    in_quotes(place.location), size_bytes, place.offset_bytes, there));
  return StoredBytes{whole->owner,
                     whole->bytes.subspan(static_cast<std::size_t>(place.offset_bytes),
                                          static_cast<std::size_t>(size_bytes))};
}

OnnxElement onnx_element(std::int64_t data_type) {
  switch (data_type) {
    case onnx::TensorProto::FLOAT:
      return {ElementType::Float32, "float32"};
    case onnx::TensorProto::INT64:
      return {ElementType::Int64, "int64"};
    case onnx::TensorProto::INT32:
      return {ElementType::Int32, "int32"};
    case onnx::TensorProto::UINT8:
      return {ElementType::Uint8, "uint8"};
    case onnx::TensorProto::BOOL:
      return {ElementType::Bool, "bool"};
    case onnx::TensorProto::FLOAT16:
      return {std::nullopt, "float16", ElementType::Float32};
    case onnx::TensorProto::BFLOAT16:
      return {std::nullopt, "bfloat16", ElementType::Float32};
    case onnx::TensorProto::DOUBLE:
      return {std::nullopt, "float64", ElementType::Float32};
    default:
      break;
  }
  const int number = data_type < 0 || data_type > 1000 ? -1 : static_cast<int>(data_type);
  if (!onnx::TensorProto::DataType_IsValid(number))
    return {std::nullopt, fmt::format("element type {}", data_type)};
  std::string name =
      onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(number));
  for (char& letter : name)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return {std::nullopt, name};
}

Result<OnnxTensor> read_tensor(const onnx::TensorProto& proto,
                               const std::shared_ptr<const void>& owner, ExternalFiles* files) {
  if (proto.has_segment()) return in_tensor(proto, "it is a segment; only whole tensors are read");
  Result<Shape> shape = shape_of(proto);
  if (!shape.ok()) return shape.error();
  OnnxTensor tensor{
      .name = proto.name(), .element = onnx_element(proto.data_type()), .shape = *std::move(shape)};
  if (!tensor.element.used()) return tensor;
  Result<StoredBytes> values = values_of(proto, tensor, owner, files);
  if (!values.ok()) return values.error();
  tensor.values =
      tensor.element.known == ElementType::Bool ? ones_and_zeros(*values) : *std::move(values);
  return tensor;
}

}  // namespace poet
