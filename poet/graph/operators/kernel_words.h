#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "poet/graph/operator_table.h"

namespace poet {

// Builds the words of a kernel's shape struct, field after field in the order of the struct.
class KernelWords {
 public:
  // Sizes, counts, flags and choices; at most 32 bits.
  KernelWords& integer(std::string field, std::int64_t value);
  KernelWords& bits(std::string field, std::uint32_t value);
  KernelWords& real(std::string field, float value);
  // A fixed array of kMaxRank integers, of which the last ones that `values` leaves are `rest`.
  KernelWords& array(const std::string& field, const std::vector<std::int64_t>& values,
                     std::int64_t rest);

  std::vector<KernelWord> take() { return std::move(words_); }

 private:
  std::vector<KernelWord> words_ = {};
};

}  // namespace poet
