#include "poet/pose/graph_problem.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "poet/base/check.h"
#include "poet/cost/formula_costs.h"
#include "poet/graph/operator_table.h"
#include "poet/graph/stored_rows.h"
#include "poet/problem/align_sizes.h"

namespace poet {
namespace {

class Translation {
 public:
  Translation(const Graph& graph, const Device& device, double memory_power_scale,
              const KernelSet& kernels)
      : graph_(graph),
        device_(device),
        memory_power_scale_(memory_power_scale),
        kernels_(kernels),
        updates_rows_(updates_of_stored_rows(graph)),
        is_updated_(graph.tensors.size()),
        last_reader_(graph.tensors.size()) {}

  Problem translate(const CostTable& costs) {
    problem_.name = graph_.name;
    problem_.time_mode = device_.time_mode;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
      add_tensor(graph_.tensors[i], costs.tensors[i]);
    for (std::size_t v = 0; v < graph_.operations.size(); ++v)
      if (updates_rows_[v])
        be_made_in_storage(graph_.operations[v]);
      else
        mark_updates(graph_.operations[v]);
    find_last_readers();
    for (std::size_t v = 0; v < graph_.operations.size(); ++v)
      add_operation(v, costs.operations[v]);
    return std::move(problem_);
  }

 private:
  void add_tensor(const GraphTensor& from, const TensorCost& cost) {
    problem_.tensors.push_back({.name = from.name,
                                .size_bytes = size_bytes(from.type),
                                .home = from.home,
                                .page_in_j = cost.page_in_j,
                                .page_out_j = cost.page_out_j,
                                .page_in_s = cost.page_in_s,
                                .page_out_s = cost.page_out_s});
  }

  // A value that the graph itself made is replaced by sharing its buffer, which is in place.
  bool has_a_place(TensorId id) const {
    const Home home = at(graph_.tensors, id).home;
    return home == Home::Storage || home == Home::Resident;
  }

  void mark_updates(const GraphOperation& operation) {
    for (const SharedPlace& place : entry_of(operation.kind).updates) {
      const TensorId old = operation.inputs[static_cast<std::size_t>(place.input)];
      if (!has_a_place(old)) continue;
      is_updated_[static_cast<std::size_t>(old)] = true;
      Tensor& fresh =
          at(problem_.tensors, operation.outputs[static_cast<std::size_t>(place.output)]);
      fresh.updates = old;
      fresh.home = at(graph_.tensors, old).home == Home::Resident ? Home::Resident : Home::Made;
    }
  }

  // The new value of a table whose rows are updated where they lie has no bytes of its own.
  void be_made_in_storage(const GraphOperation& operation) {
    is_updated_[static_cast<std::size_t>(operation.inputs[0])] = true;
    Tensor& fresh = at(problem_.tensors, operation.outputs[0]);
    fresh = {.name = fresh.name};
  }

  TensorId root_of(TensorId id) const { return at(problem_.tensors, id).view_of.value_or(id); }

  void add_operation(std::size_t v, const OperationCost& cost) {
    const GraphOperation& from = graph_.operations[v];
    const OperatorEntry& entry = entry_of(from.kind);
    Operation to{.name = from.name,
                 .outputs = from.outputs,
                 .compute_j = cost.compute_j,
                 .compute_s = cost.compute_s,
                 .once = entry.once,
                 .view = entry.view,
                 .backward = from.backward};
    for (const TensorId input : from.inputs)
      if (std::find(to.inputs.begin(), to.inputs.end(), input) == to.inputs.end())
        to.inputs.push_back(input);
    if (entry.view)
      become_view(to);
    else
      to.workspace_bytes = kernels_.workspace_bytes(types_of(graph_, from));
    if (reads_stored_rows(graph_, from)) read_rows(from, to);
    if (updates_rows_[v])
      update_rows(from, to);
    else
      to.in_place = place_to_share(from, entry);
    problem_.operations.push_back(std::move(to));
  }

  void become_view(Operation& view) {
    view.inputs.resize(1);
    const TensorId root = root_of(view.inputs[0]);
    Tensor& output = at(problem_.tensors, view.outputs[0]);
    output.view_of = root;
    output.home = at(problem_.tensors, root).home;
  }

  // Of as many rows as there are indices.
  TensorCost row_cost(const GraphOperation& from) const {
    return row_transfer_cost(most_rows_met(graph_, from), table_row_bytes(graph_, from),
                             device_.storage, memory_power_scale_);
  }

  void read_rows(const GraphOperation& from, Operation& to) const {
    to.inputs.erase(std::remove(to.inputs.begin(), to.inputs.end(), from.inputs[0]),
                    to.inputs.end());
    // Storage has other rows after the update.
    if (is_updated_[static_cast<std::size_t>(from.inputs[0])]) to.once = true;
    const TensorCost cost = row_cost(from);
    to.compute_j += cost.page_in_j;
    to.compute_s += cost.page_in_s;
  }

  // Reads and writes them; in RAM there is one, and its gradient.
  void update_rows(const GraphOperation& from, Operation& to) const {
    read_rows(from, to);
    const TensorCost cost = row_cost(from);
    to.compute_j += cost.page_out_j;
    to.compute_s += cost.page_out_s;
    to.written_bytes = most_rows_met(graph_, from) * table_row_bytes(graph_, from);
    to.workspace_bytes = 2 * table_row_bytes(graph_, from);
  }

  // Through how many inputs an operation sees the same bytes.
  std::int64_t readings_of(TensorId root, const GraphOperation& operation) const {
    return std::count_if(operation.inputs.begin(), operation.inputs.end(),
                         [&](TensorId input) { return root_of(input) == root; });
  }

  // Of the root of each tensor.
  void find_last_readers() {
    std::vector<TensorId> roots;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
      roots.push_back(static_cast<TensorId>(i));
    for (const GraphOperation& operation : graph_.operations) {
      if (entry_of(operation.kind).view)
        at(roots, operation.outputs[0]) = at(roots, operation.inputs[0]);
      for (const TensorId input : operation.inputs)
        at(last_reader_, at(roots, input)) = operation.outputs[0];
    }
  }

  bool dies_with(TensorId root, const GraphOperation& operation) const {
    return at(last_reader_, root) == operation.outputs[0];
  }

  // The first that the table allows, of equal size, and whose input dies with the operation; if
  // none does, the first. A new value shares its place with the old one; otherwise only what the
  // graph made itself may be written over.
  std::optional<InPlace> place_to_share(const GraphOperation& from,
                                        const OperatorEntry& entry) const {
    std::optional<InPlace> first;
    for (const std::vector<SharedPlace>* const list : {&entry.updates, &entry.in_place})
      for (const SharedPlace& place : *list) {
        if (static_cast<std::size_t>(place.input) >= from.inputs.size()) continue;
        const InPlace shared{from.inputs[static_cast<std::size_t>(place.input)],
                             from.outputs[static_cast<std::size_t>(place.output)]};
        if (!may_share(shared, from)) continue;
        if (dies_with(root_of(shared.input), from)) return shared;
        if (!first) first = shared;
      }
    return first;
  }

  bool may_share(const InPlace& shared, const GraphOperation& from) const {
    const TensorId root_id = root_of(shared.input);
    const Tensor& root = at(problem_.tensors, root_id);
    const Tensor& output = at(problem_.tensors, shared.output);
    if (readings_of(root_id, from) > 1 || root.size_bytes != output.size_bytes) return false;
    if (output.updates) return output.home == Home::Made && *output.updates == root_id;
    return root.home == Home::Made && !root.updates;
  }

  const Graph& graph_;
  const Device& device_;
  double memory_power_scale_ = 1;
  const KernelSet& kernels_;
  std::vector<bool> updates_rows_;  // of each operation: where they lie in storage
  std::vector<bool> is_updated_;    // of each tensor: a new value takes its place in this step
  // Of each root, the first output of the operation that reads it last.
  std::vector<std::optional<TensorId>> last_reader_;
  Problem problem_ = {};
};

}  // namespace

Result<Problem> graph_problem(const Graph& graph, const Device& device, double memory_power_scale,
                              std::int64_t alignment_bytes, const KernelSet& kernels) {
  const Result<CostTable> costs = formula_costs(graph, device, memory_power_scale);
  if (!costs.ok()) return costs.error();
  return graph_problem(graph, *costs, device, memory_power_scale, alignment_bytes, kernels);
}

Problem graph_problem(const Graph& graph, const CostTable& costs, const Device& device,
                      double memory_power_scale, std::int64_t alignment_bytes,
                      const KernelSet& kernels) {
  POET_CHECK(costs.operations.size() == graph.operations.size());
  POET_CHECK(costs.tensors.size() == graph.tensors.size());
  // Last of all: what may share a place is told by the true sizes.
  Problem problem = Translation(graph, device, memory_power_scale, kernels).translate(costs);
  align_sizes(problem, alignment_bytes);
  return problem;
}

Problem outline_problem(const Outline& graph, const CostTable& costs) {
  POET_CHECK(costs.operations.size() == graph.operations.size());
  POET_CHECK(costs.tensors.size() == graph.tensors.size());
  Problem problem;
  problem.name = graph.name;
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    const OutlineOperation& from = graph.operations[v];
    problem.operations.push_back(Operation{.name = from.name,
                                           .inputs = from.inputs,
                                           .outputs = from.outputs,
                                           .compute_j = costs.operations[v].compute_j,
                                           .compute_s = costs.operations[v].compute_s,
                                           .backward = from.backward});
  }
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const OutlineTensor& from = graph.tensors[i];
    const TensorCost& cost = costs.tensors[i];
    problem.tensors.push_back(Tensor{.name = from.name,
                                     .size_bytes = size_bytes(from),
                                     .home = from.home,
                                     .page_in_j = cost.page_in_j,
                                     .page_out_j = cost.page_out_j,
                                     .page_in_s = cost.page_in_s,
                                     .page_out_s = cost.page_out_s});
  }
  return problem;
}

}  // namespace poet
