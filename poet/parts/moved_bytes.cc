// Computes how much an order of operations moves, by Belady's rule; docs/decisions/0036, "The order
// is the transformation's".
#include "poet/parts/moved_bytes.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "poet/graph/operator_table.h"

namespace poet {
namespace {

constexpr std::int32_t kNeverAgain = std::numeric_limits<std::int32_t>::max();

std::size_t place_of(TensorId id) {
  return static_cast<std::size_t>(index_of(id));
}

}  // namespace

PagingEstimate::PagingEstimate(const TrainingGraph& step, const std::vector<bool>& only_rows,
                               const std::vector<bool>& by_slices, std::int64_t room_bytes)
    : room_bytes_(room_bytes) {
  const Graph& graph = step.graph;
  std::vector<std::int32_t> root(graph.tensors.size());  // whose bytes a view is of
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    root[i] = static_cast<std::int32_t>(i);
    bytes_.push_back(graph.tensors[i].home == Home::Rom ? 0 : size_bytes(graph.tensors[i].type));
  }
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    const GraphOperation& operation = graph.operations[v];
    std::vector<Touch> touches;
    if (entry_of(operation.kind).view) {
      root[place_of(operation.outputs[0])] = root[place_of(operation.inputs[0])];
    } else {
      std::set<std::int32_t> seen;
      for (std::size_t i = 0; i < operation.inputs.size(); ++i) {
        const std::int32_t tensor = root[place_of(operation.inputs[i])];
        if (i == 0 && only_rows[v]) continue;
        if (seen.insert(tensor).second) touches.push_back({tensor, false});
      }
      for (const TensorId output : operation.outputs) {
        if (by_slices[v]) bytes_[place_of(output)] = 0;
        touches.push_back({root[place_of(output)], true});
      }
    }
    touches_.push_back(std::move(touches));
  }
  states_.resize(graph.tensors.size());
}

double PagingEstimate::moved_bytes(const std::vector<std::int32_t>& order) {
  // From the end: when what is touched is needed again.
  next_uses_.clear();
  for (const std::int32_t v : order)
    for (const Touch& touch : touches_[static_cast<std::size_t>(v)])
      states_[static_cast<std::size_t>(touch.tensor)] = {};
  for (std::size_t k = order.size(); k-- > 0;) {
    const std::vector<Touch>& touches = touches_[static_cast<std::size_t>(order[k])];
    for (std::size_t t = touches.size(); t-- > 0;)
      next_uses_.push_back(
          std::exchange(state_of(touches[t]).next_use, static_cast<std::int32_t>(k)));
  }
  double moved = 0;
  std::int64_t used = 0;
  waiting_.clear();
  std::size_t coming = next_uses_.size();
  for (const std::int32_t v : order) {
    const std::vector<Touch>& touches = touches_[static_cast<std::size_t>(v)];
    for (const Touch& touch : touches) {
      State& state = state_of(touch);
      const std::int64_t bytes = bytes_[static_cast<std::size_t>(touch.tensor)];
      const std::int32_t next_use = next_uses_[--coming];
      if (!state.is_here) {
        if (!touch.is_made) moved += static_cast<double>(bytes);
        used += bytes;
        state.is_here = true;
        state.is_stored = !touch.is_made;
      }
      state.next_use = next_use;
      if (next_use == kNeverAgain && !touch.is_made) {
        state.is_here = false;
        used -= bytes;
      }
    }
    while (used > room_bytes_ && !waiting_.empty()) {
      std::pop_heap(waiting_.begin(), waiting_.end());
      const auto [next_use, tensor] = waiting_.back();
      waiting_.pop_back();
      State& state = states_[static_cast<std::size_t>(tensor)];
      if (!state.is_here || state.next_use != next_use) continue;
      const std::int64_t bytes = bytes_[static_cast<std::size_t>(tensor)];
      if (!std::exchange(state.is_stored, true)) moved += static_cast<double>(bytes);
      state.is_here = false;
      used -= bytes;
    }
    for (const Touch& touch : touches) {
      State& state = state_of(touch);
      if (!state.is_here) continue;
      if (state.next_use == kNeverAgain) {
        state.is_here = false;
        used -= bytes_[static_cast<std::size_t>(touch.tensor)];
      } else {
        waiting_.emplace_back(state.next_use, touch.tensor);
        std::push_heap(waiting_.begin(), waiting_.end());
      }
    }
  }
  return moved;
}

}  // namespace poet
