#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace poet::testing {

// Values that need not be stored: each follows from the name of its tensor and from where it stands
// there. tools/network_goldens/rule.py makes the same ones.

// Words of 64 random bits: splitmix64 (Steele et al., OOPSLA 2014), begun with the FNV-1a hash of a
// name.
class NamedBits {
 public:
  explicit NamedBits(const std::string& name);
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

// offset + scale u, with u even in [-1, 1) in steps of 2^-23; product and sum are rounded once
// each.
struct ValueRule {
  float scale = 1;
  float offset = 0;
};

std::vector<float> ruled_values(const std::string& name, std::size_t count, const ValueRule& rule);

// In [0, below).
std::vector<std::int64_t> ruled_wholes(const std::string& name, std::size_t count,
                                       std::int64_t below);

inline constexpr std::size_t kProjections = 4;

// Sums of all values under random signs: bit k of the words of `name` says which of them projection
// k turns round. The square of such a sum is, on average over signs, the square of the L2 norm.
std::array<double, kProjections> projections(const std::string& name,
                                             const std::vector<float>& values);

}  // namespace poet::testing
