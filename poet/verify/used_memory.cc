// What is in use of each memory (docs/model/problem.md §2.2, docs/model/memories.md §2.2).
#include "poet/verify/used_memory.h"

#include <utility>

namespace poet {

UsedMemory::UsedMemory(const Problem& problem, std::vector<std::int64_t> fixed_bytes)
    : problem_(problem),
      held_bytes_(std::move(fixed_bytes)),
      memory_of_(problem.tensors.size(), kFastRam) {}

void UsedMemory::take(const TakenBuffer& buffer) {
  at(memory_of_, buffer.tensor) = buffer.memory;
  at(held_bytes_, buffer.memory) += at(problem_.tensors, buffer.tensor).size_bytes;
}

void UsedMemory::share(MemoryId memory, std::int64_t size_bytes) {
  shared_memory_ = memory;
  shared_bytes_ = size_bytes;
}

// The only one that can find something shared is that of the in-place input.
void UsedMemory::free(TensorId tensor) {
  at(held_bytes_, memory_of(tensor)) -= at(problem_.tensors, tensor).size_bytes;
  shared_bytes_ = 0;
}

std::int64_t UsedMemory::bytes(MemoryId memory) const {
  return at(held_bytes_, memory) - (memory == shared_memory_ ? shared_bytes_ : 0);
}

}  // namespace poet
