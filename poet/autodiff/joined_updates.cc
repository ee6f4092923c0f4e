#include "poet/autodiff/joined_updates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "poet/graph/weight_update.h"

namespace poet {
namespace {

bool contains(const std::vector<TensorId>& list, TensorId tensor) {
  return std::find(list.begin(), list.end(), tensor) != list.end();
}

// What is done with the gradient of one parameter, by places in the graph.
struct GradientUse {
  std::size_t maker = 0;
  std::map<std::size_t, GraphOperation> joined = {};  // in the place of each update
};

// Nothing where something else than updates reads the gradient, or one that cannot be joined.
std::optional<GradientUse> use_of(const Graph& graph, TensorId gradient) {
  std::optional<std::size_t> maker;
  for (std::size_t v = 0; v < graph.operations.size(); ++v)
    if (contains(graph.operations[v].outputs, gradient)) maker = v;
  if (!maker || contains(graph.outputs, gradient)) return std::nullopt;
  GradientUse use{.maker = *maker};
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    const GraphOperation& reader = graph.operations[v];
    if (!contains(reader.inputs, gradient)) continue;
    const std::optional<int> position = gradient_input(reader.kind);
    if (!position || reader.inputs[static_cast<std::size_t>(*position)] != gradient)
      return std::nullopt;
    std::optional<GraphOperation> both = joined(graph, graph.operations[*maker], reader);
    if (!both) return std::nullopt;
    use.joined.emplace(v, *std::move(both));
  }
  if (use.joined.empty()) return std::nullopt;
  return use;
}

bool is_meant(const Graph& graph, const GradientUse& use, const TrainingOptions& options) {
  if (options.updates == Updates::Sliced) return true;
  if (options.updates == Updates::Separate) return false;
  const auto is_too_large = [&](std::size_t v) {
    return options.too_large.count(graph.operations[v].name) > 0;
  };
  return is_too_large(use.maker) ||
         std::any_of(use.joined.begin(), use.joined.end(),
                     [&](const auto& update) { return is_too_large(update.first); });
}

// A new value by itself is what the step is for: the first micro-batch keeps it.
bool is_kept(const TrainingGraph& step, TensorId gradient) {
  return std::any_of(
      step.replacements.begin(), step.replacements.end(),
      [gradient](const Replacement& replacement) { return replacement.new_value == gradient; });
}

// Whose gradient it is too.
std::ptrdiff_t owners(const TrainingGraph& step, TensorId gradient) {
  return std::count_if(
      step.trained.begin(), step.trained.end(),
      [gradient](const TrainedParameter& trained) { return trained.gradient == gradient; });
}

// Takes tensors that nothing knows any more out of a step: the others move up.
class Removal {
 public:
  Removal(const TrainingGraph& step, const std::set<TensorId>& removed) {
    std::int32_t next = 0;
    for (std::size_t i = 0; i < step.graph.tensors.size(); ++i)
      places_.push_back(removed.count(static_cast<TensorId>(i)) > 0 ? next : next++);
  }

  void move(TensorId& id) const {
    id = static_cast<TensorId>(places_[static_cast<std::size_t>(index_of(id))]);
  }
  void move(std::optional<TensorId>& id) const {
    if (id) move(*id);
  }
  void move(std::vector<TensorId>& ids) const {
    for (TensorId& id : ids) move(id);
  }

  void move(TrainedParameter& trained) const {
    move(trained.parameter);
    move(trained.gradient);
    move(trained.accumulator);
    move(trained.new_value);
    move(trained.states);
    move(trained.new_states);
  }

  void move(TrainingGraph& step) const {
    for (GraphOperation& operation : step.graph.operations) {
      move(operation.inputs);
      move(operation.outputs);
    }
    move(step.graph.outputs);
    move(step.loss);
    for (TrainedParameter& trained : step.trained) move(trained);
    for (Replacement& replacement : step.replacements) {
      move(replacement.old_value);
      move(replacement.new_value);
    }
    for (NamedTensor& input : step.inputs) move(input.tensor);
    move(step.labels);
    move(step.step);
    std::map<TensorId, Initial> initial;
    for (auto& [id, value] : step.initial) {
      TensorId moved = id;
      move(moved);
      initial.emplace(moved, std::move(value));
    }
    step.initial = std::move(initial);
  }

 private:
  std::vector<std::int32_t> places_ = {};
};

void erase_tensors(TrainingGraph& step, const std::set<TensorId>& removed) {
  const Removal removal(step, removed);
  removal.move(step);
  for (auto id = removed.rbegin(); id != removed.rend(); ++id)
    step.graph.tensors.erase(step.graph.tensors.begin() + index_of(*id));
}

}  // namespace

TrainingGraph with_joined_updates(TrainingGraph step, const TrainingOptions& options) {
  if (options.updates != Updates::Sliced && options.too_large.empty()) return step;
  std::set<std::size_t> makers;
  std::set<TensorId> gradients;
  for (TrainedParameter& trained : step.trained) {
    if (!trained.gradient || !trained.new_value) continue;
    if (is_kept(step, *trained.gradient) || owners(step, *trained.gradient) > 1) continue;
    std::optional<GradientUse> use = use_of(step.graph, *trained.gradient);
    if (!use || !is_meant(step.graph, *use, options)) continue;
    for (auto& [v, joined] : use->joined) step.graph.operations[v] = std::move(joined);
    makers.insert(use->maker);
    gradients.insert(*trained.gradient);
    trained.gradient.reset();
  }
  for (auto v = makers.rbegin(); v != makers.rend(); ++v)
    step.graph.operations.erase(step.graph.operations.begin() + static_cast<std::ptrdiff_t>(*v));
  erase_tensors(step, gradients);
  return step;
}

}  // namespace poet
