#include "poet/data/stored_numbers.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "poet/base/check.h"

namespace poet {
namespace {

// Enough that a call of the system is not felt, little enough for the stack.
constexpr std::size_t kBlockBytes = 8192;

template <typename T>
T number_at(const std::byte* place, ByteOrder order) {
  std::array<std::byte, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), place, sizeof(T));
  if (order == ByteOrder::BigEndian) std::reverse(bytes.begin(), bytes.end());
  T value{};
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// Whether a value can be told from every other one once it is written as a To; fractions may be
// rounded.
template <typename To, typename From>
bool fits(From value) {
  if constexpr (std::is_floating_point_v<To>) {
    return std::is_integral_v<From> || !std::isfinite(static_cast<double>(value)) ||
           std::abs(static_cast<double>(value)) <= std::numeric_limits<To>::max();
  } else if constexpr (std::is_same_v<From, std::uint64_t>) {
    return value <= static_cast<std::uint64_t>(std::numeric_limits<To>::max());
  } else {
    const auto wide = static_cast<std::int64_t>(value);
    return wide >= static_cast<std::int64_t>(std::numeric_limits<To>::min()) &&
           wide <= static_cast<std::int64_t>(std::numeric_limits<To>::max());
  }
}

// The place among `count` of the first that does not fit; `count` when all do.
template <typename To, typename From>
std::size_t convert(std::span<const std::byte> from, ByteOrder order, std::size_t count,
                    std::byte* into) {
  for (std::size_t i = 0; i < count; ++i) {
    const From value = number_at<From>(from.data() + i * sizeof(From), order);
    if (!fits<To>(value)) return i;
    const To written = static_cast<To>(value);
    std::memcpy(into + i * sizeof(To), &written, sizeof(To));
  }
  return count;
}

template <typename To>
std::size_t convert_to(StoredNumber number, std::span<const std::byte> from, ByteOrder order,
                       std::size_t count, std::byte* into) {
  switch (number) {
    case StoredNumber::Bool:
    case StoredNumber::Uint8:
      return convert<To, std::uint8_t>(from, order, count, into);
    case StoredNumber::Int8:
      return convert<To, std::int8_t>(from, order, count, into);
    case StoredNumber::Int16:
      return convert<To, std::int16_t>(from, order, count, into);
    case StoredNumber::Uint16:
      return convert<To, std::uint16_t>(from, order, count, into);
    case StoredNumber::Int32:
      return convert<To, std::int32_t>(from, order, count, into);
    case StoredNumber::Uint32:
      return convert<To, std::uint32_t>(from, order, count, into);
    case StoredNumber::Int64:
      return convert<To, std::int64_t>(from, order, count, into);
    case StoredNumber::Uint64:
      return convert<To, std::uint64_t>(from, order, count, into);
    case StoredNumber::Float32:
    case StoredNumber::Float64:
      break;
  }
  if constexpr (std::is_floating_point_v<To>) {
    return number == StoredNumber::Float32 ? convert<To, float>(from, order, count, into)
                                           : convert<To, double>(from, order, count, into);
  } else {
    check_failed("numbers with fractions become Float32", __FILE__, __LINE__);
  }
}

std::size_t first_above_one(const std::byte* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (values[i] > std::byte{1}) return i;
  return count;
}

std::size_t convert_to(ElementType element, const NumberRun& run, std::span<const std::byte> from,
                       std::size_t count, std::byte* into) {
  switch (element) {
    case ElementType::Float32:
      return convert_to<float>(run.number, from, run.order, count, into);
    case ElementType::Int64:
      return convert_to<std::int64_t>(run.number, from, run.order, count, into);
    case ElementType::Int32:
      return convert_to<std::int32_t>(run.number, from, run.order, count, into);
    case ElementType::Uint8:
      return convert_to<std::uint8_t>(run.number, from, run.order, count, into);
    case ElementType::Bool: {
      const std::size_t fitting =
          convert_to<std::uint8_t>(run.number, from, run.order, count, into);
      return fitting < count ? fitting : first_above_one(into, count);
    }
  }
  check_failed("every element is read", __FILE__, __LINE__);
}

}  // namespace

std::int64_t byte_size(StoredNumber number) {
  switch (number) {
    case StoredNumber::Bool:
    case StoredNumber::Int8:
    case StoredNumber::Uint8:
      return 1;
    case StoredNumber::Int16:
    case StoredNumber::Uint16:
      return 2;
    case StoredNumber::Int32:
    case StoredNumber::Uint32:
    case StoredNumber::Float32:
      return 4;
    case StoredNumber::Int64:
    case StoredNumber::Uint64:
    case StoredNumber::Float64:
      return 8;
  }
  check_failed("every number has a size", __FILE__, __LINE__);
}

Failure read_numbers(const NumberRun& run, std::int64_t first, ElementType element,
                     std::span<std::byte> into) {
  POET_CHECK(!has_fractions(run.number) || element == ElementType::Float32);
  const auto from_bytes = static_cast<std::size_t>(byte_size(run.number));
  const auto to_bytes = static_cast<std::size_t>(byte_size(element));
  POET_CHECK(into.size() % to_bytes == 0);
  std::array<std::byte, kBlockBytes> block{};
  while (!into.empty()) {
    const std::size_t count = std::min(kBlockBytes / from_bytes, into.size() / to_bytes);
    const std::span<std::byte> part(block.data(), count * from_bytes);
    const std::int64_t offset = run.offset_bytes + first * static_cast<std::int64_t>(from_bytes);
    if (Failure failure = run.file->read(offset, part)) return failure;
    const std::size_t fitting = convert_to(element, run, part, count, into.data());
    if (fitting < count)
      return bad_input(fmt::format("{}: the number at byte {} does not fit in {}",
                                   quoted_path(run.file->path()), offset + fitting * from_bytes,
                                   name_of(kElementTypes, element)));
    into = into.subspan(count * to_bytes);
    first += static_cast<std::int64_t>(count);
  }
  return std::nullopt;
}

}  // namespace poet
