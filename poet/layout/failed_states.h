#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>

namespace poet {

// Mixes the bits of a number: SplitMix64's finisher (Steele, Lea, Flood: Fast splittable
// pseudorandom number generators, OOPSLA 2014).
constexpr std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// 128 bits that stand for a state: sums of mixed words, so the order of adding does not matter. Two
// states of one search that agree in all of them are taken as one; with a billion states that is
// wrong with a probability below 1e-20.
struct StateKey {
  std::uint64_t a = 0;
  std::uint64_t b = 0;

  void add(std::uint64_t word) {
    a += mixed_bits(word);
    b += mixed_bits(word ^ 0xabcdef0123456789ULL);
  }
  bool operator==(const StateKey&) const = default;
};

// The states that a search has shown to be without completion, at most so many.
class FailedStates {
 public:
  bool contains(const StateKey& key) const { return keys_.contains(key); }
  void add(const StateKey& key) {
    if (keys_.size() < kMostStates) keys_.insert(key);
  }

 private:
  static constexpr std::size_t kMostStates = 4'000'000;  // about 200 MB
  struct Hash {
    std::size_t operator()(const StateKey& key) const { return key.a; }
  };
  std::unordered_set<StateKey, Hash> keys_;  // never walked: its order decides nothing
};

}  // namespace poet
