#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/ids.h"
#include "poet/problem/problem.h"

namespace poet {

// A buffer that an action takes, and where it lies.
struct TakenBuffer {
  TensorId tensor{};
  MemoryId memory = kFastRam;

  bool operator==(const TakenBuffer&) const = default;
};

// What is in use of each memory: buffers that are taken and not freed, each in full, less what two
// of them share while the bytes of one pass to the other.
class UsedMemory {
 public:
  // `fixed_bytes`, by memory, are in use for good.
  UsedMemory(const Problem& problem, std::vector<std::int64_t> fixed_bytes);

  void take(const TakenBuffer& buffer);
  void share(MemoryId memory, std::int64_t size_bytes);  // until the next free()
  void free(TensorId tensor);

  // Of a tensor that has a buffer.
  MemoryId memory_of(TensorId tensor) const { return at(memory_of_, tensor); }
  std::int64_t bytes(MemoryId memory) const;

 private:
  const Problem& problem_;
  std::vector<std::int64_t> held_bytes_;  // by memory
  std::vector<MemoryId> memory_of_;       // by tensor
  MemoryId shared_memory_ = kFastRam;
  std::int64_t shared_bytes_ = 0;
};

}  // namespace poet
