#include "poet/autodiff/order_traffic.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace poet {
namespace {

std::size_t place(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

// Walks through an order, and lets what is needed last leave first.
class Walk {
 public:
  Walk(const StepMemory& memory, const Order& order, std::int64_t ram_bytes)
      : memory_(memory),
        ram_bytes_(ram_bytes),
        used_bytes_(memory.resident_bytes),
        uses_(memory.bytes.size()),
        used_up_(memory.bytes.size(), 0),
        has_copy_(memory.bytes.size(), true) {
    for (std::size_t position = 0; position < order.size(); ++position) {
      const MemoryUse& use = memory.operations[place(order[position])];
      for (const std::int32_t buffer : use.reads)
        uses_[place(buffer)].push_back(static_cast<std::int32_t>(position));
      for (const std::int32_t buffer : use.makes) has_copy_[place(buffer)] = false;
    }
  }

  std::int64_t run(const Order& order) {
    for (const std::int32_t v : order) run(memory_.operations[place(v)]);
    return moved_bytes_;
  }

 private:
  std::size_t uses_left(std::int32_t buffer) const {
    return uses_[place(buffer)].size() - used_up_[place(buffer)];
  }

  // The key among what may leave: when it is needed next, and which it is.
  std::pair<std::int32_t, std::int32_t> key_of(std::int32_t buffer) const {
    return {uses_[place(buffer)][used_up_[place(buffer)]], buffer};
  }

  void run(const MemoryUse& use) {
    for (const std::int32_t buffer : use.reads) {
      if (waiting_.erase(key_of(buffer)) > 0) continue;
      used_bytes_ += memory_.bytes[place(buffer)];
      moved_bytes_ += memory_.bytes[place(buffer)];
    }
    std::int64_t running_bytes = use.workspace_bytes - handed_over(use);
    for (const std::int32_t buffer : use.makes) used_bytes_ += memory_.bytes[place(buffer)];
    running_bytes += used_bytes_;
    while (running_bytes > ram_bytes_ && !waiting_.empty()) running_bytes -= let_leave();
    for (const std::int32_t buffer : use.reads) {
      ++used_up_[place(buffer)];
      keep_or_drop(buffer);
    }
    for (const std::int32_t buffer : use.makes) keep_or_drop(buffer);
  }

  std::int64_t handed_over(const MemoryUse& use) const {
    for (const BufferHandover& handover : use.handovers)
      if (uses_left(handover.read) == 1) return memory_.bytes[place(handover.made)];
    return 0;
  }

  std::int64_t let_leave() {
    const std::int32_t buffer = waiting_.rbegin()->second;
    waiting_.erase(std::prev(waiting_.end()));
    const std::int64_t bytes = memory_.bytes[place(buffer)];
    if (!has_copy_[place(buffer)]) moved_bytes_ += bytes;
    has_copy_[place(buffer)] = true;
    used_bytes_ -= bytes;
    return bytes;
  }

  void keep_or_drop(std::int32_t buffer) {
    if (uses_left(buffer) > 0)
      waiting_.insert(key_of(buffer));
    else
      used_bytes_ -= memory_.bytes[place(buffer)];
  }

  const StepMemory& memory_;
  std::int64_t ram_bytes_ = 0;
  std::int64_t used_bytes_ = 0;
  std::int64_t moved_bytes_ = 0;
  std::vector<std::vector<std::int32_t>> uses_;                   // positions, of each buffer
  std::vector<std::size_t> used_up_;                              // so many of them
  std::vector<bool> has_copy_;                                    // in storage
  std::set<std::pair<std::int32_t, std::int32_t>> waiting_ = {};  // in RAM, not of this operation
};

}  // namespace

std::int64_t paged_bytes(const StepMemory& memory, const Order& order, std::int64_t ram_bytes) {
  return Walk(memory, order, ram_bytes).run(order);
}

}  // namespace poet
