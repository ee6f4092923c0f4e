#include "poet/data/example_order.h"

#include "poet/base/check.h"
#include "poet/runtime/counter_random.h"

namespace poet {
namespace {

constexpr std::uint32_t kRounds = 6;

constexpr std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
constexpr std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

}  // namespace

ExampleOrder::ExampleOrder(std::int64_t size, std::uint64_t seed, std::int64_t epoch)
    : size_(static_cast<std::uint64_t>(size)),
      seed_(seed),
      epoch_(static_cast<std::uint64_t>(epoch)) {
  POET_CHECK(size >= 1 && epoch >= 0);
  while (half_bits_ < 32 && (size_ - 1) >> (2 * half_bits_) != 0) ++half_bits_;
}

std::int64_t ExampleOrder::at(std::int64_t position) const {
  POET_CHECK(position >= 0 && static_cast<std::uint64_t>(position) < size_);
  // Walking a cycle of the larger permutation comes back into the range at the latest where it
  // began, and in fewer than four walks on average.
  std::uint64_t value = static_cast<std::uint64_t>(position);
  do value = mixed(value);
  while (value >= size_);
  return static_cast<std::int64_t>(value);
}

std::uint64_t ExampleOrder::mixed(std::uint64_t value) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = value >> half_bits_;
  std::uint64_t right = value & mask;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const poet_philox_block block = poet_philox_4x32(
        {{low(right), round, low(epoch_), high(epoch_)}}, {{low(seed_), high(seed_)}});
    const std::uint64_t next = left ^ (block.word[0] & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

}  // namespace poet
