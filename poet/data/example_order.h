#pragma once

#include <cstdint>

namespace poet {

// The order in which the examples of an epoch come: a permutation of [0, size) for every seed and
// epoch that takes no memory. It is a Feistel network of six rounds on the smallest even number of
// bits that hold size, walked again where it leaves the range (J. Black and P. Rogaway, "Ciphers
// with arbitrary finite domains", CT-RSA 2002); what mixes is Philox 4x32.
class ExampleOrder {
 public:
  ExampleOrder(std::int64_t size, std::uint64_t seed, std::int64_t epoch);

  // Which example comes at a position; both are in [0, size).
  std::int64_t at(std::int64_t position) const;

 private:
  std::uint64_t mixed(std::uint64_t value) const;

  std::uint64_t size_;
  std::uint64_t seed_;
  std::uint64_t epoch_;
  int half_bits_ = 1;
};

}  // namespace poet
