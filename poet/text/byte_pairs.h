#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// Two neighbours that become one token.
struct Merge {
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::int32_t made = 0;

  bool operator==(const Merge&) const = default;
};

// A vocabulary of byte pair encoding over bytes.
struct BytePairs {
  // Bytes of every token that is made of bytes, and back.
  std::unordered_map<std::string, std::int32_t> tokens = {};
  std::vector<std::int32_t> of_byte = {};  // 256
  struct Rank {
    std::int32_t rank = 0;
    std::int32_t made = 0;
  };
  std::unordered_map<std::uint64_t, Rank> merges = {};
  bool takes_whole_words = false;  // a word that is a token is that token, whatever the merges say

  // Merges in their order; the last of two of the same pair counts.
  void add_merges(const std::vector<Merge>& list);

  // The tokens of a word: of all neighbours that can be merged, those of the lowest rank become
  // one, the first of equal ones, until none can. Takes n log n steps for n bytes.
  void encode(std::string_view word, std::vector<std::int32_t>& into) const;
};

}  // namespace poet
