#include "poet/report/layers.h"

#include <algorithm>
#include <map>
#include <optional>

#include "poet/graph/operator_table.h"

namespace poet {
namespace {

template <typename T>
void add_once(std::vector<T>& list, T value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

class Layering {
 public:
  explicit Layering(const Graph& graph) : graph_(graph), readers_(graph.tensors.size()) {
    for (std::size_t i = 0; i < graph.tensors.size(); ++i)
      roots_.push_back(static_cast<TensorId>(i));
    for (const GraphOperation& operation : graph.operations) {
      if (entry_of(operation.kind).view)
        at(roots_, operation.outputs[0]) = at(roots_, operation.inputs[0]);
      else
        for (const TensorId input : operation.inputs) ++at(readers_, at(roots_, input));
    }
  }

  std::vector<DrawnLayer> layers() {
    for (const GraphOperation& operation : graph_.operations)
      if (!entry_of(operation.kind).view) add(operation);
    return std::move(layers_);
  }

 private:
  void add(const GraphOperation& operation) {
    const std::optional<std::int32_t> joined = layer_to_join(operation);
    if (!joined) layers_.push_back({.name = operation.name});
    const std::int32_t place = joined.value_or(static_cast<std::int32_t>(layers_.size()) - 1);
    DrawnLayer& layer = layers_[static_cast<std::size_t>(place)];
    layer.kinds.push_back(operation.kind);
    for (const TensorId input : operation.inputs) read(at(roots_, input), place, layer);
    for (const TensorId output : operation.outputs) makers_[output] = place;
    layer.shape = at(graph_.tensors, operation.outputs[0]).type.shape;
    last_output_[place] = operation.outputs[0];
  }

  void read(TensorId root, std::int32_t place, DrawnLayer& layer) {
    const GraphTensor& tensor = at(graph_.tensors, root);
    const auto maker = makers_.find(root);
    if (maker != makers_.end() && maker->second != place) add_once(layer.inputs, maker->second);
    if (tensor.role == TensorRole::Input) add_once(layer.given, root);
    if (tensor.role == TensorRole::Parameter) layer.parameters += value_count(tensor.type.shape);
  }

  std::optional<std::int32_t> layer_to_join(const GraphOperation& operation) const {
    if (entry_of(operation.kind).drawn == DrawnAs::Layer) return std::nullopt;
    std::optional<TensorId> only;
    for (const TensorId input : operation.inputs) {
      const TensorId root = at(roots_, input);
      if (at(graph_.tensors, root).role == TensorRole::Input) return std::nullopt;
      if (!makers_.contains(root)) continue;
      if (only && *only != root) return std::nullopt;
      only = root;
    }
    if (!only || at(readers_, *only) > 1) return std::nullopt;
    const std::int32_t maker = makers_.at(*only);
    return last_output_.at(maker) == *only ? std::optional(maker) : std::nullopt;
  }

  const Graph& graph_;
  std::vector<TensorId> roots_;                   // of each tensor: what it looks at
  std::vector<std::int64_t> readers_;             // of each root: how often it is read
  std::map<TensorId, std::int32_t> makers_;       // layers
  std::map<std::int32_t, TensorId> last_output_;  // of layers
  std::vector<DrawnLayer> layers_;
};

// --- Repeats

bool look_alike(const DrawnLayer& a, const DrawnLayer& b) {
  return a.kinds == b.kinds && a.shape == b.shape && a.parameters == b.parameters &&
         a.inputs.size() == b.inputs.size() && a.given == b.given;
}

// Whether layer `place` of a run is like the layer one period before it. `first` is whether that
// one is in the first piece.
bool repeats(const std::vector<DrawnLayer>& layers, std::int32_t place, std::int32_t begin,
             std::int32_t period) {
  const auto& later = layers[static_cast<std::size_t>(place)];
  const auto& earlier = layers[static_cast<std::size_t>(place - period)];
  if (!look_alike(later, earlier)) return false;
  for (std::size_t k = 0; k < later.inputs.size(); ++k) {
    const std::int32_t from = later.inputs[k];
    const std::int32_t before = earlier.inputs[k];
    const bool is_first = place - period < begin + period;
    const bool is_as_far = from - period == before;
    const bool is_outside = from < begin && before == from;
    const bool enters = is_first && before < begin && from >= begin && from < begin + period;
    if (!is_as_far && !is_outside && !enters) return false;
  }
  return true;
}

// Whether one of the `period` layers from `begin` on reads one of as many before them.
bool reads_before(const std::vector<DrawnLayer>& layers, std::int32_t begin, std::int32_t period) {
  for (std::int32_t place = begin; place < begin + period; ++place)
    for (const std::int32_t from : layers[static_cast<std::size_t>(place)].inputs)
      if (from >= begin - period && from < begin) return true;
  return false;
}

Repeat repeat_at(const std::vector<DrawnLayer>& layers, std::int32_t begin, std::int32_t end,
                 std::int32_t period) {
  std::int32_t place = begin + period;
  while (place < end && repeats(layers, place, begin, period)) ++place;
  const Repeat repeat{begin, period, (place - begin) / period};
  const bool is_run = repeat.count > 1 && reads_before(layers, begin + period, period);
  return is_run ? repeat : Repeat{begin, period, 1};
}

std::int32_t saved(const Repeat& repeat) {
  return repeat.period * (repeat.count - 1);
}

// Those among layers [begin, end).
void add_repeats(const std::vector<DrawnLayer>& layers, std::int32_t begin, std::int32_t end,
                 std::vector<Repeat>& found) {
  Repeat best{begin, 1, 1};
  for (std::int32_t from = begin; from < end; ++from)
    for (std::int32_t period = 1; from + 2 * period <= end; ++period) {
      const Repeat repeat = repeat_at(layers, from, end, period);
      if (saved(repeat) > saved(best)) best = repeat;
    }
  if (saved(best) < 2) return;
  add_repeats(layers, begin, best.begin, found);
  found.push_back(best);
  add_repeats(layers, best.end(), end, found);
}

}  // namespace

std::vector<DrawnLayer> layers_of(const Graph& graph) {
  return Layering(graph).layers();
}

std::vector<Repeat> repeats_of(const std::vector<DrawnLayer>& layers) {
  std::vector<Repeat> found;
  add_repeats(layers, 0, static_cast<std::int32_t>(layers.size()), found);
  return found;
}

}  // namespace poet
