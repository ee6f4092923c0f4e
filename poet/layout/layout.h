#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/layout/pack.h"
#include "poet/plan/plan.h"

namespace poet {

// One of the memories beside the RAM, as an arena of its own (Layout::further_arenas).
struct FurtherArena {
  std::int64_t size_bytes = 0;         // highest end of any buffer that lies there, rounded up
  std::int64_t lower_bound_bytes = 0;  // no layout of this plan can be smaller there
  bool proved = false;                 // size_bytes cannot be lowered

  bool operator==(const FurtherArena&) const = default;
};

// An address for every buffer of a plan in the arena of its memory, and a slot in storage for every
// tensor that lies there.
//
//   address
//      |  +-----+        +--+
//      |  |  b  |  +-----+w2|      a buffer is taken from its begin_action until its end; the
//      |  +--+--+--+  d  +--+      workspace of an action lives for that action alone
//      |  |  c  |  |     |
//      |  +-----+--+-----+---
//      |  |  resident        |     residents lie lowest, in order of tensor id
//      +--+------------------+--> action
//
// Each further memory has such an arena, without workspaces: those are in the RAM.
//
// A buffer that shares another's bytes lies at its offset; when it is smaller, the rest is free
// from the end of the other on.
struct Layout {
  std::int64_t alignment_bytes = 1;  // of every offset, and of arena_bytes and storage_bytes
  std::int64_t arena_bytes = 0;      // highest end of any buffer or workspace, rounded up
  // Of memories 1, 2, ...: none where there is only the RAM.
  std::vector<FurtherArena> further_arenas = {};
  // By index in Plan::buffers; in the arena of the buffer's memory.
  std::vector<std::int64_t> buffer_offset_bytes = {};
  std::vector<std::optional<std::int64_t>> workspace_offset_bytes = {};  // by action
  std::int64_t storage_bytes = 0;  // highest end of any slot, rounded up
  // By tensor; none: never in storage. A new value lies in the slot of the value that it replaces.
  // Homes in storage have a slot for good, lowest, in order of tensor id. A Made tensor that is
  // written has one from its first PageOut to its last PageIn, which others may use before and
  // after: transfers reach storage in the order in which they are issued.
  std::vector<std::optional<std::int64_t>> slot_offset_bytes = {};
  std::int64_t arena_lower_bound_bytes = 0;  // no layout of this plan can be smaller
  bool arena_proved = false;                 // arena_bytes cannot be lowered

  bool operator==(const Layout&) const = default;
};

struct LayoutOptions {
  std::int64_t alignment_bytes = 1;                 // a power of two
  std::optional<std::int64_t> capacity_bytes = {};  // go no lower; default: as low as it can
  std::int64_t max_nodes = 2'000'000;               // of the exact search: effort
  Stop stop = {};
  std::function<void(const PackProgress&)> progress = {};  // of the arena; may be empty
};

// The buffers of a plan as the arena sees them. In overlapped time a buffer that is dropped while a
// transfer touches it stays taken: its end is the first action at which the processor arrives, by
// the plan's times, when that transfer has ended. Who runs the plan must wait, before action a,
// for the transfers of every buffer that has ended at `a` or before.
std::vector<PlanBuffer> arena_buffers(const Plan& plan);

// A layout as low as it is found; whether it fits into a budget is the caller's to compare.
// Refuses an alignment that is not a power of two, a schedule that breaks other rules than
// limits, and sizes whose sum does not fit into 62 bits once they are rounded up.
Result<Layout> make_layout(const Plan& plan, const LayoutOptions& options);

// Nothing when the layout is one of this plan: otherwise the first rule that it breaks, naming
// buffers, actions or tensors. Shares no code with make_layout(): walks the schedule and looks at
// every pair of what is taken at the same time.
Failure check_layout(const Plan& plan, const Layout& layout);

}  // namespace poet
