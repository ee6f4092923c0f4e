#include "poet/lower/planned_places.h"

#include <algorithm>

namespace poet {
namespace {

std::optional<BytePlace> place(AddressSpace space, const std::optional<std::int64_t>& offset_bytes,
                               std::int64_t size_bytes) {
  if (!offset_bytes) return std::nullopt;
  return BytePlace{space, *offset_bytes, size_bytes};
}

}  // namespace

PlannedPlaces::PlannedPlaces(const Graph& graph, const Plan& plan, const Layout& layout)
    : graph_(graph), plan_(plan), layout_(layout), buffers_(graph.tensors.size()) {
  for (std::size_t b = 0; b < plan.buffers.size(); ++b)
    at(buffers_, plan.buffers[b].tensor).push_back(b);
}

std::int64_t PlannedPlaces::true_bytes(TensorId tensor) const {
  return size_bytes(at(graph_.tensors, tensor).type);
}

std::int64_t PlannedPlaces::moved_bytes(TensorId tensor, std::int64_t block_bytes) const {
  const std::int64_t value_bytes = true_bytes(tensor);
  const std::int64_t rest_bytes = value_bytes % block_bytes;
  const std::int64_t whole_bytes = value_bytes + (rest_bytes == 0 ? 0 : block_bytes - rest_bytes);
  const bool has_room = whole_bytes <= at(plan_.problem.tensors, tensor).size_bytes;
  return has_room ? whole_bytes : value_bytes;
}

bool PlannedPlaces::is_resident(TensorId tensor) const {
  const std::vector<TensorId>& chosen = plan_.schedule.resident;
  return at(plan_.problem.tensors, tensor).home == Home::Resident ||
         std::find(chosen.begin(), chosen.end(), tensor) != chosen.end();
}

std::optional<BytePlace> PlannedPlaces::in_arena(TensorId root, std::int64_t action,
                                                 std::int64_t size_bytes) const {
  for (const std::size_t b : at(buffers_, root)) {
    const PlanBuffer& buffer = plan_.buffers[b];
    if (buffer.begin_action <= action && action < buffer.end_action)
      return BytePlace{AddressSpace::Arena, layout_.buffer_offset_bytes[b], size_bytes,
                       buffer.memory};
  }
  return std::nullopt;
}

std::optional<BytePlace> PlannedPlaces::in_storage(TensorId tensor, std::int64_t size_bytes) const {
  return place(AddressSpace::Storage, at(layout_.slot_offset_bytes, tensor), size_bytes);
}

std::optional<BytePlace> PlannedPlaces::at_home(TensorId tensor) const {
  if (!is_resident(tensor)) return in_storage(tensor, true_bytes(tensor));
  const std::vector<std::size_t>& buffers = at(buffers_, tensor);
  if (buffers.empty()) return std::nullopt;
  return BytePlace{AddressSpace::Arena, layout_.buffer_offset_bytes[buffers.front()],
                   true_bytes(tensor), plan_.buffers[buffers.front()].memory};
}

std::optional<BytePlace> PlannedPlaces::workspace(std::int64_t action,
                                                  std::int64_t size_bytes) const {
  return place(AddressSpace::Arena,
               layout_.workspace_offset_bytes[static_cast<std::size_t>(action)], size_bytes);
}

}  // namespace poet
