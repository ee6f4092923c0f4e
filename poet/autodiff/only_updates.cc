#include "poet/autodiff/only_updates.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "poet/autodiff/erase_from_step.h"

namespace poet {
namespace {

bool is_of_trained(const TrainingGraph& step, TensorId new_value) {
  return std::any_of(
      step.trained.begin(), step.trained.end(), [new_value](const TrainedParameter& trained) {
        return trained.new_value == new_value ||
               std::count(trained.new_states.begin(), trained.new_states.end(), new_value) > 0;
      });
}

// What the operations that are not in `removed` read and make.
std::set<TensorId> named_by(const Graph& graph, const std::set<std::size_t>& removed) {
  std::set<TensorId> named;
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    if (removed.count(v) > 0) continue;
    const GraphOperation& operation = graph.operations[v];
    named.insert(operation.inputs.begin(), operation.inputs.end());
    named.insert(operation.outputs.begin(), operation.outputs.end());
  }
  return named;
}

// Operations that no new value of a parameter or a state comes from.
std::set<std::size_t> not_for_updates(const TrainingGraph& step) {
  std::set<TensorId> needed;
  for (const Replacement& replacement : step.replacements) needed.insert(replacement.new_value);
  std::set<std::size_t> others;
  for (std::size_t v = step.graph.operations.size(); v-- > 0;) {
    const GraphOperation& operation = step.graph.operations[v];
    const bool is_needed = std::any_of(operation.outputs.begin(), operation.outputs.end(),
                                       [&needed](TensorId made) { return needed.count(made) > 0; });
    if (is_needed)
      needed.insert(operation.inputs.begin(), operation.inputs.end());
    else
      others.insert(v);
  }
  return others;
}

// The largest first, each to the part that has least: by places in `trained`, in which part it is.
std::vector<int> parts_of(const TrainingGraph& step, int count) {
  const auto bytes = [&step](std::size_t place) {
    return size_bytes(at(step.graph.tensors, step.trained[place].parameter).type);
  };
  std::vector<std::size_t> order(step.trained.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&bytes](std::size_t a, std::size_t b) { return bytes(a) > bytes(b); });
  std::vector<int> parts(order.size());
  std::vector<std::int64_t> sums(static_cast<std::size_t>(count));
  for (const std::size_t place : order) {
    const auto least = std::min_element(sums.begin(), sums.end());
    parts[place] = static_cast<int>(least - sums.begin());
    *least += bytes(place);
  }
  return parts;
}

void leave_out_other_parts(TrainingGraph& step, const UpdatePart& part) {
  if (std::ssize(step.trained) < part.count) return;
  const std::vector<int> parts = parts_of(step, part.count);
  std::vector<TrainedParameter> own;
  for (std::size_t place = 0; place < parts.size(); ++place)
    if (parts[place] == part.own) own.push_back(std::move(step.trained[place]));
  step.trained = std::move(own);
}

}  // namespace

TrainingGraph only_updates(TrainingGraph step, const std::optional<UpdatePart>& part) {
  if (part) leave_out_other_parts(step, *part);
  std::erase_if(step.replacements, [&step](const Replacement& replacement) {
    return !is_of_trained(step, replacement.new_value);
  });
  const std::set<std::size_t> operations = not_for_updates(step);
  const std::set<TensorId> named = named_by(step.graph, operations);
  std::set<TensorId> tensors;
  for (std::size_t i = 0; i < step.graph.tensors.size(); ++i)
    if (named.count(static_cast<TensorId>(i)) == 0) tensors.insert(static_cast<TensorId>(i));

  step.graph.outputs.clear();
  step.inputs.clear();
  step.labels.clear();
  step.share.reset();
  step.loss = {};
  if (step.step && tensors.count(*step.step) > 0) step.step.reset();
  std::erase_if(step.initial, [&](const auto& value) { return tensors.count(value.first) > 0; });
  erase_operations(step.graph, operations);
  erase_tensors(step, tensors);
  step.loss = {};
  return step;
}

}  // namespace poet
