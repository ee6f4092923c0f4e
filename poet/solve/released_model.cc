// The formulation of the released POET code as a linear model (docs/model/released.md §1).
#include "poet/solve/released_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "poet/problem/deadline.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

constexpr double kIntegral = 1e-6;

OperationId operation_at(std::int32_t index) {
  return OperationId{index};
}

const Tensor& output_of(const Problem& problem, std::int32_t operation) {
  return at(problem.tensors, at(problem.operations, operation_at(operation)).outputs.front());
}

// The objective's share of one execution and of one transfer.
double compute_cost(const Problem& problem, const Operation& operation) {
  return problem.objective == Objective::Time ? operation.compute_s : operation.compute_j;
}
double read_cost(const Problem& problem, const Tensor& tensor) {
  return problem.objective == Objective::Time ? 0 : tensor.page_in_j;
}
double write_cost(const Problem& problem, const Tensor& tensor) {
  return problem.objective == Objective::Time ? 0 : tensor.page_out_j;
}

// Solvers work to absolute tolerances: a step of compute costs about a thousand units, no cost is
// below a thousandth of one, unless that makes the largest one huge.
double cost_unit_of(const Problem& problem) {
  double least = kInfinity, largest = 0, once = 0;
  const auto count = [&](double cost) {
    if (cost > 0) least = std::min(least, cost);
    largest = std::max(largest, cost);
  };
  for (const Operation& operation : problem.operations) {
    count(compute_cost(problem, operation));
    once += compute_cost(problem, operation);
  }
  for (const Tensor& tensor : problem.tensors) {
    if (!problem.paging_allowed) break;
    count(read_cost(problem, tensor));
    count(write_cost(problem, tensor));
  }
  if (largest == 0) return 1;
  return std::max(std::min(std::max(once, largest) / 1e3, least / 1e-3), largest / 1e6);
}

std::int64_t byte_unit_of(const Problem& problem) {
  std::int64_t unit = 0;
  for (const Tensor& tensor : problem.tensors) unit = std::gcd(unit, tensor.size_bytes);
  return std::max<std::int64_t>(1, unit);
}

// Builds the model, one stage after the other. T, t, i, k as in docs/model/released.md §1.2.
class Builder {
 public:
  explicit Builder(const Problem& problem)
      : problem_(problem), T_(static_cast<std::int32_t>(problem.operations.size())) {
    model_.cost_unit = cost_unit_of(problem);
    byte_unit_ = byte_unit_of(problem);
    budget_ = static_cast<double>(problem.ram_budget_bytes / byte_unit_);
    for (std::int32_t k = 0; k < T_; ++k) {
      inputs_.push_back(inputs_of(k));
      model_.constant_cost += compute_cost(problem, problem.operations[k]);
    }
    readers_.resize(T_);
    for (std::int32_t k = 0; k < T_; ++k)
      for (const std::int32_t i : inputs_[k]) readers_[i].push_back(k);
  }

  ReleasedModel build() {
    add_matrix_columns();
    for (std::int32_t t = 0; t < T_; ++t) {
      add_input_rows(t);
      add_state_rows(t);
      add_memory_rows(t);
    }
    add_deadline_row();
    return std::move(model_);
  }

 private:
  using Column = std::optional<std::int32_t>;

  std::vector<std::int32_t> inputs_of(std::int32_t k) const {
    std::vector<std::int32_t> made_by;
    const auto producer = producers(problem_);
    for (const TensorId input : problem_.operations[k].inputs)
      made_by.push_back(index_of(*at(producer, input)));
    return made_by;
  }

  double size(std::int32_t i) const {
    return static_cast<double>(output_of(problem_, i).size_bytes / byte_unit_);
  }

  Column add_binary(double cost) {
    return model_.linear.add_column({.cost = cost / model_.cost_unit});
  }

  // Every S and M is strictly lower triangular; a tensor is in storage from the second stage after
  // its first production on, and what is written or read in the last stage comes too late.
  void add_matrix_columns() {
    for (ReleasedModel::Columns* matrix :
         {&model_.runs, &model_.in_ram, &model_.stored, &model_.page_in, &model_.page_out})
      matrix->assign(T_ + 1, std::vector<Column>(T_));
    for (std::int32_t t = 0; t < T_; ++t) {
      for (std::int32_t i = 0; i < t; ++i) {
        const Operation& operation = problem_.operations[i];
        const Tensor& tensor = output_of(problem_, i);
        if (problem_.rematerialisation_allowed && !operation.once)
          model_.runs[t][i] = add_binary(compute_cost(problem_, operation));
        model_.in_ram[t][i] = add_binary(0);
        if (!problem_.paging_allowed) continue;
        if (t >= i + 2) model_.stored[t][i] = add_binary(0);
        if (t >= i + 2 && t + 1 < T_)
          model_.page_in[t][i] = add_binary(read_cost(problem_, tensor));
        if (t + 1 < T_) model_.page_out[t][i] = add_binary(write_cost(problem_, tensor));
      }
    }
  }

  // A row under construction; known values move to its sides.
  struct Sum {
    LinearRow row = {};
    double known = 0;

    void add(Column column, double coefficient) {
      if (column) row.terms.push_back({*column, coefficient});
    }
  };

  void add_run(Sum& sum, std::int32_t t, std::int32_t k, double coefficient) const {
    if (k == t) sum.known += coefficient;
    if (k < t) sum.add(model_.runs[t][k], coefficient);
  }

  // Left out when it cannot bind. Every column here is 0 or 1.
  void at_most(Sum sum, double upper) {
    double largest = sum.known;
    for (const LinearTerm& term : sum.row.terms) largest += std::max(0.0, term.coefficient);
    if (largest <= upper) return;
    sum.row.upper = upper - sum.known;
    model_.linear.add_row(std::move(sum.row));
  }
  void equal(Sum sum, double value) {
    sum.row.lower = sum.row.upper = value - sum.known;
    model_.linear.add_row(std::move(sum.row));
  }

  // R[t,v] <= R[t,u] + S_ram[t,u]
  void add_input_rows(std::int32_t t) {
    for (std::int32_t v = 0; v <= t; ++v) {
      if (v < t && !model_.runs[t][v]) continue;
      for (const std::int32_t u : inputs_[v]) {
        Sum sum;
        add_run(sum, t, v, 1);
        add_run(sum, t, u, -1);
        sum.add(model_.in_ram[t][u], -1);
        at_most(std::move(sum), 0);
      }
    }
  }

  // What is there when the next stage begins, and what may be moved.
  void add_state_rows(std::int32_t t) {
    for (std::int32_t i = 0; i <= t && t + 1 < T_; ++i) {
      Sum ram;
      ram.add(model_.in_ram[t + 1][i], 1);
      ram.add(model_.in_ram[t][i], -1);
      add_run(ram, t, i, -1);
      ram.add(model_.page_in[t][i], -1);
      at_most(std::move(ram), 0);
      if (model_.stored[t + 1][i])
        at_most(difference({model_.stored[t + 1][i]}, {model_.stored[t][i], model_.page_out[t][i]}),
                0);
    }
    for (std::int32_t i = 0; i < t; ++i) {
      if (model_.page_in[t][i])
        at_most(difference({model_.page_in[t][i]}, {model_.stored[t][i]}), 0);
      if (model_.page_out[t][i])
        at_most(difference({model_.page_out[t][i]}, {model_.in_ram[t][i]}), 0);
    }
  }

  static Sum difference(const std::vector<Column>& plus, const std::vector<Column>& minus) {
    Sum sum;
    for (const Column column : plus) sum.add(column, 1);
    for (const Column column : minus) sum.add(column, -1);
    return sum;
  }

  // U[t,0] = R[t,0] m_0 + sum_i S_ram[t,i] m_i, then
  // U[t,k+1] = U[t,k] + R[t,k+1] m_{k+1} - sum_{i in pred(k)} m_i Free[t,(i,k)].
  void add_memory_rows(std::int32_t t) {
    Column before;
    for (std::int32_t k = 0; k <= t; ++k) {
      const Column used =
          model_.linear.add_column({.upper = budget_, .kind = ColumnKind::Continuous});
      Sum sum;
      sum.add(used, 1);
      sum.add(before, -1);
      add_run(sum, t, k, -size(k));
      if (k == 0)
        for (std::int32_t i = 0; i < t; ++i) sum.add(model_.in_ram[t][i], -size(i));
      else
        for (const std::int32_t i : inputs_[k - 1]) sum.add(add_free(t, i, k - 1), size(i));
      equal(std::move(sum), 0);
      before = used;
    }
  }

  // Free[t,(i,k)]: input i of k leaves RAM right after k. With
  // h = 1 - R[t,k] + S_ram[t+1,i] + sum_{j in succ(i), j > k} R[t,j] and n its largest value:
  // 1 - Free <= h <= n (1 - Free).
  Column add_free(std::int32_t t, std::int32_t i, std::int32_t k) {
    if (k < t && !model_.runs[t][k]) return {};  // k never runs here: h >= 1
    const Column free = add_binary(0);
    Sum h;
    h.known = 1;
    add_run(h, t, k, -1);
    double largest = 1;
    if (t + 1 < T_) h.add(model_.in_ram[t + 1][i], 1), largest += 1;
    for (const std::int32_t j : readers_[i]) {
      if (j <= k || j > t || (j < t && !model_.runs[t][j])) continue;
      add_run(h, t, j, 1);
      largest += 1;
    }
    Sum most = h;
    most.add(free, largest);
    at_most(std::move(most), largest);
    at_least(std::move(h), free);
    return free;
  }

  // h + Free >= 1
  void at_least(Sum h, Column free) {
    h.add(free, 1);
    h.row.lower = 1 - h.known;
    model_.linear.add_row(std::move(h.row));
  }

  // Computation only, in units of a thousandth of the deadline.
  void add_deadline_row() {
    if (!problem_.deadline_s) return;
    const double unit = *problem_.deadline_s > 0 ? *problem_.deadline_s / 1000 : 1;
    Sum sum;
    for (std::int32_t t = 0; t < T_; ++t)
      for (std::int32_t k = 0; k <= t; ++k)
        add_run(sum, t, k, problem_.operations[k].compute_s / unit);
    at_most(std::move(sum), latest_end_s(*problem_.deadline_s) / unit);
  }

  const Problem& problem_;
  const std::int32_t T_;
  ReleasedModel model_ = {};
  std::int64_t byte_unit_ = 1;
  double budget_ = 0;
  std::vector<std::vector<std::int32_t>> inputs_ = {};   // the operations that make them
  std::vector<std::vector<std::int32_t>> readers_ = {};  // of the tensor an operation makes
};

Failure cannot_state(const std::string& what) {
  return Error{
      .code = ErrorCode::Unsupported,
      .message = "the released formulation cannot state " + what + "; use the event formulation"};
}

Failure check_operation(const Operation& operation) {
  const auto name = [&] { return " (operation '" + operation.name + "')"; };
  if (operation.outputs.size() != 1) return cannot_state("several outputs" + name());
  if (operation.view) return cannot_state("views" + name());
  if (operation.workspace_bytes > 0) return cannot_state("workspace" + name());
  if (operation.in_place) return cannot_state("in-place operations" + name());
  return {};
}

Failure check_tensor(const Tensor& tensor) {
  const auto name = [&] { return " (tensor '" + tensor.name + "')"; };
  if (tensor.updates) return cannot_state("updates" + name());
  if (tensor.home == Home::Storage) return cannot_state("tensors at home in storage" + name());
  if (tensor.home == Home::Rom) return cannot_state("tensors in read-only memory" + name());
  if (tensor.home == Home::Resident) return cannot_state("resident tensors" + name());
  return {};
}

}  // namespace

Failure check_released(const Problem& problem) {
  for (const Operation& operation : problem.operations)
    if (const Failure failure = check_operation(operation)) return failure;
  for (const Tensor& tensor : problem.tensors)
    if (const Failure failure = check_tensor(tensor)) return failure;
  if (!problem.further_memories.empty()) return cannot_state("several memories");
  if (problem.storage_capacity_bytes) return cannot_state("a storage capacity");
  if (problem.write_budget_bytes) return cannot_state("a write budget");
  if (problem.idle_w > 0) return cannot_state("idle power");
  if (problem.time_mode == TimeMode::Overlapped) return cannot_state("overlapped transfers");
  const bool times_count = problem.deadline_s || problem.objective == Objective::Time;
  if (problem.time_mode == TimeMode::Blocking && times_count && problem.paging_allowed)
    return cannot_state("the time of transfers");
  return {};
}

ReleasedModel make_released_model(const Problem& problem) {
  return Builder(problem).build();
}

namespace {

// Fills a matrix from its columns; false when a value is not near 0 or 1.
bool fill(const ReleasedModel::Columns& columns, const std::vector<double>& values,
          SolvedMatrix& matrix) {
  for (std::int32_t t = 0; t < matrix.stages(); ++t) {
    for (std::int32_t i = 0; i < matrix.stages(); ++i) {
      if (!columns[t][i]) continue;
      const double value = values[*columns[t][i]];
      const double nearest = std::round(value);
      if (!(std::abs(value - nearest) <= kIntegral)) return false;
      matrix.set(t, i, nearest != 0);
    }
  }
  return true;
}

}  // namespace

std::optional<SolvedMatrices> released_matrices(const ReleasedModel& model,
                                                const std::vector<double>& values) {
  const auto stages = static_cast<std::int32_t>(model.runs.size()) - 1;
  SolvedMatrices matrices(stages);
  const bool whole = fill(model.runs, values, matrices.runs) &&
                     fill(model.in_ram, values, matrices.in_ram) &&
                     fill(model.stored, values, matrices.stored) &&
                     fill(model.page_in, values, matrices.page_in) &&
                     fill(model.page_out, values, matrices.page_out);
  if (!whole) return std::nullopt;
  for (std::int32_t t = 0; t < stages; ++t) matrices.runs.set(t, t, true);
  return matrices;
}

}  // namespace poet
