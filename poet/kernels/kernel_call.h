#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/graph/operator_table.h"

namespace poet {

// The call of a kernel, ready to be made many times: its shape struct is built.
struct PreparedCall {
  Kernel kernel = {};
  std::vector<std::uint32_t> shape = {};         // the struct, word by word
  std::vector<std::string> fields = {};          // the names of the words
  std::vector<std::optional<int>> inputs = {};   // as in KernelCall
  std::vector<std::optional<int>> outputs = {};  // without the workspace
  std::int64_t workspace_bytes = 0;
  Division division = {};
};

// Every call of the operator table can be prepared: another one is a bug.
PreparedCall prepared(const KernelCall& call);
// The call of an operation, with its division.
PreparedCall prepared(const OperationTypes& types);

// More than any kernel has.
inline constexpr std::size_t kMostPointers = 16;

// What a kernel is passed, in its own order: of the operation's tensors those that it takes, and
// after the outputs the workspace, where it has one.
struct KernelPointers {
  std::array<const void*, kMostPointers> inputs = {};
  std::array<void*, kMostPointers> outputs = {};
};
KernelPointers pointers_of(const PreparedCall& call, std::span<const void* const> inputs,
                           std::span<void* const> outputs, void* workspace);

// Executes an operation. `inputs` and `outputs` are its tensors in its own order, at addresses that
// are multiples of their elements' size; the workspace, where the call has one, is at a multiple
// of 8.
void run(const PreparedCall& call, std::span<const void* const> inputs,
         std::span<void* const> outputs, void* workspace);
void run(const KernelCall& call, std::span<const void* const> inputs,
         std::span<void* const> outputs, void* workspace);

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
