#include "poet/lower/share_homes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "poet/problem/memories.h"

namespace poet {
namespace {

// Where a tensor that outlives a form is in all of them.
struct SharedHome {
  TensorType type = {};
  bool resident = false;
  MemoryId memory = kFastRam;  // of a resident
  std::int64_t size_bytes = 0;
  std::int64_t offset_bytes = 0;  // in the arena of that memory, or in the store
};

// Tensors of one form that lie somewhere from before it to after it.
struct FormHome {
  TensorId tensor{};
  bool resident = false;
  bool input = false;
  MemoryId memory = kFastRam;  // of a resident
};

MemoryId memory_of(const RunnableStep& form, TensorId resident) {
  for (const PlanBuffer& buffer : form.plan.buffers)
    if (buffer.tensor == resident) return buffer.memory;
  return kFastRam;  // of no bytes
}

std::vector<FormHome> homes_of(const RunnableStep& form) {
  const std::vector<TensorId>& chosen = form.plan.schedule.resident;
  std::vector<FormHome> homes;
  for (std::size_t i = 0; i < form.graph.tensors.size(); ++i) {
    const auto id = static_cast<TensorId>(i);
    const GraphTensor& tensor = form.graph.tensors[i];
    if (tensor.home != Home::Storage && tensor.home != Home::Resident) continue;
    const bool resident = tensor.home == Home::Resident ||
                          std::find(chosen.begin(), chosen.end(), id) != chosen.end();
    homes.push_back({id, resident, tensor.role == TensorRole::Input,
                     resident ? memory_of(form, id) : kFastRam});
  }
  return homes;
}

class Sharing {
 public:
  explicit Sharing(std::int64_t alignment_bytes) : alignment_bytes_(alignment_bytes) {}

  Failure add(const RunnableStep& form) {
    if (form.layout.alignment_bytes != alignment_bytes_)
      return bad_input(fmt::format("one form of the step is aligned to {} bytes, and another to {}",
                                   alignment_bytes_, form.layout.alignment_bytes));
    for (const FormHome& home : homes_of(form)) {
      if (home.input) continue;
      if (Failure failure = add(form, home)) return failure;
    }
    return std::nullopt;
  }

  void line_up(RunnableStep& form) const {
    line_up_storage(form);
    for (std::int32_t m = 0; m < memory_count(form.plan.problem); ++m)
      line_up_arena(form, MemoryId{m});
  }

 private:
  std::int64_t rounded(std::int64_t size_bytes) const {
    return (size_bytes + alignment_bytes_ - 1) & -alignment_bytes_;
  }

  static std::int64_t planned_bytes(const RunnableStep& form, TensorId tensor) {
    return at(form.plan.problem.tensors, tensor).size_bytes;
  }

  Failure add(const RunnableStep& form, const FormHome& home) {
    const GraphTensor& tensor = at(form.graph.tensors, home.tensor);
    SharedHome fresh{tensor.type, home.resident, home.memory,
                     rounded(planned_bytes(form, home.tensor)), 0};
    const auto [place, is_new] = homes_.insert({tensor.name, fresh});
    SharedHome& shared = place->second;
    if (!is_new && shared.type != fresh.type)
      return bad_input(fmt::format("{} is {} in one form of the step and {} in another",
                                   tensor.name, to_text(shared.type), to_text(fresh.type)));
    if (!is_new && shared.resident != fresh.resident)
      return bad_input(fmt::format(
          "{} is resident in one form of the step and in storage in another", tensor.name));
    if (!is_new && shared.memory != fresh.memory)
      return bad_input(
          fmt::format("{} is in memory {} in one form of the step and in memory {} in "
                      "another",
                      tensor.name, index_of(shared.memory), index_of(fresh.memory)));
    if (!is_new) return std::nullopt;
    std::int64_t& end_bytes = home.resident ? arena_bytes_[home.memory] : storage_bytes_;
    shared.offset_bytes = end_bytes;
    end_bytes += shared.size_bytes;
    return std::nullopt;
  }

  const SharedHome& shared(const RunnableStep& form, TensorId tensor) const {
    return homes_.at(at(form.graph.tensors, tensor).name);
  }

  // How far the rest moves up: its layout has it above all homes, of which it had `before_bytes`.
  static std::int64_t shift_bytes(std::int64_t lowest_bytes, std::int64_t before_bytes,
                                  std::int64_t now_bytes) {
    return lowest_bytes < before_bytes ? now_bytes : now_bytes - before_bytes;
  }

  void line_up_storage(RunnableStep& form) const {
    Layout& layout = form.layout;
    std::vector<std::optional<std::int64_t>> places(form.graph.tensors.size());
    std::int64_t before_bytes = 0;
    std::int64_t now_bytes = storage_bytes_;
    for (const FormHome& home : homes_of(form)) {
      if (at(form.graph.tensors, home.tensor).home != Home::Storage) continue;
      const std::int64_t slot = at(layout.slot_offset_bytes, home.tensor).value();
      const std::int64_t size_bytes = rounded(planned_bytes(form, home.tensor));
      before_bytes = std::max(before_bytes, slot + size_bytes);
      if (home.input || home.resident) {
        at(places, home.tensor) = now_bytes;
        now_bytes += size_bytes;
      } else {
        at(places, home.tensor) = shared(form, home.tensor).offset_bytes;
      }
    }
    place_new_values(form, places);

    std::int64_t lowest_bytes = layout.storage_bytes;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (!places[i] && layout.slot_offset_bytes[i])
        lowest_bytes = std::min(lowest_bytes, *layout.slot_offset_bytes[i]);
    const std::int64_t shift = shift_bytes(lowest_bytes, before_bytes, now_bytes);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::optional<std::int64_t>& slot = layout.slot_offset_bytes[i];
      if (slot) slot = places[i].value_or(*slot + shift);
    }
    layout.storage_bytes = std::max(now_bytes, layout.storage_bytes + shift);
  }

  // Where the old ones are.
  static void place_new_values(const RunnableStep& form,
                               std::vector<std::optional<std::int64_t>>& places) {
    const std::vector<Tensor>& tensors = form.plan.problem.tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i].updates) places[i] = at(places, *tensors[i].updates);
  }

  std::int64_t shared_bytes(MemoryId memory) const {
    const auto found = arena_bytes_.find(memory);
    return found == arena_bytes_.end() ? 0 : found->second;
  }

  static std::int64_t& arena_bytes(Layout& layout, MemoryId memory) {
    if (memory == kFastRam) return layout.arena_bytes;
    return layout.further_arenas[static_cast<std::size_t>(index_of(memory)) - 1].size_bytes;
  }
  static std::int64_t& lower_bound_bytes(Layout& layout, MemoryId memory) {
    if (memory == kFastRam) return layout.arena_lower_bound_bytes;
    return layout.further_arenas[static_cast<std::size_t>(index_of(memory)) - 1].lower_bound_bytes;
  }

  void line_up_arena(RunnableStep& form, MemoryId memory) const {
    Layout& layout = form.layout;
    const std::vector<PlanBuffer>& buffers = form.plan.buffers;
    std::vector<std::optional<std::int64_t>> places(form.graph.tensors.size());
    std::int64_t now_bytes = shared_bytes(memory);
    for (const FormHome& home : homes_of(form)) {
      if (!home.resident || home.memory != memory) continue;
      at(places, home.tensor) = home.input ? now_bytes : shared(form, home.tensor).offset_bytes;
      if (home.input) now_bytes += rounded(planned_bytes(form, home.tensor));
    }
    place_new_values(form, places);

    const bool has_workspaces = memory == kFastRam;
    std::int64_t before_bytes = 0;
    std::int64_t lowest_bytes = arena_bytes(layout, memory);
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      if (buffers[b].memory != memory) continue;
      const std::int64_t begin = layout.buffer_offset_bytes[b];
      if (at(places, buffers[b].tensor))
        before_bytes = std::max(before_bytes, begin + rounded(buffers[b].size_bytes));
      else
        lowest_bytes = std::min(lowest_bytes, begin);
    }
    if (has_workspaces)
      for (const std::optional<std::int64_t>& begin : layout.workspace_offset_bytes)
        if (begin) lowest_bytes = std::min(lowest_bytes, *begin);

    const std::int64_t shift = shift_bytes(lowest_bytes, before_bytes, now_bytes);
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      if (buffers[b].memory != memory) continue;
      std::int64_t& begin = layout.buffer_offset_bytes[b];
      begin = at(places, buffers[b].tensor).value_or(begin + shift);
    }
    if (has_workspaces)
      for (std::optional<std::int64_t>& begin : layout.workspace_offset_bytes)
        if (begin) *begin += shift;
    std::int64_t& all_bytes = arena_bytes(layout, memory);
    all_bytes = std::max(now_bytes, all_bytes + shift);
    lower_bound_bytes(layout, memory) += shift;
  }

  std::int64_t alignment_bytes_ = 1;
  std::map<std::string, SharedHome> homes_;
  std::int64_t storage_bytes_ = 0;                // of shared homes
  std::map<MemoryId, std::int64_t> arena_bytes_;  // of shared residents
};

}  // namespace

Failure share_homes(std::vector<RunnableStep>& forms) {
  if (forms.empty()) return std::nullopt;
  Sharing sharing(forms.front().layout.alignment_bytes);
  for (const RunnableStep& form : forms)
    if (Failure failure = sharing.add(form)) return failure;
  for (RunnableStep& form : forms) sharing.line_up(form);
  return std::nullopt;
}

}  // namespace poet
