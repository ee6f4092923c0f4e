#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "poet/graph/operator_table.h"
#include "poet/lower/row_lookup.h"
#include "poet/lower/runnable_step.h"
#include "poet/problem/facts.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// Whether the problem is one of this graph, so that pointers made by one are right for the other.
class Agreement {
 public:
  Agreement(const RunnableStep& step, const KernelSet& kernels)
      : kernels_(kernels),
        graph_(step.graph),
        problem_(step.plan.problem),
        is_made_in_storage_(step.graph.tensors.size()) {}

  Failure check() {
    if (graph_.operations.size() != problem_.operations.size() ||
        graph_.tensors.size() != problem_.tensors.size())
      return bad_input(
          fmt::format("the graph has {} operations and {} tensors, and its problem {} and {}",
                      graph_.operations.size(), graph_.tensors.size(), problem_.operations.size(),
                      problem_.tensors.size()));
    for (std::size_t v = 0; v < graph_.operations.size(); ++v)
      if (updates_rows_of_storage(graph_, graph_.operations[v], problem_.operations[v]))
        is_made_in_storage_[index_of(graph_.operations[v].outputs[0])] = true;
    for (std::size_t v = 0; v < graph_.operations.size(); ++v)
      if (Failure failure = check_operation(graph_.operations[v], problem_.operations[v]))
        return failure;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
      if (Failure failure = check_tensor(static_cast<TensorId>(i))) return failure;
    return std::nullopt;
  }

 private:
  const std::string& text(TensorId tensor) const { return at(graph_.tensors, tensor).name; }
  std::int64_t graph_bytes(TensorId tensor) const {
    return size_bytes(at(graph_.tensors, tensor).type);
  }

  // --- Tensors

  Failure check_tensor(TensorId id) const {
    const GraphTensor& tensor = at(graph_.tensors, id);
    const Tensor& planned = at(problem_.tensors, id);
    if (tensor.name != planned.name)
      return bad_input(fmt::format("the graph's tensor {} is called {} in its problem", tensor.name,
                                   planned.name));
    if (planned.view_of) return std::nullopt;
    if (planned.size_bytes < size_bytes(tensor.type) && !is_made_in_storage_[index_of(id)])
      return bad_input(
          fmt::format("{} has {} bytes, and its problem counts {}: what is run must be counted",
                      tensor.name, size_bytes(tensor.type), planned.size_bytes));
    const Home home = planned.updates && planned.home == Home::Resident ? Home::Made : planned.home;
    if (home != tensor.home)
      return bad_input(fmt::format("{} is at home in {}, and in its problem in {}", tensor.name,
                                   name_of(kHomes, tensor.home), name_of(kHomes, planned.home)));
    if (tensor.role == TensorRole::Step &&
        (tensor.home != Home::Resident || tensor.type != step_type()))
      return bad_input(
          fmt::format("{}, the step, must be resident and {}", tensor.name, to_text(step_type())));
    return std::nullopt;
  }

  // --- Operations

  Failure check_operation(const GraphOperation& operation, const Operation& planned) const {
    const OperatorEntry& entry = entry_of(operation.kind);
    if (operation.name != planned.name || operation.outputs != planned.outputs)
      return bad_input(fmt::format("{} is another operation in its problem", operation.name));
    if (entry.view != planned.view || (entry.once && !planned.once))
      return bad_input(fmt::format(
          "{} is marked otherwise in its problem than its operator is: view {}, once {}",
          operation.name, entry.view, entry.once));
    if (Failure failure = check_inputs(operation, planned)) return failure;
    if (entry.view) return check_view(operation);
    const bool updates_rows = updates_rows_of_storage(graph_, operation, planned);
    const std::int64_t workspace_bytes =
        updates_rows ? row_update_workspace_bytes(graph_, operation)
                     : kernels_.workspace_bytes(types_of(graph_, operation));
    if (planned.workspace_bytes < workspace_bytes)
      return bad_input(fmt::format("{} needs a workspace of {} bytes, and its problem counts {}",
                                   operation.name, workspace_bytes, planned.workspace_bytes));
    if (Failure failure = check_in_place(operation, planned)) return failure;
    // What lies where then, the program's replay says.
    return updates_rows ? std::nullopt : check_updates(operation);
  }

  Failure check_inputs(const GraphOperation& operation, const Operation& planned) const {
    std::set<TensorId> read(operation.inputs.begin(), operation.inputs.end());
    if (planned.view) read = {operation.inputs[0]};
    if (reads_rows_of_storage(graph_, operation, planned) ||
        updates_rows_of_storage(graph_, operation, planned))
      read.erase(operation.inputs[0]);
    if (read == std::set<TensorId>(planned.inputs.begin(), planned.inputs.end()))
      return std::nullopt;
    return bad_input(fmt::format("{} reads other tensors in its problem", operation.name));
  }

  Failure check_view(const GraphOperation& operation) const {
    const std::optional<TensorId>& root = at(problem_.tensors, operation.outputs[0]).view_of;
    if (root == root_of(problem_, operation.inputs[0])) return std::nullopt;
    return bad_input(fmt::format("{} is a view of {}, but not in its problem", operation.name,
                                 text(operation.inputs[0])));
  }

  // --- Places that are shared

  // Of equal true size, and seen by the operation through one input only.
  bool may_share(const GraphOperation& operation, const std::vector<SharedPlace>& places,
                 TensorId input, TensorId output) const {
    const TensorId root = root_of(problem_, input);
    const auto readings =
        std::count_if(operation.inputs.begin(), operation.inputs.end(),
                      [&](TensorId other) { return root_of(problem_, other) == root; });
    if (readings != 1 || graph_bytes(root) != graph_bytes(output)) return false;
    return std::any_of(places.begin(), places.end(), [&](const SharedPlace& place) {
      const auto from = static_cast<std::size_t>(place.input);
      return from < operation.inputs.size() && root_of(problem_, operation.inputs[from]) == root &&
             operation.outputs[static_cast<std::size_t>(place.output)] == output;
    });
  }

  Failure check_in_place(const GraphOperation& operation, const Operation& planned) const {
    if (!planned.in_place) return std::nullopt;
    const OperatorEntry& entry = entry_of(operation.kind);
    const InPlace& shared = *planned.in_place;
    if (may_share(operation, entry.in_place, shared.input, shared.output) ||
        may_share(operation, entry.updates, shared.input, shared.output))
      return std::nullopt;
    return bad_input(fmt::format("{} cannot write {} over {}", operation.name, text(shared.output),
                                 text(shared.input)));
  }

  // A new value may have to be written over the old one, which the operation reads at most through
  // the one input that its row names.
  Failure check_updates(const GraphOperation& operation) const {
    const OperatorEntry& entry = entry_of(operation.kind);
    for (const TensorId output : operation.outputs) {
      const std::optional<TensorId>& old = at(problem_.tensors, output).updates;
      if (!old) continue;
      const bool reads_old =
          std::any_of(operation.inputs.begin(), operation.inputs.end(),
                      [&](TensorId input) { return root_of(problem_, input) == *old; });
      if (reads_old && !may_share(operation, entry.updates, *old, output))
        return bad_input(fmt::format("{} cannot put {} in the place of {}", operation.name,
                                     text(output), text(*old)));
    }
    for (const SharedPlace& place : entry.updates)
      if (Failure failure = check_kept(operation, place)) return failure;
    return std::nullopt;
  }

  Failure check_kept(const GraphOperation& operation, const SharedPlace& place) const {
    const TensorId old = operation.inputs[static_cast<std::size_t>(place.input)];
    const TensorId fresh = operation.outputs[static_cast<std::size_t>(place.output)];
    const Home home = at(graph_.tensors, old).home;
    if (home != Home::Storage && home != Home::Resident) return std::nullopt;
    if (at(problem_.tensors, fresh).updates == old) return std::nullopt;
    return bad_input(
        fmt::format("{} takes the place of {}, but not in its problem", text(fresh), text(old)));
  }

  const KernelSet& kernels_;
  const Graph& graph_;
  const Problem& problem_;
  std::vector<bool> is_made_in_storage_;  // of each tensor: row by row
};

Failure check_schedule(const Plan& plan) {
  const Replay replayed = replay(plan.problem, plan.schedule);
  for (const Finding& finding : replayed.findings) {
    Replay alone;
    alone.findings = {finding};
    if (!breaks_only_limits(alone)) return bad_input(finding.message);
  }
  if (plan.buffers != buffers_of(plan.problem, plan.schedule))
    return bad_input("the plan's buffers are not those of its schedule");
  return std::nullopt;
}

}  // namespace

Failure check_step(const RunnableStep& step, const KernelSet& kernels) {
  if (Failure failure = check_graph(step.graph)) return failure;
  if (Failure failure = check_problem(step.plan.problem)) return failure;
  if (Failure failure = Agreement(step, kernels).check()) return failure;
  if (Failure failure = check_schedule(step.plan)) return failure;
  return check_layout(step.plan, step.layout);
}

}  // namespace poet
