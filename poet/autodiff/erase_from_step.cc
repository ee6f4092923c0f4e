#include "poet/autodiff/erase_from_step.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace poet {
namespace {

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

  template <typename Value>
  void move_keys(std::map<TensorId, Value>& values) const {
    std::map<TensorId, Value> moved_values;
    for (auto& [id, value] : values) {
      TensorId moved = id;
      move(moved);
      moved_values.emplace(moved, std::move(value));
    }
    values = std::move(moved_values);
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
    move(step.share);
    move(step.step);
    move_keys(step.initial);
    move_keys(step.pieces);
  }

 private:
  std::vector<std::int32_t> places_ = {};
};

}  // namespace

void erase_tensors(TrainingGraph& step, const std::set<TensorId>& removed) {
  const Removal removal(step, removed);
  removal.move(step);
  std::vector<GraphTensor> left;
  for (std::size_t i = 0; i < step.graph.tensors.size(); ++i)
    if (removed.count(static_cast<TensorId>(i)) == 0)
      left.push_back(std::move(step.graph.tensors[i]));
  step.graph.tensors = std::move(left);
}

void erase_operations(Graph& graph, const std::set<std::size_t>& removed) {
  std::vector<GraphOperation> left;
  for (std::size_t v = 0; v < graph.operations.size(); ++v)
    if (removed.count(v) == 0) left.push_back(std::move(graph.operations[v]));
  graph.operations = std::move(left);
}

}  // namespace poet
