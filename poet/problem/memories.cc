// Several memories that operations reach by address (docs/model/memories.md §1).
#include "poet/problem/memories.h"

#include <algorithm>

namespace poet {
namespace {

const FurtherMemory& further(const Problem& problem, MemoryId memory) {
  return problem.further_memories[static_cast<std::size_t>(index_of(memory) - 1)];
}

}  // namespace

std::int32_t memory_count(const Problem& problem) {
  return static_cast<std::int32_t>(problem.further_memories.size()) + 1;
}

std::int64_t memory_bytes(const Problem& problem, MemoryId memory) {
  return memory == kFastRam ? problem.ram_budget_bytes : further(problem, memory).size_bytes;
}

std::int64_t bytes_of_all_memories(const Problem& problem) {
  std::int64_t bytes = problem.ram_budget_bytes;
  for (const FurtherMemory& memory : problem.further_memories) bytes += memory.size_bytes;
  return bytes;
}

WorkingSet largest_need_of_ram(const Problem& problem) {
  if (problem.further_memories.empty()) return largest_working_set(problem);
  std::int64_t largest_bytes = 0;
  for (const FurtherMemory& memory : problem.further_memories)
    largest_bytes = std::max(largest_bytes, memory.size_bytes);
  Problem elsewhere = problem;
  elsewhere.further_memories.clear();
  for (Tensor& tensor : elsewhere.tensors)
    if (tensor.size_bytes <= largest_bytes) tensor.size_bytes = 0;
  return largest_working_set(elsewhere);
}

bool operations_fit(const Problem& problem) {
  return largest_need_of_ram(problem).bytes <= problem.ram_budget_bytes &&
         largest_working_set(problem).bytes <= bytes_of_all_memories(problem);
}

AccessCost read_cost(const Problem& problem, MemoryId memory, std::int64_t size_bytes) {
  if (memory == kFastRam) return {};
  const FurtherMemory& read = further(problem, memory);
  const auto bytes = static_cast<double>(size_bytes);
  return {.time_s = bytes * read.read_s_per_byte, .energy_j = bytes * read.read_j_per_byte};
}

AccessCost write_cost(const Problem& problem, MemoryId memory, std::int64_t size_bytes) {
  if (memory == kFastRam) return {};
  const FurtherMemory& written = further(problem, memory);
  const auto bytes = static_cast<double>(size_bytes);
  return {.time_s = bytes * written.write_s_per_byte, .energy_j = bytes * written.write_j_per_byte};
}

BufferPlaces::BufferPlaces(const Schedule& schedule) {
  for (const PlacedBuffer& placed : schedule.placed)
    places_.emplace(Key{placed.action, placed.tensor}, placed.memory);
}

MemoryId BufferPlaces::of(TensorId tensor, std::optional<std::int64_t> action) const {
  const auto found = places_.find({action, tensor});
  return found == places_.end() ? kFastRam : found->second;
}

}  // namespace poet
