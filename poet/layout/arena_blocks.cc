#include "poet/layout/arena_blocks.h"

#include <algorithm>
#include <utility>

#include "poet/base/check.h"

namespace poet {
namespace {

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

}  // namespace

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

}  // namespace poet
