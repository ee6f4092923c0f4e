#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/layout/packing.h"
#include "poet/plan/plan.h"

namespace poet {

// What a plan asks of the arena of one memory, as blocks to pack, in the time of its actions.
struct ArenaBlocks {
  std::vector<PackBlock> blocks = {};
  // By index in Plan::buffers; set where it lies in this memory.
  std::vector<std::optional<std::int64_t>> block_of_buffer = {};
  std::vector<std::optional<std::int64_t>> block_of_action = {};  // set where it has a workspace
  // Blocks of residents: over the whole time, and first in `blocks`, in order of tensor id.
  std::int64_t residents = 0;
};

// `buffers`: arena_buffers() of the plan.
ArenaBlocks arena_blocks(const Plan& plan, const std::vector<PlanBuffer>& buffers, MemoryId memory);

// What a plan asks of storage.
struct SlotBlocks {
  std::vector<PackBlock> blocks = {};
  std::vector<std::optional<std::int64_t>> block_of_tensor = {};
  std::int64_t permanent = 0;  // blocks of homes: first in `blocks`, in order of tensor id
};

SlotBlocks slot_blocks(const Plan& plan);

}  // namespace poet
