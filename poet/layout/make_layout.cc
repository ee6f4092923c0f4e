#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "poet/base/check.h"
#include "poet/base/checked_math.h"
#include "poet/layout/layout.h"
#include "poet/layout/pack.h"
#include "poet/layout/packing.h"
#include "poet/plan/plan.h"
#include "poet/problem/memories.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// What a plan asks of the arena of one memory, as blocks to pack, in the time of its actions.
struct ArenaBlocks {
  std::vector<PackBlock> blocks = {};
  // By index in Plan::buffers; set where it lies in this memory.
  std::vector<std::optional<std::int64_t>> block_of_buffer = {};
  std::vector<std::optional<std::int64_t>> block_of_action = {};  // set where it has a workspace
  // Blocks of residents: over the whole time, and first in `blocks`, in order of tensor id.
  std::int64_t residents = 0;
};

// What a plan asks of storage.
struct SlotBlocks {
  std::vector<PackBlock> blocks = {};
  std::vector<std::optional<std::int64_t>> block_of_tensor = {};
  std::int64_t permanent = 0;  // blocks of homes: first in `blocks`, in order of tensor id
};

std::int64_t action_count(const Plan& plan) {
  return static_cast<std::int64_t>(plan.schedule.actions.size());
}

PackBlock one_piece(std::int64_t lower, std::int64_t upper, std::int64_t size) {
  return {.pieces = {{.lower = lower, .upper = upper, .size = size}}};
}

// A buffer takes over the first bytes of another, which may be larger: while both are taken the
// larger counts, and from the other's end on the smaller.
void take_over(PackBlock& block, const PlanBuffer& buffer) {
  const std::int64_t free_from = block.pieces.back().upper;
  POET_CHECK(buffer.size_bytes <= block.pieces.back().size && buffer.begin_action <= free_from);
  if (buffer.end_action > free_from)
    block.pieces.push_back(
        {.lower = free_from, .upper = buffer.end_action, .size = buffer.size_bytes});
}

bool is_resident(const Plan& plan, const PlanBuffer& buffer) {
  const std::vector<TensorId>& chosen = plan.schedule.resident;
  return at(plan.problem.tensors, buffer.tensor).home == Home::Resident ||
         std::find(chosen.begin(), chosen.end(), buffer.tensor) != chosen.end();
}

// Buffers that share nothing, residents first, in order of tensor id.
std::vector<std::int64_t> owners(const Plan& plan, const std::vector<PlanBuffer>& buffers,
                                 MemoryId memory, ArenaBlocks& arena) {
  std::vector<std::pair<std::int32_t, std::int64_t>> residents;
  std::vector<std::int64_t> others;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].shares || buffers[i].memory != memory) continue;
    const auto index = static_cast<std::int64_t>(i);
    if (is_resident(plan, buffers[i]))
      residents.emplace_back(index_of(buffers[i].tensor), index);
    else
      others.push_back(index);
  }
  std::sort(residents.begin(), residents.end());
  arena.residents = static_cast<std::int64_t>(residents.size());
  std::vector<std::int64_t> all;
  for (const auto& [tensor, index] : residents) all.push_back(index);
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

void add_workspaces(const Plan& plan, ArenaBlocks& arena) {
  const std::vector<Action>& actions = plan.schedule.actions;
  arena.block_of_action.resize(actions.size());
  for (std::size_t a = 0; a < actions.size(); ++a) {
    const Compute* const compute = std::get_if<Compute>(&actions[a]);
    if (compute == nullptr) continue;
    const std::int64_t bytes = at(plan.problem.operations, compute->operation).workspace_bytes;
    if (bytes == 0) continue;
    const auto action = static_cast<std::int64_t>(a);
    arena.block_of_action[a] = static_cast<std::int64_t>(arena.blocks.size());
    arena.blocks.push_back(one_piece(action, action + 1, bytes));
  }
}

// `buffers`: arena_buffers() of the plan.
ArenaBlocks arena_blocks(const Plan& plan, const std::vector<PlanBuffer>& buffers,
                         MemoryId memory) {
  ArenaBlocks arena;
  arena.block_of_buffer.resize(buffers.size());
  for (const std::int64_t i : owners(plan, buffers, memory, arena)) {
    const PlanBuffer& buffer = buffers[static_cast<std::size_t>(i)];
    arena.block_of_buffer[static_cast<std::size_t>(i)] =
        static_cast<std::int64_t>(arena.blocks.size());
    arena.blocks.push_back(one_piece(buffer.begin_action, buffer.end_action, buffer.size_bytes));
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i].shares || buffers[i].memory != memory) continue;
    POET_CHECK(*buffers[i].shares < static_cast<std::int64_t>(i));
    const std::int64_t block =
        arena.block_of_buffer[static_cast<std::size_t>(*buffers[i].shares)].value();
    arena.block_of_buffer[i] = block;
    take_over(arena.blocks[static_cast<std::size_t>(block)], buffers[i]);
  }
  if (memory == kFastRam) add_workspaces(plan, arena);
  return arena;
}

SlotBlocks slot_blocks(const Plan& plan) {
  SlotBlocks slots;
  const std::vector<Tensor>& tensors = plan.problem.tensors;
  slots.block_of_tensor.resize(tensors.size());
  const auto give = [&](std::size_t tensor, PackBlock block) {
    slots.block_of_tensor[tensor] = static_cast<std::int64_t>(slots.blocks.size());
    slots.blocks.push_back(std::move(block));
  };
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].home == Home::Storage && !tensors[i].view_of)
      give(i, one_piece(0, action_count(plan), tensors[i].size_bytes));
  slots.permanent = static_cast<std::int64_t>(slots.blocks.size());
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].updates)
      slots.block_of_tensor[i] = at(slots.block_of_tensor, *tensors[i].updates);

  for (std::int64_t a = 0; a < action_count(plan); ++a) {
    const Action& action = plan.schedule.actions[static_cast<std::size_t>(a)];
    if (const PageOut* out = std::get_if<PageOut>(&action)) {
      const auto tensor = static_cast<std::size_t>(index_of(out->tensor));
      if (!slots.block_of_tensor[tensor])
        give(tensor, one_piece(a, a + 1, tensors[tensor].size_bytes));
    }
    const PageIn* const in = std::get_if<PageIn>(&action);
    const PageOut* const out = std::get_if<PageOut>(&action);
    if (in == nullptr && out == nullptr) continue;
    const std::optional<std::int64_t> block =
        at(slots.block_of_tensor, in != nullptr ? in->tensor : out->tensor);
    if (block && *block >= slots.permanent)
      slots.blocks[static_cast<std::size_t>(*block)].pieces.back().upper = a + 1;
  }
  return slots;
}

// Largest sum of sizes, rounded up, that offsets are computed with.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;

bool sizes_fit(const std::vector<PackBlock>& blocks, std::int64_t alignment) {
  std::int64_t sum = 0;
  for (const PackBlock& block : blocks) {
    const std::optional<std::int64_t> rounded =
        checked_add(block.pieces.front().size, alignment - 1);
    const std::optional<std::int64_t> more = rounded ? checked_add(sum, *rounded) : rounded;
    if (!more || *more > kMostBytes) return false;
    sum = *more;
  }
  return true;
}

Failure refusal(const Plan& plan, const LayoutOptions& options) {
  const std::int64_t alignment = options.alignment_bytes;
  if (alignment < 1 || (alignment & (alignment - 1)) != 0)
    return bad_input(fmt::format("an alignment is a power of two, found {}", alignment));
  const Replay replayed = replay(plan.problem, plan.schedule);
  if (!breaks_only_limits(replayed))
    return bad_input(
        fmt::format("the plan cannot be laid out because its schedule breaks a rule: {}",
                    replayed.findings.front().message));
  if (plan.buffers != buffers_of(plan.problem, plan.schedule))
    return bad_input(
        "the plan cannot be laid out because its buffers are not those of its schedule");
  return std::nullopt;
}

std::int64_t rounded_up(std::int64_t size, std::int64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

// The first `fixed` blocks live all the time: they are stacked from the bottom in their order, and
// the others packed above them. That loses nothing: any layout can be rearranged so.
PackReport pack_above(const std::vector<PackBlock>& blocks, std::int64_t fixed,
                      const LayoutOptions& options) {
  std::vector<std::int64_t> offsets;
  std::int64_t base = 0;
  for (std::int64_t b = 0; b < fixed; ++b) {
    offsets.push_back(base);
    base += rounded_up(blocks[static_cast<std::size_t>(b)].pieces.front().size,
                       options.alignment_bytes);
  }
  PackOptions pack_options = {
      .alignment = options.alignment_bytes, .max_nodes = options.max_nodes, .stop = options.stop};
  if (options.progress)
    pack_options.progress = [&options, base](PackProgress progress) {
      progress.height += base;
      progress.lower_bound += base;
      options.progress(progress);
    };
  if (options.capacity_bytes)
    pack_options.capacity = std::max<std::int64_t>(*options.capacity_bytes - base, 0);
  PackReport report = pack({blocks.begin() + fixed, blocks.end()}, pack_options);
  for (const std::int64_t offset : report.packing.offsets) offsets.push_back(base + offset);
  report.packing.offsets = std::move(offsets);
  report.packing.height += base;
  report.lower_bound += base;
  return report;
}

void place_buffers_of(const ArenaBlocks& arena, const PackReport& packed, Layout& layout) {
  for (std::size_t b = 0; b < arena.block_of_buffer.size(); ++b)
    if (const std::optional<std::int64_t>& block = arena.block_of_buffer[b])
      layout.buffer_offset_bytes[b] = packed.packing.offsets[static_cast<std::size_t>(*block)];
}

void lay_out_arena(const Plan& plan, const LayoutOptions& options, const ArenaBlocks& arena,
                   Layout& layout) {
  const PackReport packed = pack_above(arena.blocks, arena.residents, options);
  const auto offset = [&](std::int64_t block) {
    return packed.packing.offsets[static_cast<std::size_t>(block)];
  };
  place_buffers_of(arena, packed, layout);
  layout.workspace_offset_bytes.resize(plan.schedule.actions.size());
  for (std::size_t a = 0; a < arena.block_of_action.size(); ++a)
    if (arena.block_of_action[a])
      layout.workspace_offset_bytes[a] = offset(*arena.block_of_action[a]);
  layout.arena_bytes = packed.packing.height;
  layout.arena_lower_bound_bytes = packed.lower_bound;
  layout.arena_proved = packed.proved();
}

// The one after those that are laid out already. No lower than its memory is large.
void lay_out_further(const Plan& plan, const LayoutOptions& options, const ArenaBlocks& arena,
                     Layout& layout) {
  LayoutOptions of_memory = options;
  of_memory.capacity_bytes = memory_bytes(
      plan.problem, MemoryId{static_cast<std::int32_t>(layout.further_arenas.size()) + 1});
  of_memory.progress = {};
  const PackReport packed = pack_above(arena.blocks, arena.residents, of_memory);
  place_buffers_of(arena, packed, layout);
  layout.further_arenas.push_back({.size_bytes = packed.packing.height,
                                   .lower_bound_bytes = packed.lower_bound,
                                   .proved = packed.proved()});
}

void lay_out_storage(const LayoutOptions& options, const SlotBlocks& slots, Layout& layout) {
  LayoutOptions storage_options = options;
  storage_options.capacity_bytes.reset();
  storage_options.progress = {};
  const PackReport packed = pack_above(slots.blocks, slots.permanent, storage_options);
  layout.slot_offset_bytes.resize(slots.block_of_tensor.size());
  for (std::size_t i = 0; i < slots.block_of_tensor.size(); ++i)
    if (slots.block_of_tensor[i])
      layout.slot_offset_bytes[i] =
          packed.packing.offsets[static_cast<std::size_t>(*slots.block_of_tensor[i])];
  layout.storage_bytes = packed.packing.height;
}

}  // namespace

Result<Layout> make_layout(const Plan& plan, const LayoutOptions& options) {
  if (Failure refused = refusal(plan, options)) return *refused;
  const std::vector<PlanBuffer> buffers = arena_buffers(plan);
  std::vector<ArenaBlocks> arenas;
  for (std::int32_t m = 0; m < memory_count(plan.problem); ++m)
    arenas.push_back(arena_blocks(plan, buffers, MemoryId{m}));
  const SlotBlocks slots = slot_blocks(plan);
  const auto too_large = [&](const ArenaBlocks& arena) {
    return !sizes_fit(arena.blocks, options.alignment_bytes);
  };
  if (std::any_of(arenas.begin(), arenas.end(), too_large) ||
      !sizes_fit(slots.blocks, options.alignment_bytes))
    return bad_input(
        fmt::format("the sizes of the plan's buffers, each rounded up to {} bytes, do "
                    "not add up to a number of 62 bits",
                    options.alignment_bytes));
  Layout layout;
  layout.alignment_bytes = options.alignment_bytes;
  layout.buffer_offset_bytes.resize(buffers.size());
  lay_out_arena(plan, options, arenas[0], layout);
  for (std::size_t m = 1; m < arenas.size(); ++m) lay_out_further(plan, options, arenas[m], layout);
  lay_out_storage(options, slots, layout);
  return layout;
}

}  // namespace poet
