#pragma once

#include <cstdint>
#include <vector>

#include "poet/autodiff/training_graph.h"

namespace poet {

// Which input's buffer an output may take over, by places in StepMemory::bytes.
struct BufferHandover {
  std::int32_t read = 0;
  std::int32_t made = 0;

  bool operator==(const BufferHandover&) const = default;
};

// What an operation does with RAM. Views read their root and make nothing.
struct MemoryUse {
  std::vector<std::int32_t> reads = {};  // each at most once
  std::vector<std::int32_t> makes = {};
  std::int64_t workspace_bytes = 0;
  std::vector<BufferHandover> handovers = {};  // of equal size; one at most is taken
  // Behind the operation before it, with nothing between them: both update the same parameter or
  // its states.
  bool follows = false;

  bool operator==(const MemoryUse&) const = default;
};

// A training step as far as RAM goes: numbers only, so that many orders can be compared quickly.
// A buffer is a tensor that is no view; those that take no room, or always the same, are left out.
struct StepMemory {
  std::vector<MemoryUse> operations = {};
  std::vector<std::int64_t> bytes = {};  // of each buffer; 0 for tensors that are none
  std::int64_t resident_bytes = 0;
  // For each operation those that must come before it: they make what it reads, or read what it
  // replaces.
  std::vector<std::vector<std::int32_t>> before = {};
};
StepMemory step_memory(const TrainingGraph& step);

// Operations by their places in the graph.
using Order = std::vector<std::int32_t>;

// RAM in use while each operation of an order runs, by position, when nothing is executed twice or
// paged out: what lies in storage comes in at its first use, and everything leaves after its last,
// or is taken over when it dies with an operation that may work in place.
std::vector<std::int64_t> bytes_in_use(const StepMemory& memory, const Order& order);

}  // namespace poet
