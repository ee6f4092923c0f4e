#include "poet/model/ggml_blocks.h"

#include "poet/model/narrow_floats.h"

namespace poet {
namespace {

std::uint32_t byte_at(const std::byte* bytes, std::int64_t place) {
  return std::to_integer<std::uint32_t>(bytes[place]);
}

float half_at(const std::byte* bytes, std::int64_t place) {
  return from_float16(
      static_cast<std::uint16_t>(byte_at(bytes, place) | byte_at(bytes, place + 1) << 8U));
}

float as_float(std::uint32_t number) {
  return static_cast<float>(number);
}

// --- Blocks of 32: two numbers of 4 bits in a byte, k and k + 16

std::uint32_t four_bits(const std::byte* numbers, std::int64_t k) {
  const std::uint32_t both = byte_at(numbers, k % 16);
  return k < 16 ? both & 0xFU : both >> 4U;
}

// The fifth bit of each is one of 32 in front of the others.
std::uint32_t five_bits(const std::byte* high, std::int64_t k) {
  const std::uint32_t fifth = byte_at(high, k / 8) >> (k % 8) & 1U;
  return four_bits(high + 4, k) | fifth << 4U;
}

float q4_1(const std::byte* block, std::int64_t k) {
  return half_at(block, 0) * as_float(four_bits(block + 4, k)) + half_at(block, 2);
}
float q5_0(const std::byte* block, std::int64_t k) {
  return half_at(block, 0) * (as_float(five_bits(block + 2, k)) - 16);
}
float q5_1(const std::byte* block, std::int64_t k) {
  return half_at(block, 0) * as_float(five_bits(block + 4, k)) + half_at(block, 2);
}

// --- Blocks of 256, in groups of 32 with a scale and a least value of 6 bits each

struct Group {
  float scale = 0;
  float least = 0;
};

// d, dmin, and 12 bytes in which are 8 scales and 8 minima. The first four of each have the low six
// bits of a byte of their own; of the others four bits lie in the last bytes, and two above those.
Group group_of(const std::byte* block, std::int64_t group) {
  const std::byte* const packed = block + 4;
  std::uint32_t scale = byte_at(packed, group % 4);
  std::uint32_t least = byte_at(packed, group % 4 + 4);
  if (group < 4) {
    scale &= 63U;
    least &= 63U;
  } else {
    const std::uint32_t low = byte_at(packed, group + 4);
    scale = (low & 0xFU) | scale >> 6U << 4U;
    least = low >> 4U | least >> 6U << 4U;
  }
  return {half_at(block, 0) * as_float(scale), half_at(block, 2) * as_float(least)};
}

// 32 bytes have the numbers of two groups, one in the low bits and one in the high.
std::uint32_t number_in_pair(const std::byte* numbers, std::int64_t k) {
  const std::uint32_t both = byte_at(numbers, k / 64 * 32 + k % 32);
  return k % 64 < 32 ? both & 0xFU : both >> 4U;
}

float q4_k(const std::byte* block, std::int64_t k) {
  const Group group = group_of(block, k / 32);
  return group.scale * as_float(number_in_pair(block + 16, k)) - group.least;
}

// The fifth bits of a place in its group are those of one byte, one for each group.
float q5_k(const std::byte* block, std::int64_t k) {
  const Group group = group_of(block, k / 32);
  const std::uint32_t fifth = byte_at(block + 16, k % 32) >> (k / 32) & 1U;
  return group.scale * as_float(number_in_pair(block + 48, k) | fifth << 4U) - group.least;
}

// Halves of 128 values: 64 bytes have the low four bits, of places 0 to 63 and 64 to 127 together,
// 32 have the high two, of places 32 apart; a scale of 8 bits is of 16 values.
float q6_k(const std::byte* block, std::int64_t k) {
  const std::int64_t half = k / 128;
  const std::int64_t place = k % 128;
  const std::uint32_t both = byte_at(block, half * 64 + place % 64);
  const std::uint32_t low = place < 64 ? both & 0xFU : both >> 4U;
  const std::uint32_t high = byte_at(block + 128, half * 32 + place % 32) >> (place / 32 * 2) & 3U;
  const auto scale = static_cast<std::int8_t>(byte_at(block + 192, k / 16));
  return half_at(block, 208) * static_cast<float>(scale) * (as_float(low | high << 4U) - 32);
}

// --- All of them

constexpr std::int64_t kFirst[] = {0};
constexpr std::int64_t kFirstTwo[] = {0, 2};
constexpr std::int64_t kLast[] = {208};

const GgmlType kTypes[] = {
    {.id = 0, .name = "F32", .bytes = 4, .plain = SafeType::Float32},
    {.id = 1, .name = "F16", .bytes = 2, .plain = SafeType::Float16},
    {.id = 28, .name = "F64", .bytes = 8, .plain = SafeType::Float64},
    {.id = 30, .name = "BF16", .bytes = 2, .plain = SafeType::BFloat16},
    {.id = 2, .name = "Q4_0", .values = 32, .bytes = 18, .blocks = WeightBlocks{4, 32}},
    {.id = 3, .name = "Q4_1", .values = 32, .bytes = 20, .value = q4_1, .scales = kFirstTwo},
    {.id = 6, .name = "Q5_0", .values = 32, .bytes = 22, .value = q5_0, .scales = kFirst},
    {.id = 7, .name = "Q5_1", .values = 32, .bytes = 24, .value = q5_1, .scales = kFirstTwo},
    {.id = 8, .name = "Q8_0", .values = 32, .bytes = 34, .blocks = WeightBlocks{8, 32}},
    {.id = 12, .name = "Q4_K", .values = 256, .bytes = 144, .value = q4_k, .scales = kFirstTwo},
    {.id = 13, .name = "Q5_K", .values = 256, .bytes = 176, .value = q5_k, .scales = kFirstTwo},
    {.id = 14, .name = "Q6_K", .values = 256, .bytes = 210, .value = q6_k, .scales = kLast}};

}  // namespace

const GgmlType* find_ggml_type(std::uint32_t id) {
  for (const GgmlType& type : kTypes)
    if (type.id == id) return &type;
  return nullptr;
}

}  // namespace poet
