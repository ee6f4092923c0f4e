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

}  // namespace poet
