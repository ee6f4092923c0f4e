#include "poet/problem/check_problem.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "poet/base/checked_math.h"
#include "poet/base/duration_text.h"
#include "poet/problem/deadline.h"
#include "poet/problem/figure_range.h"
#include "poet/problem/uncertainty.h"

namespace poet {
namespace {

using Fault = std::optional<ProblemFault>;

constexpr std::int64_t kLargestBytes = std::int64_t{1} << 62;  // of limits, which may be any

OperationId operation_at(std::size_t index) {
  return OperationId{static_cast<std::int32_t>(index)};
}
TensorId tensor_at(std::size_t index) {
  return TensorId{static_cast<std::int32_t>(index)};
}

bool is_cost(double number) {
  return std::isfinite(number) && number >= 0;
}

// " has a time of 1e+300 s, ..."; nothing for a figure within the range.
std::optional<std::string> beyond_range(const char* what, double figure, const char* unit) {
  if (is_in_figure_range(figure)) return std::nullopt;
  return fmt::format("has {} of {} {}; what is not 0 must be from {} to {} {}", what, figure, unit,
                     kLeastFigure, kMostFigure, unit);
}
bool is_size(std::int64_t bytes) {
  return 0 <= bytes && bytes <= kLargestBytes;
}

// The checks share the problem and the producers that they have found so far. Each check relies on
// those before it.
class Checker {
 public:
  explicit Checker(const Problem& problem)
      : problem_(problem), producers_(problem.tensors.size()) {}

  Fault first_fault() {
    if (Fault fault = limits()) return fault;
    if (Fault fault = memories()) return fault;
    if (Fault fault = every_tensor(&Checker::numbers_of)) return fault;
    if (Fault fault = every_operation(&Checker::numbers_of)) return fault;
    if (Fault fault = sum_of_sizes()) return fault;
    if (Fault fault = every_operation(&Checker::names_of)) return fault;
    if (Fault fault = every_tensor(&Checker::view_of)) return fault;
    find_first_updates();
    if (Fault fault = every_tensor(&Checker::update_of)) return fault;
    if (Fault fault = every_tensor(&Checker::residence_of)) return fault;
    if (Fault fault = find_producers()) return fault;
    if (Fault fault = every_tensor(&Checker::producer_of)) return fault;
    if (Fault fault = every_operation(&Checker::order_of)) return fault;
    if (Fault fault = every_operation(&Checker::shape_of)) return fault;
    if (Fault fault = every_operation(&Checker::in_place_of)) return fault;
    find_last_readers();
    if (Fault fault = every_tensor(&Checker::old_value_of)) return fault;
    return deadline_by_the_figures();
  }

 private:
  Fault every_tensor(Fault (Checker::*check)(TensorId, const Tensor&) const) const {
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i)
      if (Fault fault = (this->*check)(tensor_at(i), problem_.tensors[i])) return fault;
    return {};
  }
  Fault every_operation(Fault (Checker::*check)(OperationId, const Operation&) const) const {
    for (std::size_t v = 0; v < problem_.operations.size(); ++v)
      if (Fault fault = (this->*check)(operation_at(v), problem_.operations[v])) return fault;
    return {};
  }

  std::string name(TensorId id) const {
    const std::string& name = at(problem_.tensors, id).name;
    return "tensor " + std::to_string(index_of(id)) + (name.empty() ? "" : " '" + name + "'");
  }
  std::string name(OperationId id) const {
    const std::string& name = at(problem_.operations, id).name;
    return "operation " + std::to_string(index_of(id)) + (name.empty() ? "" : " '" + name + "'");
  }
  Fault fault(TensorId id, const std::string& what) const {
    return ProblemFault{name(id) + " " + what, {}, id};
  }
  Fault fault(OperationId id, const std::string& what) const {
    return ProblemFault{name(id) + " " + what, id, {}};
  }
  static Fault fault(const std::string& what) {
    return ProblemFault{"the problem " + what, {}, {}};
  }

  bool exists(TensorId id) const {
    return index_of(id) >= 0 && static_cast<std::size_t>(id) < problem_.tensors.size();
  }
  std::string range_of_tensors() const {
    return ", but there are only tensors 0 to " + std::to_string(problem_.tensors.size() - 1);
  }
  TensorId root_of(TensorId id) const { return at(problem_.tensors, id).view_of.value_or(id); }

  Fault limits() const {
    if (problem_.operations.empty()) return fault("has no operations");
    if (!is_size(problem_.ram_budget_bytes))
      return fault("needs a RAM budget from 0 to 2^62 bytes");
    if (problem_.deadline_s && !is_cost(*problem_.deadline_s))
      return fault("needs a deadline of at least 0 s");
    if (problem_.storage_capacity_bytes && !is_size(*problem_.storage_capacity_bytes))
      return fault("needs a storage capacity from 0 to 2^62 bytes");
    if (problem_.write_budget_bytes && !is_size(*problem_.write_budget_bytes))
      return fault("needs a write budget from 0 to 2^62 bytes");
    if (!is_cost(problem_.idle_w)) return fault("needs an idle power of at least 0 W");
    if (const auto what = beyond_range("a deadline", problem_.deadline_s.value_or(0), "s"))
      return fault(*what);
    if (Fault fault = uncertainty()) return fault;
    if (const auto what = beyond_range("an idle power", problem_.idle_w, "W")) return fault(*what);
    return {};
  }

  Fault memories() const {
    const std::vector<FurtherMemory>& further = problem_.further_memories;
    if (further.empty()) return {};
    if (problem_.uncertainty)
      return fault(
          "has costs that may be above their figures and several memories, which cannot be "
          "planned together");
    std::optional<std::int64_t> sum = problem_.ram_budget_bytes;
    for (std::size_t m = 0; m < further.size(); ++m) {
      if (!is_size(further[m].size_bytes))
        return fault(fmt::format("needs a size of memory {} from 0 to 2^62 bytes", m + 1));
      if (Fault fault = access_of(m + 1, further[m])) return fault;
      if (sum) sum = checked_add(*sum, further[m].size_bytes);
    }
    if (!sum || !is_size(*sum)) return fault("has memories that add up to more than 2^62 bytes");
    return {};
  }

  static Fault access_of(std::size_t number, const FurtherMemory& memory) {
    const auto refused = [number](double figure, const char* what, const char* unit) -> Fault {
      if (!is_cost(figure))
        return fault(fmt::format("needs {} in memory {} of at least 0 {}", what, number, unit));
      if (const auto beyond = beyond_range(what, figure, unit))
        return fault(fmt::format("has a memory {} that {}", number, *beyond));
      return {};
    };
    if (Fault bad = refused(memory.read_s_per_byte, "a time of reading", "s/B")) return bad;
    if (Fault bad = refused(memory.write_s_per_byte, "a time of writing", "s/B")) return bad;
    if (Fault bad = refused(memory.read_j_per_byte, "an energy of reading", "J/B")) return bad;
    return refused(memory.write_j_per_byte, "an energy of writing", "J/B");
  }

  // That the deadline by the figures lets every schedule pass that keeps the other, a later check
  // says: it needs sound tensors.
  Fault uncertainty() const {
    if (!problem_.uncertainty) return {};
    const Uncertainty& given = *problem_.uncertainty;
    if (!(given.ratio > 0 && given.ratio <= kMostUncertainty))
      return fault("needs an uncertainty above 0, and at most 10 times a cost");
    if (given.deviations && *given.deviations < 1)
      return fault("needs at least 1 cost that may be above its figure");
    if (given.deadline_s.has_value() != problem_.deadline_s.has_value())
      return fault("needs a deadline by the figures and one of the worst case, or neither");
    if (given.deadline_s && !is_cost(*given.deadline_s))
      return fault("needs a deadline of the worst case of at least 0 s");
    if (const auto what = beyond_range("a deadline", given.deadline_s.value_or(0), "s"))
      return fault(*what);
    return {};
  }

  Fault deadline_by_the_figures() const {
    if (!problem_.uncertainty || !problem_.deadline_s) return {};
    const double least_s = figures_deadline_s(problem_, *problem_.uncertainty->deadline_s);
    if (within_deadline(least_s, *problem_.deadline_s)) return {};
    return fault("has a deadline by the figures of " + exact_seconds(*problem_.deadline_s) +
                 ", but that of the worst case leaves " + exact_seconds(least_s));
  }

  Fault numbers_of(TensorId id, const Tensor& tensor) const {
    if (!is_size(tensor.size_bytes)) return fault(id, "must have a size from 0 to 2^62 bytes");
    if (!is_cost(tensor.page_in_j) || !is_cost(tensor.page_out_j))
      return fault(id, "must have transfer energies of at least 0 J");
    if (!is_cost(tensor.page_in_s) || !is_cost(tensor.page_out_s))
      return fault(id, "must have transfer times of at least 0 s");
    for (const double energy_j : {tensor.page_in_j, tensor.page_out_j})
      if (const auto what = beyond_range("a transfer energy", energy_j, "J"))
        return fault(id, *what);
    for (const double time_s : {tensor.page_in_s, tensor.page_out_s})
      if (const auto what = beyond_range("a transfer time", time_s, "s")) return fault(id, *what);
    return {};
  }

  Fault numbers_of(OperationId id, const Operation& operation) const {
    if (!is_size(operation.workspace_bytes))
      return fault(id, "must have a workspace from 0 to 2^62 bytes");
    if (!is_size(operation.written_bytes))
      return fault(id, "must write from 0 to 2^62 bytes to storage by itself");
    if (operation.written_bytes > 0 && !operation.once)
      return fault(id, "must be marked as once, because it writes to storage by itself");
    if (!is_cost(operation.compute_j)) return fault(id, "must have an energy of at least 0 J");
    if (!is_cost(operation.compute_s)) return fault(id, "must have a time of at least 0 s");
    if (const auto what = beyond_range("an energy", operation.compute_j, "J"))
      return fault(id, *what);
    if (const auto what = beyond_range("a time", operation.compute_s, "s")) return fault(id, *what);
    return {};
  }

  Fault sum_of_sizes() const {
    std::optional<std::int64_t> sum = 0;
    for (const Tensor& tensor : problem_.tensors)
      if (sum) sum = checked_add(*sum, tensor.size_bytes);
    for (const Operation& operation : problem_.operations)
      for (const std::int64_t bytes : {operation.workspace_bytes, operation.written_bytes})
        if (sum) sum = checked_add(*sum, bytes);
    if (!sum || *sum > kMostBytesInAll)
      return fault("has sizes that add up to more than 2^53 bytes, above which doubles skip some");
    return {};
  }

  Fault names_of(OperationId id, const Operation& operation) const {
    if (operation.outputs.empty()) return fault(id, "must have an output");
    for (const auto* const list : {&operation.inputs, &operation.outputs})
      for (const TensorId tensor : *list)
        if (!exists(tensor))
          return fault(id, "names tensor " + std::to_string(index_of(tensor)) + range_of_tensors());
    std::vector<TensorId> inputs = operation.inputs;
    std::sort(inputs.begin(), inputs.end());
    const auto twin = std::adjacent_find(inputs.begin(), inputs.end());
    if (twin != inputs.end()) return fault(id, "reads " + name(*twin) + " twice");
    return {};
  }

  Fault view_of(TensorId id, const Tensor& tensor) const {
    if (!tensor.view_of) return {};
    const TensorId root = *tensor.view_of;
    if (!exists(root) || root >= id)
      return fault(id, "must be a view of an earlier tensor, not of tensor " +
                           std::to_string(index_of(root)));
    if (at(problem_.tensors, root).view_of)
      return fault(id, "must be a view of a tensor that is not a view itself: of tensor " +
                           std::to_string(index_of(root_of(root))) + ", not of " + name(root));
    if (at(problem_.tensors, root).home != tensor.home)
      return fault(id, "must have the home of " + name(root) + ", whose view it is");
    if (tensor.updates) return fault(id, "cannot be a view and a new value");
    return {};
  }

  void find_first_updates() {
    first_updates_.assign(problem_.tensors.size(), {});
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
      const std::optional<TensorId>& updates = problem_.tensors[i].updates;
      if (updates && exists(*updates) && !at(first_updates_, *updates))
        at(first_updates_, *updates) = tensor_at(i);
    }
  }

  Fault update_of(TensorId id, const Tensor& tensor) const {
    if (!tensor.updates) return {};
    const TensorId old_id = *tensor.updates;
    if (!exists(old_id))
      return fault(id, "updates tensor " + std::to_string(index_of(old_id)) + range_of_tensors());
    const Tensor& old = at(problem_.tensors, old_id);
    if (old_id == id || old.updates || old.view_of ||
        (old.home != Home::Storage && old.home != Home::Resident))
      return fault(id,
                   "can only update a tensor that lies in storage or is resident when the step "
                   "begins, not " +
                       name(old_id));
    if (old.size_bytes != tensor.size_bytes)
      return fault(id, "must have the size of " + name(old_id) + ", whose place it takes");
    const Home home = old.home == Home::Storage ? Home::Made : Home::Resident;
    if (tensor.home != home)
      return fault(id, std::string("must have the home '") +
                           (home == Home::Made ? "made" : "resident") + "', because it updates " +
                           name(old_id));
    const TensorId first = *at(first_updates_, old_id);
    if (first == id) return {};
    return fault(id, "updates " + name(old_id) + ", which " + name(first) + " updates already");
  }

  Fault residence_of(TensorId id, const Tensor& tensor) const {
    if (!tensor.may_be_resident) return {};
    if (tensor.home != Home::Storage || tensor.view_of)
      return fault(id, "may only be made resident if its home is storage and it is not a view");
    return {};
  }

  Fault find_producers() {
    for (std::size_t v = 0; v < problem_.operations.size(); ++v) {
      for (const TensorId output : problem_.operations[v].outputs) {
        std::optional<OperationId>& producer = at(producers_, output);
        if (producer)
          return fault(operation_at(v),
                       "makes " + name(output) + ", which " + name(*producer) + " makes already");
        producer = operation_at(v);
      }
    }
    return {};
  }

  Fault producer_of(TensorId id, const Tensor& tensor) const {
    const bool made = tensor.home == Home::Made || tensor.view_of || tensor.updates;
    const std::optional<OperationId> producer = at(producers_, id);
    if (made && !producer) return fault(id, "is made by no operation");
    if (!made && producer)
      return fault(*producer, "makes " + name(id) + ", which is there before the step begins");
    if (tensor.updates && !at(problem_.operations, *producer).once)
      return fault(*producer,
                   "must be marked as once, because it updates " + name(*tensor.updates));
    return {};
  }

  Fault order_of(OperationId id, const Operation& operation) const {
    for (const TensorId input : operation.inputs) {
      const std::optional<OperationId> producer = at(producers_, input);
      if (!producer || *producer < id) continue;
      return fault(id, "reads " + name(input) +
                           (*producer == id ? ", which it makes itself"
                                            : ", which is made later, by " + name(*producer)) +
                           "; an operation may read only what an earlier one makes");
    }
    return {};
  }

  Fault shape_of(OperationId id, const Operation& operation) const {
    if (operation.view) return view_shape_of(id, operation);
    for (const TensorId output : operation.outputs)
      if (at(problem_.tensors, output).view_of)
        return fault(id, "makes the view " + name(output) + " but is not marked as a view");
    return {};
  }

  Fault view_shape_of(OperationId id, const Operation& operation) const {
    if (operation.inputs.size() != 1 || operation.outputs.size() != 1)
      return fault(id, "is a view and must have one input and one output");
    if (at(problem_.tensors, operation.outputs[0]).view_of != root_of(operation.inputs[0]))
      return fault(id, "is a view, so " + name(operation.outputs[0]) + " must be a view of " +
                           name(root_of(operation.inputs[0])));
    if (operation.workspace_bytes != 0 || operation.compute_j != 0 || operation.compute_s != 0)
      return fault(id, "is a view and must have no workspace, energy or time");
    if (operation.once) return fault(id, "is a view and cannot be marked as once");
    if (operation.in_place) return fault(id, "is a view and cannot be marked as in place");
    return {};
  }

  Fault in_place_of(OperationId id, const Operation& operation) const {
    if (!operation.in_place) return {};
    const auto& [input, output] = *operation.in_place;
    if (std::find(operation.inputs.begin(), operation.inputs.end(), input) ==
        operation.inputs.end())
      return fault(id, "works in place on tensor " + std::to_string(index_of(input)) +
                           ", which it does not read");
    if (std::find(operation.outputs.begin(), operation.outputs.end(), output) ==
        operation.outputs.end())
      return fault(id, "works in place for tensor " + std::to_string(index_of(output)) +
                           ", which it does not make");
    if (at(problem_.tensors, output).size_bytes > at(problem_.tensors, root_of(input)).size_bytes)
      return fault(id, "cannot put " + name(output) + " in the place of " + name(root_of(input)) +
                           ", which is smaller");
    return {};
  }

  // Of the root of each tensor: through views too.
  void find_last_readers() {
    last_readers_.assign(problem_.tensors.size(), {});
    for (std::size_t v = 0; v < problem_.operations.size(); ++v)
      for (const TensorId input : problem_.operations[v].inputs)
        at(last_readers_, root_of(input)) = operation_at(v);
  }

  Fault old_value_of(TensorId id, const Tensor& tensor) const {
    if (!tensor.updates) return {};
    const OperationId update = *at(producers_, id);
    const std::optional<OperationId>& last = at(last_readers_, *tensor.updates);
    if (!last || *last <= update) return {};
    for (std::size_t v = static_cast<std::size_t>(update) + 1; v < problem_.operations.size(); ++v)
      for (const TensorId input : problem_.operations[v].inputs)
        if (root_of(input) == *tensor.updates)
          return fault(operation_at(v), "reads the old value " + name(input) +
                                            " after its update by " + name(update));
    return {};
  }

  const Problem& problem_;
  std::vector<std::optional<OperationId>> producers_;
  std::vector<std::optional<OperationId>> last_readers_;
  std::vector<std::optional<TensorId>> first_updates_;
};

}  // namespace

std::optional<ProblemFault> first_fault(const Problem& problem) {
  return Checker(problem).first_fault();
}

Failure check_problem(const Problem& problem) {
  const std::optional<ProblemFault> fault = first_fault(problem);
  if (!fault) return {};
  return bad_input(fault->message);
}

}  // namespace poet
