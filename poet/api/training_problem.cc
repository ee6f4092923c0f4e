#include "poet/api/training_problem.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "poet/base/check.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

std::size_t place_of(TensorId id) {
  return static_cast<std::size_t>(index_of(id));
}

// What is known of a step besides its graph.
struct StepFacts {
  const TrainingGraph& step;
  std::vector<TensorId> roots = {};                          // of each tensor
  std::vector<std::optional<std::size_t>> last_reader = {};  // of each root
  std::vector<std::optional<TensorId>> replaced = {};        // by each new value

  TensorId root_of(TensorId id) const { return roots[place_of(id)]; }
};

StepFacts facts_of(const TrainingGraph& step) {
  const Graph& graph = step.graph;
  StepFacts facts{.step = step};
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    facts.roots.push_back(static_cast<TensorId>(i));
  facts.last_reader.resize(graph.tensors.size());
  facts.replaced.resize(graph.tensors.size());
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    const GraphOperation& operation = graph.operations[v];
    if (entry_of(operation.kind).view)
      facts.roots[place_of(operation.outputs[0])] = facts.root_of(operation.inputs[0]);
    for (const TensorId input : operation.inputs)
      facts.last_reader[place_of(facts.root_of(input))] = v;
  }
  for (const Replacement& replacement : step.replacements)
    facts.replaced[place_of(replacement.new_value)] = replacement.old_value;
  return facts;
}

// --- Tensors

// A view has the home of its root, and the new value of what is resident is resident.
Home home_of(const StepFacts& facts, TensorId id) {
  const std::vector<GraphTensor>& tensors = facts.step.graph.tensors;
  const TensorId root = facts.root_of(id);
  const std::optional<TensorId> old = facts.replaced[place_of(root)];
  if (old && at(tensors, *old).home == Home::Resident) return Home::Resident;
  return at(tensors, root).home;
}

bool is_excluded(const StepFacts& facts, TensorId id) {
  return facts.step.parameters == ParameterPlace::Excluded &&
         home_of(facts, id) == Home::Resident &&
         at(facts.step.graph.tensors, id).role != TensorRole::Step;
}

Tensor tensor_of(const StepFacts& facts, TensorId id, const TensorCost& cost) {
  const GraphTensor& from = at(facts.step.graph.tensors, id);
  Tensor tensor{.name = from.name,
                .size_bytes = is_excluded(facts, id) ? 0 : size_bytes(from.type),
                .home = home_of(facts, id),
                .updates = facts.replaced[place_of(id)],
                .page_in_j = cost.page_in_j,
                .page_out_j = cost.page_out_j,
                .page_in_s = cost.page_in_s,
                .page_out_s = cost.page_out_s};
  if (facts.root_of(id) != id) tensor.view_of = facts.root_of(id);
  return tensor;
}

// --- Operations

std::vector<TensorId> distinct(const std::vector<TensorId>& inputs) {
  std::vector<TensorId> once;
  for (const TensorId input : inputs)
    if (std::find(once.begin(), once.end(), input) == once.end()) once.push_back(input);
  return once;
}

bool takes_room(Home home) {
  return home == Home::Made || home == Home::Storage;
}

// The inputs whose buffers an output may take over.
std::vector<InPlace> handovers(const StepFacts& facts, const GraphOperation& operation) {
  const OperatorEntry& entry = entry_of(operation.kind);
  const std::vector<GraphTensor>& tensors = facts.step.graph.tensors;
  std::vector<SharedPlace> places = entry.in_place;
  places.insert(places.end(), entry.updates.begin(), entry.updates.end());
  std::vector<InPlace> found;
  for (const SharedPlace& place : places) {
    const TensorId input = operation.inputs[static_cast<std::size_t>(place.input)];
    const TensorId output = operation.outputs[static_cast<std::size_t>(place.output)];
    if (takes_room(home_of(facts, input)) && takes_room(home_of(facts, output)) &&
        size_bytes(at(tensors, input).type) == size_bytes(at(tensors, output).type))
      found.push_back({.input = input, .output = output});
  }
  return found;
}

// The largest output that a dying input makes room for; otherwise the first that may ever.
std::optional<InPlace> in_place_of(const StepFacts& facts, std::size_t v) {
  const std::vector<InPlace> all = handovers(facts, facts.step.graph.operations[v]);
  std::optional<InPlace> best;
  std::int64_t best_bytes = 0;
  for (const InPlace& handover : all) {
    if (facts.last_reader[place_of(facts.root_of(handover.input))] != v) continue;
    const std::int64_t bytes = size_bytes(at(facts.step.graph.tensors, handover.output).type);
    if (best && bytes <= best_bytes) continue;
    best = handover;
    best_bytes = bytes;
  }
  if (best || all.empty()) return best;
  return all.front();
}

bool fills_an_old_place(const StepFacts& facts, const GraphOperation& operation) {
  return std::any_of(operation.outputs.begin(), operation.outputs.end(),
                     [&](TensorId output) { return facts.replaced[place_of(output)].has_value(); });
}

Operation operation_of(const StepFacts& facts, std::size_t v, const OperationCost& cost) {
  const GraphOperation& from = facts.step.graph.operations[v];
  const OperatorEntry& entry = entry_of(from.kind);
  Operation operation{.name = from.name,
                      .inputs = distinct(from.inputs),
                      .outputs = from.outputs,
                      .compute_j = cost.compute_j,
                      .compute_s = cost.compute_s,
                      .once = entry.once || fills_an_old_place(facts, from),
                      .view = entry.view,
                      .backward = from.backward};
  if (entry.view) return operation;
  operation.workspace_bytes = entry.kernel(types_of(facts.step.graph, from)).workspace_bytes;
  operation.in_place = in_place_of(facts, v);
  return operation;
}

}  // namespace

Problem training_problem(const TrainingGraph& step, const CostTable& costs) {
  POET_CHECK(costs.operations.size() == step.graph.operations.size());
  POET_CHECK(costs.tensors.size() == step.graph.tensors.size());
  const StepFacts facts = facts_of(step);
  Problem problem;
  problem.name = step.graph.name;
  for (std::size_t v = 0; v < step.graph.operations.size(); ++v)
    problem.operations.push_back(operation_of(facts, v, costs.operations[v]));
  for (std::size_t i = 0; i < step.graph.tensors.size(); ++i)
    problem.tensors.push_back(tensor_of(facts, static_cast<TensorId>(i), costs.tensors[i]));
  return problem;
}

}  // namespace poet
