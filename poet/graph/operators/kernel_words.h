#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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

// The integer in a field of a call's shape, and the product of those of an array from one place on:
// field[first] ... field[end - 1].
std::int64_t whole_in(const KernelCall& call, std::string_view field);
std::int64_t product_in(const KernelCall& call, std::string_view field, std::int64_t first,
                        std::int64_t end);

// --- Divisions that several families have

inline constexpr std::int64_t kFloatBytes = 4;

// The shape's "count" says how many values there are, of four bytes, and every array has as many,
// but for the last inputs (a step, a factor of clipped gradients), which all parts read.
template <std::size_t shared = 0>
Division along_values(const KernelCall& call) {
  Division division{.along = "count",
                    .input_steps_bytes = std::vector(call.inputs.size(), kFloatBytes),
                    .output_steps_bytes = std::vector(call.outputs.size(), kFloatBytes)};
  std::fill(division.input_steps_bytes.end() - shared, division.input_steps_bytes.end(), 0);
  return division;
}

}  // namespace poet
