// A problem as the exact methods see it: chains, costs, last stages (docs/model/event-model.md §1).
#include "poet/solve/step.h"

#include <algorithm>
#include <numeric>

#include "poet/problem/deadline.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

// Costs of one problem in the unit of its objective.
struct Pricing {
  const Problem& problem;
  bool transfers_take_time = problem.time_mode != TimeMode::Free;

  double compute(const Operation& operation) const {
    if (problem.objective == Objective::Time) return operation.compute_s;
    return operation.compute_j + problem.idle_w * operation.compute_s;
  }
  double transfer(double energy_j, double time_s) const {
    const double waited_s = transfers_take_time ? time_s : 0;
    return problem.objective == Objective::Time ? waited_s : energy_j + problem.idle_w * waited_s;
  }
};

bool is_chain(const Problem& problem, TensorId id) {
  const Tensor& tensor = at(problem.tensors, id);
  return !tensor.view_of && (tensor.home == Home::Made || tensor.home == Home::Storage);
}

Chain make_chain(const Problem& problem, TensorId id) {
  const Tensor& tensor = at(problem.tensors, id);
  const Pricing pricing{problem};
  Chain chain;
  chain.tensor = id;
  chain.size_bytes = tensor.size_bytes;
  const bool at_home = tensor.home == Home::Storage;
  chain.must_be_written = tensor.updates.has_value();
  chain.may_be_written = !at_home && !chain.must_be_written && problem.paging_allowed;
  chain.may_be_read = at_home || chain.must_be_written || chain.may_be_written;
  chain.may_be_resident = at_home && tensor.may_be_resident;
  chain.read_cost = pricing.transfer(tensor.page_in_j, tensor.page_in_s);
  chain.write_cost = pricing.transfer(tensor.page_out_j, tensor.page_out_s);
  chain.read_s = pricing.transfers_take_time ? tensor.page_in_s : 0;
  chain.write_s = pricing.transfers_take_time ? tensor.page_out_s : 0;
  return chain;
}

class StepBuilder {
 public:
  explicit StepBuilder(const Problem& problem) : problem_(problem) {}

  Step build() {
    add_chains();
    add_operations();
    link_updates();
    find_last_stages();
    set_budgets();
    return std::move(step_);
  }

 private:
  void add_chains() {
    chain_of_.resize(problem_.tensors.size());
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
      const TensorId id{static_cast<std::int32_t>(i)};
      if (!is_chain(problem_, id)) continue;
      chain_of_[i] = static_cast<std::int32_t>(step_.chains.size());
      step_.chains.push_back(make_chain(problem_, id));
    }
  }

  std::vector<std::int32_t> chains_of(const std::vector<TensorId>& tensors) const {
    std::vector<std::int32_t> chains;
    for (const TensorId tensor : tensors)
      if (at(chain_of_, tensor)) chains.push_back(*at(chain_of_, tensor));
    return chains;
  }

  void add_operations() {
    for (std::size_t v = 0; v < problem_.operations.size(); ++v) {
      const OperationId id{static_cast<std::int32_t>(v)};
      const Operation& from = problem_.operations[v];
      StepOperation operation;
      operation.inputs = chains_of(ram_inputs(problem_, id));
      operation.outputs = chains_of(made_outputs(problem_, id));
      operation.workspace_bytes = from.workspace_bytes;
      operation.cost = Pricing{problem_}.compute(from);
      operation.time_s = from.compute_s;
      operation.backward = from.backward;
      operation.in_place = sharing(from, operation);
      for (const std::int32_t chain : operation.inputs)
        step_.chains[chain].readers.push_back(index_of(id));
      for (const std::int32_t chain : operation.outputs)
        step_.chains[chain].producer = index_of(id);
      step_.once_cost += operation.cost;
      step_.once_s += operation.time_s;
      step_.operations.push_back(std::move(operation));
    }
  }

  std::optional<StepOperation::Sharing> sharing(const Operation& from,
                                                const StepOperation& operation) const {
    if (!from.in_place) return std::nullopt;
    const auto input = at(chain_of_, root_of(problem_, from.in_place->input));
    const auto output = at(chain_of_, from.in_place->output);
    if (!input || !output) return std::nullopt;
    const auto in = std::find(operation.inputs.begin(), operation.inputs.end(), *input);
    const auto out = std::find(operation.outputs.begin(), operation.outputs.end(), *output);
    if (in == operation.inputs.end() || out == operation.outputs.end()) return std::nullopt;
    return StepOperation::Sharing{static_cast<std::int32_t>(in - operation.inputs.begin()),
                                  static_cast<std::int32_t>(out - operation.outputs.begin())};
  }

  void link_updates() {
    for (std::size_t c = 0; c < step_.chains.size(); ++c) {
      const std::optional<TensorId> old = at(problem_.tensors, step_.chains[c].tensor).updates;
      if (!old || !at(chain_of_, *old)) continue;
      step_.chains[c].old_value = at(chain_of_, *old);
      step_.chains[*at(chain_of_, *old)].new_value = static_cast<std::int32_t>(c);
    }
  }

  // A re-execution of k matters only while something may still read what it makes, and can happen
  // only before an update of what it reads (whatever its home).
  void find_last_stages() {
    const std::vector<std::optional<std::int32_t>> dead_from = update_stages();
    for (std::int32_t k = step_.stages() - 1; k >= 0; --k) {
      StepOperation& operation = step_.operations[k];
      const Operation& from = problem_.operations[k];
      std::int32_t last = k;
      for (const std::int32_t out : operation.outputs) {
        Chain& chain = step_.chains[out];
        chain.last_stage = k;
        for (const std::int32_t reader : chain.readers)
          chain.last_stage = std::max(chain.last_stage, step_.operations[reader].last_stage);
        if (!chain.readers.empty()) last = std::max(last, chain.last_stage);
      }
      const bool repeatable = problem_.rematerialisation_allowed && !from.once && !from.view;
      operation.last_stage =
          repeatable ? std::max(k, std::min(last, alive_until(from, dead_from))) : k;
    }
    for (Chain& chain : step_.chains) {
      if (chain.producer)
        chain.last_stage = std::max(chain.last_stage, step_.operations[*chain.producer].last_stage);
      for (const std::int32_t reader : chain.readers)
        chain.last_stage = std::max(chain.last_stage, step_.operations[reader].last_stage);
    }
  }

  // For each root the operation that replaces its value.
  std::vector<std::optional<std::int32_t>> update_stages() const {
    std::vector<std::optional<std::int32_t>> stages(problem_.tensors.size());
    for (std::size_t v = 0; v < problem_.operations.size(); ++v)
      for (const TensorId output : problem_.operations[v].outputs)
        if (const std::optional<TensorId> old = at(problem_.tensors, output).updates)
          at(stages, *old) = static_cast<std::int32_t>(v);
    return stages;
  }

  std::int32_t alive_until(const Operation& operation,
                           const std::vector<std::optional<std::int32_t>>& dead_from) const {
    std::int32_t until = step_.stages() - 1;
    for (const TensorId input : operation.inputs)
      if (const auto& dead = at(dead_from, root_of(problem_, input)))
        until = std::min(until, *dead);
    return until;
  }

  void set_budgets() {
    step_.budget_bytes = problem_.ram_budget_bytes - resident_bytes(problem_);
    if (problem_.deadline_s) step_.deadline_s = latest_end_s(*problem_.deadline_s);
    step_.write_room_bytes = write_room_bytes(problem_);
    if (!problem_.storage_capacity_bytes) return;
    std::int64_t homes_bytes = 0;
    for (const Tensor& tensor : problem_.tensors)
      if (tensor.home == Home::Storage && !tensor.view_of) homes_bytes += tensor.size_bytes;
    step_.storage_room_bytes = *problem_.storage_capacity_bytes - homes_bytes;
  }

  const Problem& problem_;
  Step step_;
  std::vector<std::optional<std::int32_t>> chain_of_;
};

}  // namespace

Step make_step(const Problem& problem) {
  return StepBuilder(problem).build();
}

std::int64_t least_room_bytes(const Step& step, const StepOperation& operation) {
  std::int64_t bytes = operation.workspace_bytes;
  for (const std::int32_t chain : operation.inputs) bytes += step.chains[chain].size_bytes;
  for (const std::int32_t chain : operation.outputs) {
    const auto& old = step.chains[chain].old_value;
    if (!(old && step.chains[*old].may_be_resident)) bytes += step.chains[chain].size_bytes;
  }
  if (!operation.in_place) return bytes;
  const Chain& output = step.chains[operation.outputs[operation.in_place->output]];
  const bool counted = !(output.old_value && step.chains[*output.old_value].may_be_resident);
  return counted ? bytes - output.size_bytes : bytes;
}

double byte_unit_of(const Step& step) {
  std::int64_t divisor = 0, largest = 1;
  const auto take = [&](std::int64_t bytes) {
    divisor = std::gcd(divisor, bytes);
    largest = std::max(largest, bytes);
  };
  for (const Chain& chain : step.chains) take(chain.size_bytes);
  for (const StepOperation& operation : step.operations) take(operation.workspace_bytes);
  // Whole units where they are not too fine for a solver's tolerances; otherwise the largest size
  // is 1,000.
  constexpr double kFinest = 1e4;
  const double largest_size = static_cast<double>(largest);
  if (divisor > 0 && largest_size / static_cast<double>(divisor) <= kFinest)
    return static_cast<double>(divisor);
  return largest_size / 1e3;
}

std::int64_t count_reexecutions(const Step& step) {
  std::int64_t count = 0;
  for (std::int32_t k = 0; k < step.stages(); ++k) count += step.operations[k].last_stage - k;
  return count;
}

}  // namespace poet
