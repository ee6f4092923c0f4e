#pragma once

#include <cstdint>
#include <vector>

#include "poet/kernels/kernel_call.h"

namespace poet {

// A part of a kernel's call that can be made beside the other parts: the same function with a shape
// of its own, and its place in every array that the call is passed.
struct CallPart {
  std::vector<std::uint32_t> shape = {};
  std::vector<std::int64_t> input_offsets_bytes = {};   // in the kernel's order
  std::vector<std::int64_t> output_offsets_bytes = {};  // without the workspace

  bool operator==(const CallPart&) const = default;
};

// Below this, waking a thread takes longer than the work.
inline constexpr std::int64_t kLeastPartBytes = std::int64_t{16} << 10;

// `call` as at most `most_parts` parts (>= 1) of nearly the same size, along a dimension over which
// nothing is summed. Together they do what the call does, to the last bit, in any order and at the
// same time (Division). One part when the operator says of none, or the work is too little to
// divide: parts that work on fewer bytes are not worth making.
std::vector<CallPart> divided(const PreparedCall& call, int most_parts,
                              std::int64_t least_part_bytes = kLeastPartBytes);

}  // namespace poet
