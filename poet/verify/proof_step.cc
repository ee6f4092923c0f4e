// The verifier's own reading of a problem, for certificates (docs/model/event-model.md §1), and the
// terms of a cover inequality from later needs, derived a second time (docs/model/bounds.md §4).
#include "poet/verify/proof_step.h"

#include <algorithm>
#include <limits>

#include "poet/problem/deadline.h"

namespace poet {
namespace {

bool contains(const std::vector<std::int32_t>& list, std::int32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::int32_t root_id(const Problem& problem, TensorId id) {
  return index_of(at(problem.tensors, id).view_of.value_or(id));
}

// The cost of something that takes energy and time.
double cost_of(const Problem& problem, double energy_j, double time_s) {
  if (problem.objective == Objective::Time) return time_s;
  return energy_j + problem.idle_w * time_s;
}

// What a second of computation and of transfers counts.
struct TimeWeights {
  double compute = 1;
  double transfer = 1;
};

TimeWeights weights_of(const Problem& problem, double compute_share) {
  if (problem.time_mode == TimeMode::Overlapped) return {compute_share, 1 - compute_share};
  return {1, problem.time_mode == TimeMode::Blocking ? 1.0 : 0.0};
}

void read_tensors(const Problem& problem, double transfer_weight, ProofStep& step) {
  for (const Tensor& from : problem.tensors) {
    ProofTensor& tensor = step.tensors.emplace_back();
    tensor.moves = !from.view_of && (from.home == Home::Made || from.home == Home::Storage);
    if (!tensor.moves) continue;
    tensor.size_bytes = from.size_bytes;
    const bool at_home = from.home == Home::Storage;
    tensor.must_be_written = from.updates.has_value();
    tensor.may_be_written = problem.paging_allowed && !at_home && !tensor.must_be_written;
    tensor.may_be_read = at_home || tensor.must_be_written || tensor.may_be_written;
    tensor.may_be_resident = at_home && from.may_be_resident;
    tensor.read_s = transfer_weight * from.page_in_s;
    tensor.write_s = transfer_weight * from.page_out_s;
    tensor.read_cost = cost_of(problem, from.page_in_j, tensor.read_s);
    tensor.write_cost = cost_of(problem, from.page_out_j, tensor.write_s);
  }
}

void add_once(std::vector<std::int32_t>& list, std::int32_t value) {
  if (!contains(list, value)) list.push_back(value);
}

void read_operations(const Problem& problem, double compute_weight, ProofStep& step) {
  for (std::size_t v = 0; v < problem.operations.size(); ++v) {
    const Operation& from = problem.operations[v];
    const auto id = static_cast<std::int32_t>(v);
    ProofOperation& operation = step.operations.emplace_back();
    for (const TensorId input : from.inputs)
      if (const std::int32_t root = root_id(problem, input); step.tensors[root].moves)
        add_once(operation.inputs, root);
    for (const TensorId output : from.outputs)
      if (step.tensors[index_of(output)].moves) operation.outputs.push_back(index_of(output));
    for (const std::int32_t input : operation.inputs) step.tensors[input].readers.push_back(id);
    for (const std::int32_t output : operation.outputs) step.tensors[output].maker = id;
    operation.workspace_bytes = from.workspace_bytes;
    operation.time_s = compute_weight * from.compute_s;
    operation.cost = cost_of(problem, from.compute_j, operation.time_s);
    step.once_cost += operation.cost;
    step.once_s += operation.time_s;
    if (!from.in_place) continue;
    const ProofOperation::Sharing sharing{root_id(problem, from.in_place->input),
                                          index_of(from.in_place->output)};
    if (operation.reads(sharing.input) && operation.makes(sharing.output))
      operation.sharing = sharing;
  }
}

void link_updates(const Problem& problem, ProofStep& step) {
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const std::optional<TensorId> old = problem.tensors[i].updates;
    if (!old || !step.tensors[i].moves || !step.tensors[index_of(*old)].moves) continue;
    step.tensors[i].old_value = index_of(*old);
    step.tensors[index_of(*old)].new_value = static_cast<std::int32_t>(i);
  }
}

// For each root the operation whose first execution replaces its value, whatever its home.
std::vector<std::optional<std::int32_t>> updates_of(const Problem& problem) {
  std::vector<std::optional<std::int32_t>> updated(problem.tensors.size());
  for (std::size_t v = 0; v < problem.operations.size(); ++v)
    for (const TensorId output : problem.operations[v].outputs)
      if (const std::optional<TensorId> old = at(problem.tensors, output).updates)
        at(updated, *old) = static_cast<std::int32_t>(v);
  return updated;
}

// Running an operation again is of use only while what it makes may still be read, by a first
// execution or by another that is of use. Readers come behind their makers, so from the last on.
void find_last_stages(const Problem& problem, ProofStep& step) {
  const std::vector<std::optional<std::int32_t>> updated = updates_of(problem);
  for (std::int32_t v = step.stages() - 1; v >= 0; --v) {
    ProofOperation& operation = step.operations[v];
    const Operation& from = problem.operations[v];
    operation.last_stage = v;
    if (!problem.rematerialisation_allowed || from.once || from.view) continue;
    for (const std::int32_t output : operation.outputs)
      for (const std::int32_t reader : step.tensors[output].readers)
        operation.last_stage = std::max(operation.last_stage, step.operations[reader].last_stage);
    for (const TensorId input : from.inputs)
      if (const auto& update = updated[root_id(problem, input)])
        operation.last_stage = std::max(v, std::min(operation.last_stage, *update));
  }
  for (ProofTensor& tensor : step.tensors) {
    if (tensor.maker) tensor.last_stage = step.operations[*tensor.maker].last_stage;
    for (const std::int32_t reader : tensor.readers)
      tensor.last_stage = std::max(tensor.last_stage, step.operations[reader].last_stage);
  }
}

void read_budgets(const Problem& problem, ProofStep& step) {
  std::int64_t resident_bytes = 0, home_bytes = 0;
  for (const Tensor& tensor : problem.tensors) {
    if (tensor.view_of) continue;
    // A new value of a resident tensor lies in its place.
    if (tensor.home == Home::Resident && !tensor.updates) resident_bytes += tensor.size_bytes;
    if (tensor.home == Home::Storage) home_bytes += tensor.size_bytes;
  }
  step.budget_bytes = problem.ram_budget_bytes - resident_bytes;
  if (problem.deadline_s) step.deadline_s = latest_end_s(*problem.deadline_s);
  if (problem.storage_capacity_bytes)
    step.storage_room_bytes = *problem.storage_capacity_bytes - home_bytes;
  step.write_room_bytes = problem.write_budget_bytes;
  for (const Operation& operation : problem.operations)
    if (step.write_room_bytes) *step.write_room_bytes -= operation.written_bytes;
}

// The first operation behind `stage` that reads the tensor, where it exists before `stage` and the
// stage itself does not read it.
std::optional<std::int32_t> waits_until(const ProofTensor& tensor, std::int32_t stage) {
  if (!tensor.moves || (tensor.maker && *tensor.maker >= stage)) return std::nullopt;
  for (const std::int32_t reader : tensor.readers) {
    if (reader == stage) return std::nullopt;
    if (reader > stage) return reader;
  }
  return std::nullopt;
}

}  // namespace

bool ProofOperation::reads(std::int32_t tensor) const {
  return contains(inputs, tensor);
}
bool ProofOperation::makes(std::int32_t tensor) const {
  return contains(outputs, tensor);
}

bool ProofStep::may_stay(std::int32_t tensor) const {
  const std::optional<std::int32_t> old = tensors[tensor].old_value;
  return tensors[old ? *old : tensor].may_be_resident;
}

std::int64_t ProofStep::least_room_bytes(const ProofOperation& operation) const {
  std::int64_t bytes = operation.workspace_bytes;
  for (const std::int32_t input : operation.inputs) bytes += tensors[input].size_bytes;
  for (const std::int32_t output : operation.outputs) {
    const bool shares = operation.sharing && operation.sharing->output == output;
    const bool replaces = tensors[output].old_value && may_stay(output);
    if (!shares && !replaces) bytes += tensors[output].size_bytes;
  }
  return bytes;
}

ProofStep make_proof_step(const Problem& problem, double compute_share) {
  const TimeWeights weights = weights_of(problem, compute_share);
  ProofStep step;
  read_tensors(problem, weights.transfer, step);
  read_operations(problem, weights.compute, step);
  link_updates(problem, step);
  find_last_stages(problem, step);
  read_budgets(problem, step);
  return step;
}

Result<std::vector<NeedTerm>> terms_of(const ProofStep& step, const NeedCut& cut,
                                       const std::string& name) {
  if (cut.stage < 0 || cut.stage >= step.stages())
    return bad_input(name + " is about stage " + std::to_string(cut.stage) +
                     ", which does not exist");
  std::vector<bool> absent(step.tensors.size(), false);
  for (const TensorId id : cut.absent) {
    const std::int32_t tensor = index_of(id);
    const bool exists = tensor >= 0 && static_cast<std::size_t>(tensor) < absent.size();
    if (!exists || absent[tensor] || !waits_until(step.tensors[tensor], cut.stage))
      return bad_input(name + " takes tensor " + std::to_string(tensor) +
                       " as absent, which does not wait at stage " + std::to_string(cut.stage));
    absent[tensor] = true;
  }
  // The bytes that cannot lie beside what the stage itself needs; of them those taken as absent,
  // and with `stored` those that have a copy anyway, come back at no price.
  std::int64_t demand = step.least_room_bytes(step.operations[cut.stage]) - step.budget_bytes;
  std::vector<NeedTerm> terms;
  for (std::size_t i = 0; i < step.tensors.size(); ++i) {
    const ProofTensor& tensor = step.tensors[i];
    const std::optional<std::int32_t> until = waits_until(tensor, cut.stage);
    const bool has_copy = !tensor.maker || tensor.must_be_written;
    if (!until || absent[i] || (cut.kind == NeedKind::Stored && has_copy)) continue;
    demand += tensor.size_bytes;
    terms.push_back({static_cast<std::int32_t>(i), *until, 0});
  }
  const std::int64_t divisor = cut.divisor_bytes;
  if (demand <= 0 || divisor <= 0 || demand % divisor == 0)
    return bad_input(name + " says nothing: " + std::to_string(demand) +
                     " bytes must be absent, which its divisor of " + std::to_string(divisor) +
                     " bytes does not round");
  const double right = static_cast<double>(demand / divisor + 1);
  for (NeedTerm& term : terms) {
    const std::int64_t size = std::min(step.tensors[term.tensor].size_bytes, demand);
    const double share =
        static_cast<double>(size % divisor) / static_cast<double>(demand % divisor);
    term.weight = (static_cast<double>(size / divisor) + std::min(1.0, share)) / right;
  }
  return terms;
}

}  // namespace poet
