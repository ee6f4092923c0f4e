#include <fmt/core.h>

#include <algorithm>

#include "poet/base/checked_math.h"
#include "poet/layout/arena_blocks.h"
#include "poet/layout/layout.h"
#include "poet/layout/pack.h"
#include "poet/problem/memories.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

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
