#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/problem/memories.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet {

// A buffer of a schedule that is to get a memory: what is read and written of it while it lives.
struct BufferToPlace {
  TensorId tensor{};
  std::optional<std::int64_t> action = {};  // that takes it; none of a resident
  std::int64_t size_bytes = 0;
  std::int64_t begin = 0;  // it takes room at actions [begin, end), without that of its Drop
  std::int64_t end = 0;
  std::int64_t reads = 0;  // by operations
  std::int64_t writes = 0;
  std::int64_t transfer_reads = 0;  // to storage
  std::int64_t transfer_writes = 0;
};

// At one action two buffers that lie in the same memory count together less so many bytes.
struct SharedBytes {
  std::int64_t action = 0;
  std::int32_t input = 0;  // in BuffersToPlace::buffers
  std::int32_t output = 0;
  std::int64_t size_bytes = 0;
};

// What is to be placed, and where room is asked for.
struct BuffersToPlace {
  std::vector<BufferToPlace> buffers = {};
  std::vector<SharedBytes> shared = {};            // in order of action
  std::vector<std::int64_t> workspace_bytes = {};  // by action, in the RAM
};

// Of a schedule that breaks no rule but limits.
BuffersToPlace buffers_to_place(const Problem& problem, const Schedule& schedule);

// What a buffer costs on top in a memory; the time of transfers counts but in free time.
AccessCost cost_in(const Problem& problem, const BufferToPlace& buffer, MemoryId memory);

}  // namespace poet
