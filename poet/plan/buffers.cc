#include <algorithm>
#include <optional>
#include <vector>

#include "poet/plan/plan.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"

namespace poet {
namespace {

// Follows a schedule and writes down when each buffer is taken and when it is free again.
//
// A new value of a resident takes its old value's place: its buffer begins with the update and
// shares the old one's.
class BufferWalk {
 public:
  BufferWalk(const Problem& problem, const Schedule& schedule)
      : problem_(problem),
        actions_(schedule.actions),
        places_(schedule),
        resident_(problem.tensors.size(), false),
        open_(problem.tensors.size()) {
    for (const TensorId tensor : schedule.resident)
      if (known(tensor)) resident_[index_of(tensor)] = true;
    for (std::size_t i = 0; i < problem.tensors.size(); ++i)
      if (problem.tensors[i].home == Home::Resident) resident_[i] = true;
  }

  std::vector<PlanBuffer> run() {
    take_residents();
    for (std::size_t a = 0; a < actions_.size(); ++a) walk(a);
    return buffers_;
  }

 private:
  template <typename Id>
  static bool in(Id id, std::size_t count) {
    return index_of(id) >= 0 && static_cast<std::size_t>(index_of(id)) < count;
  }
  bool known(TensorId tensor) const { return in(tensor, problem_.tensors.size()); }

  // The index of the buffer that a tensor holds now.
  std::optional<std::int64_t>& open(TensorId tensor) { return at(open_, tensor); }

  // Until a Drop says otherwise, a buffer lives to the end.
  void take(TensorId tensor, std::size_t action, MemoryId memory,
            std::optional<std::int64_t> shares) {
    if (open(tensor)) return;
    open(tensor) = static_cast<std::int64_t>(buffers_.size());
    buffers_.push_back({.tensor = tensor,
                        .size_bytes = at(problem_.tensors, tensor).size_bytes,
                        .begin_action = static_cast<std::int64_t>(action),
                        .end_action = static_cast<std::int64_t>(actions_.size()),
                        .shares = shares,
                        .memory = memory});
  }

  void take_residents() {
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
      const Tensor& tensor = problem_.tensors[i];
      if (resident_[i] && !tensor.updates && !tensor.view_of)
        take_at_home(TensorId{static_cast<std::int32_t>(i)});
    }
  }

  void take_at_home(TensorId tensor) { take(tensor, 0, places_.of(tensor, {}), std::nullopt); }

  MemoryId place_of(TensorId tensor, std::size_t action) const {
    return places_.of(tensor, static_cast<std::int64_t>(action));
  }

  void walk(std::size_t a) {
    if (const Compute* compute = std::get_if<Compute>(&actions_[a])) {
      if (in(compute->operation, problem_.operations.size())) run_operation(compute->operation, a);
    } else if (const PageIn* read = std::get_if<PageIn>(&actions_[a])) {
      if (known(read->tensor)) take(read->tensor, a, place_of(read->tensor, a), std::nullopt);
    } else if (const Drop* drop = std::get_if<Drop>(&actions_[a])) {
      if (known(drop->tensor)) free_after(drop->tensor, a);
    }
  }

  void run_operation(OperationId id, std::size_t a) {
    const Operation& operation = at(problem_.operations, id);
    for (const TensorId output : operation.outputs)
      if (!at(problem_.tensors, output).view_of) make(operation, output, a);
  }

  void make(const Operation& operation, TensorId output, std::size_t a) {
    const std::optional<std::int64_t> shares = shared_by(operation, output, a);
    const std::optional<TensorId> old = at(problem_.tensors, output).updates;
    const bool replaces_resident = old && resident_[index_of(*old)];
    take(output, a, replaces_resident ? memory_of(*shares) : place_of(output, a), shares);
  }
  MemoryId memory_of(std::int64_t buffer) const {
    return buffers_[static_cast<std::size_t>(buffer)].memory;
  }

  // The buffer that an output takes over: its old value's when that is resident, or that of an
  // input which the next action drops.
  std::optional<std::int64_t> shared_by(const Operation& operation, TensorId output,
                                        std::size_t a) {
    const std::optional<TensorId> old = at(problem_.tensors, output).updates;
    if (old && resident_[index_of(*old)]) return open(*old);
    if (!operation.in_place || operation.in_place->output != output) return std::nullopt;
    const TensorId input = root_of(problem_, operation.in_place->input);
    const bool dies = a + 1 < actions_.size() && actions_[a + 1] == Action{Drop{input}};
    if (!dies || resident_[index_of(input)] || !open(input)) return std::nullopt;
    return memory_of(*open(input)) == place_of(output, a) ? open(input) : std::nullopt;
  }

  void free_after(TensorId tensor, std::size_t a) {
    if (!open(tensor) || resident_[index_of(tensor)]) return;
    buffers_[static_cast<std::size_t>(*open(tensor))].end_action = static_cast<std::int64_t>(a) + 1;
    open(tensor).reset();
  }

  const Problem& problem_;
  const std::vector<Action>& actions_;
  const BufferPlaces places_;
  std::vector<bool> resident_;                     // by tensor: for the whole step
  std::vector<std::optional<std::int64_t>> open_;  // by tensor
  std::vector<PlanBuffer> buffers_;
};

}  // namespace

std::vector<PlanBuffer> buffers_of(const Problem& problem, const Schedule& schedule) {
  return BufferWalk(problem, schedule).run();
}

}  // namespace poet
