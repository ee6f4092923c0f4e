#include "networks/value_rule.h"

namespace poet::testing {

NamedBits::NamedBits(const std::string& name) : state_(0xCBF29CE484222325U) {
  for (const char letter : name)
    state_ = (state_ ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
}

std::uint64_t NamedBits::next() {
  std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

std::vector<float> ruled_values(const std::string& name, std::size_t count, const ValueRule& rule) {
  NamedBits bits(name);
  std::vector<float> values(count);
  for (float& value : values) {
    const auto whole = static_cast<std::int32_t>(bits.next() >> 40) - (1 << 23);
    value = rule.offset + rule.scale * (static_cast<float>(whole) * 0x1p-23F);
  }
  return values;
}

std::vector<std::int64_t> ruled_wholes(const std::string& name, std::size_t count,
                                       std::int64_t below) {
  NamedBits bits(name);
  std::vector<std::int64_t> wholes(count);
  for (std::int64_t& whole : wholes)
    whole = static_cast<std::int64_t>(bits.next() % static_cast<std::uint64_t>(below));
  return wholes;
}

std::array<double, kProjections> projections(const std::string& name,
                                             const std::vector<float>& values) {
  NamedBits bits(name);
  std::array<double, kProjections> sums{};
  for (const float value : values) {
    const std::uint64_t signs = bits.next();
    for (std::size_t k = 0; k < kProjections; ++k)
      sums[k] += (signs >> k & 1U) != 0 ? -static_cast<double>(value) : static_cast<double>(value);
  }
  return sums;
}

}  // namespace poet::testing
