#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "poet/base/ids.h"
#include "poet/problem/facts.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet {

// The memories of a problem (docs/model/memories.md §1.1): the RAM of its budget, and the further
// ones behind it.

// 1 where there is only the RAM.
std::int32_t memory_count(const Problem& problem);

std::int64_t memory_bytes(const Problem& problem, MemoryId memory);

// All of them together.
std::int64_t bytes_of_all_memories(const Problem& problem);

// The operation that needs most of the RAM by itself, whatever lies in further memories: its
// workspace, and what none of them has room for (docs/model/memories.md §4.3). The largest working
// set where there is only the RAM.
WorkingSet largest_need_of_ram(const Problem& problem);

// Whether no operation needs more by itself than there is, of the RAM and of all memories together.
bool operations_fit(const Problem& problem);

// What is paid on top for bytes that are read or written in a memory: nothing in the RAM.
struct AccessCost {
  double time_s = 0;
  double energy_j = 0;

  AccessCost& operator+=(const AccessCost& more) {
    time_s += more.time_s;
    energy_j += more.energy_j;
    return *this;
  }
  bool operator==(const AccessCost&) const = default;
};
AccessCost read_cost(const Problem& problem, MemoryId memory, std::int64_t size_bytes);
AccessCost write_cost(const Problem& problem, MemoryId memory, std::int64_t size_bytes);

// Where the buffers of a schedule lie, looked up.
class BufferPlaces {
 public:
  explicit BufferPlaces(const Schedule& schedule);

  // Of the buffer that an action takes; without one, of a resident.
  MemoryId of(TensorId tensor, std::optional<std::int64_t> action) const;

 private:
  using Key = std::pair<std::optional<std::int64_t>, TensorId>;  // of what is resident: no action
  std::map<Key, MemoryId> places_;
};

}  // namespace poet
