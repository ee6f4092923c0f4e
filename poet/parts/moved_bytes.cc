// Computes how much an order of operations moves, by Belady's rule; docs/decisions/0036, "The order
// is the transformation's".
#include "poet/parts/moved_bytes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "poet/graph/operator_table.h"
#include "poet/parts/place_of.h"

namespace poet {
namespace {

constexpr std::int32_t kNeverAgain = std::numeric_limits<std::int32_t>::max();

// What waits is a number: its next use, above that many bits with the tensor.
constexpr int kTensorBits = 32;
constexpr std::uint64_t kTensor = (std::uint64_t{1} << kTensorBits) - 1;

}  // namespace

PagingEstimate::PagingEstimate(const TrainingGraph& step, const std::vector<bool>& only_rows,
                               const std::vector<bool>& by_slices, std::int64_t room_bytes)
    : room_bytes_(room_bytes) {
  const Graph& graph = step.graph;
  std::vector<std::int32_t> root(graph.tensors.size());  // whose bytes a view is of
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    root[i] = static_cast<std::int32_t>(i);
    states_.push_back(
        {.bytes = graph.tensors[i].home == Home::Rom ? 0 : size_bytes(graph.tensors[i].type)});
  }
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    const GraphOperation& operation = graph.operations[v];
    first_touch_.push_back(touches_.size());
    if (entry_of(operation.kind).view) {
      root[place_of(operation.outputs[0])] = root[place_of(operation.inputs[0])];
    } else {
      for (std::size_t i = 0; i < operation.inputs.size(); ++i) {
        const std::int32_t tensor = root[place_of(operation.inputs[i])];
        if (i == 0 && only_rows[v]) continue;
        const bool is_seen =
            std::any_of(touches_.begin() + static_cast<std::ptrdiff_t>(first_touch_.back()),
                        touches_.end(), [&](const Touch& touch) { return touch.tensor == tensor; });
        if (!is_seen) touches_.push_back({tensor, false});
      }
      for (const TensorId output : operation.outputs) {
        if (by_slices[v]) states_[place_of(output)].bytes = 0;
        touches_.push_back({root[place_of(output)], true});
      }
    }
  }
  first_touch_.push_back(touches_.size());
}

std::span<const PagingEstimate::Touch> PagingEstimate::touches_of(std::int32_t operation) const {
  const auto v = static_cast<std::size_t>(operation);
  return {touches_.data() + first_touch_[v], touches_.data() + first_touch_[v + 1]};
}

// From the end: when what is touched is needed again.
void PagingEstimate::find_next_uses(const std::vector<std::int32_t>& order) {
  next_uses_.clear();
  for (std::size_t k = order.size(); k-- > 0;) {
    const std::span<const Touch> touches = touches_of(order[k]);
    for (std::size_t t = touches.size(); t-- > 0;)
      next_uses_.push_back(
          std::exchange(state_of(touches[t]).next_use, static_cast<std::int32_t>(k)));
  }
}

void PagingEstimate::come(const Touch& touch, std::int32_t next_use) {
  State& state = state_of(touch);
  if (!state.is_here) {
    if (!touch.is_made) moved_bytes_ += static_cast<double>(state.bytes);
    used_bytes_ += state.bytes;
    state.is_here = true;
    state.is_stored = !touch.is_made;
  }
  state.next_use = next_use;
  if (next_use == kNeverAgain && !touch.is_made) {
    state.is_here = false;
    used_bytes_ -= state.bytes;
  }
}

void PagingEstimate::make_room() {
  while (used_bytes_ > room_bytes_ && !waiting_.empty()) {
    std::pop_heap(waiting_.begin(), waiting_.end());
    const std::uint64_t last = waiting_.back();
    waiting_.pop_back();
    State& state = states_[last & kTensor];
    if (!state.is_here || state.next_use != static_cast<std::int32_t>(last >> kTensorBits))
      continue;
    if (!std::exchange(state.is_stored, true)) moved_bytes_ += static_cast<double>(state.bytes);
    state.is_here = false;
    used_bytes_ -= state.bytes;
  }
}

void PagingEstimate::let_wait(const Touch& touch) {
  State& state = state_of(touch);
  if (!state.is_here) return;
  if (state.next_use == kNeverAgain) {
    state.is_here = false;
    used_bytes_ -= state.bytes;
    return;
  }
  waiting_.push_back(static_cast<std::uint64_t>(state.next_use) << kTensorBits |
                     static_cast<std::uint64_t>(touch.tensor));
  std::push_heap(waiting_.begin(), waiting_.end());
}

double PagingEstimate::moved_bytes(const std::vector<std::int32_t>& order) {
  find_next_uses(order);
  moved_bytes_ = 0;
  used_bytes_ = 0;
  waiting_.clear();
  std::size_t coming = next_uses_.size();
  for (const std::int32_t v : order) {
    const std::span<const Touch> touches = touches_of(v);
    for (const Touch& touch : touches) come(touch, next_uses_[--coming]);
    make_room();
    for (const Touch& touch : touches) let_wait(touch);
  }
  return moved_bytes_;
}

}  // namespace poet
