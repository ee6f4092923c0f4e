#include "poet/plan/absences.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "poet/problem/facts.h"

namespace poet {
namespace {

constexpr double kNoWay = std::numeric_limits<double>::infinity();

// For each action, how many operations were executed for the first time before it.
std::vector<std::int64_t> stages_of(const Plan& plan) {
  std::vector<std::int64_t> stages;
  std::vector<bool> executed(plan.problem.operations.size(), false);
  std::int64_t stage = 0;
  for (const Action& action : plan.schedule.actions) {
    stages.push_back(stage);
    const Compute* const compute = std::get_if<Compute>(&action);
    if (compute == nullptr || executed[index_of(compute->operation)]) continue;
    executed[index_of(compute->operation)] = true;
    ++stage;
  }
  return stages;
}

// Joules or seconds, as the objective says; idle power is drawn while the processor waits.
double cost_of(const Problem& problem, double energy_j, double time_s) {
  return problem.objective == Objective::Time ? time_s : energy_j + problem.idle_w * time_s;
}

double waited_s(const Problem& problem, double transfer_s) {
  return problem.time_mode == TimeMode::Free ? 0 : transfer_s;
}

// Weighs ways to have tensors again at one moment of a plan.
class WayBack {
 public:
  WayBack(const Plan& plan, std::int64_t action)
      : problem_(plan.problem),
        producers_(producers(plan.problem)),
        in_ram_(plan.problem.tensors.size(), false),
        has_copy_(plan.problem.tensors.size(), false),
        replaced_(plan.problem.tensors.size(), false),
        costs_(plan.problem.tensors.size()),
        taken_(plan.problem.tensors.size(), false) {
    for (const PlanBuffer& buffer : plan.buffers)
      if (buffer.begin_action < action && buffer.end_action > action)
        in_ram_[index_of(buffer.tensor)] = true;
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
      in_ram_[i] = in_ram_[i] || problem_.tensors[i].home == Home::Rom;
      has_copy_[i] = problem_.tensors[i].home == Home::Storage;
    }
    for (std::int64_t a = 0; a < action; ++a) note(plan.schedule.actions[a]);
  }

  std::optional<Recomputation> recompute(TensorId tensor) {
    if (making_cost(tensor) == kNoWay) return std::nullopt;
    make(tensor);
    return std::move(way_);
  }

 private:
  void note(const Action& action) {
    if (const PageOut* const out = std::get_if<PageOut>(&action))
      has_copy_[index_of(out->tensor)] = true;
    const Compute* const compute = std::get_if<Compute>(&action);
    if (compute == nullptr) return;
    for (const TensorId output : at(problem_.operations, compute->operation).outputs)
      if (const auto old = at(problem_.tensors, output).updates) replaced_[index_of(*old)] = true;
  }

  bool can_read(TensorId tensor) const {
    return has_copy_[index_of(tensor)] && !replaced_[index_of(tensor)];
  }

  // Having it: it is there, or the cheaper of reading and making it.
  double cost(TensorId tensor) {
    if (in_ram_[index_of(tensor)]) return 0;
    const double read = can_read(tensor) ? read_cost(problem_, tensor) : kNoWay;
    return std::min(read, making_cost(tensor));
  }

  double making_cost(TensorId tensor) {
    std::optional<double>& known = at(costs_, tensor);
    if (known) return *known;
    known = kNoWay;
    const std::optional<OperationId> producer = at(producers_, tensor);
    if (!producer || !problem_.rematerialisation_allowed || replaced_[index_of(tensor)])
      return kNoWay;
    if (at(problem_.operations, *producer).once) return kNoWay;
    double sum = execution_cost(problem_, *producer);
    for (const TensorId input : ram_inputs(problem_, *producer)) sum += cost(input);
    known = sum;
    return sum;
  }

  // The same, with everything once.
  void make(TensorId tensor) {
    if (taken_[index_of(tensor)]) return;
    taken_[index_of(tensor)] = true;
    const OperationId producer = *at(producers_, tensor);
    for (const TensorId input : ram_inputs(problem_, producer)) have(input);
    if (std::find(way_.operations.begin(), way_.operations.end(), producer) !=
        way_.operations.end())
      return;
    way_.operations.push_back(producer);
    way_.cost += execution_cost(problem_, producer);
  }

  void have(TensorId tensor) {
    if (in_ram_[index_of(tensor)] || taken_[index_of(tensor)]) return;
    if (can_read(tensor) && read_cost(problem_, tensor) <= making_cost(tensor)) {
      taken_[index_of(tensor)] = true;
      way_.reads.push_back(tensor);
      way_.cost += read_cost(problem_, tensor);
      return;
    }
    make(tensor);
  }

  const Problem& problem_;
  const std::vector<std::optional<OperationId>> producers_;
  std::vector<bool> in_ram_;
  std::vector<bool> has_copy_;
  std::vector<bool> replaced_;  // by their new values
  std::vector<std::optional<double>> costs_;
  std::vector<bool> taken_;
  Recomputation way_;
};

}  // namespace

std::vector<Absence> absences_of(const Plan& plan) {
  const std::vector<std::int64_t> stages = stages_of(plan);
  std::vector<std::optional<std::int64_t>> left(plan.problem.tensors.size());
  std::vector<Absence> absences;
  for (const PlanBuffer& buffer : plan.buffers) {
    std::optional<std::int64_t>& left_action = at(left, buffer.tensor);
    if (left_action && buffer.begin_action < std::ssize(stages)) {
      const bool read = std::holds_alternative<PageIn>(plan.schedule.actions[buffer.begin_action]);
      absences.push_back({.tensor = buffer.tensor,
                          .way = read ? Absence::Return::Read : Absence::Return::Recomputed,
                          .left_action = *left_action,
                          .back_action = buffer.begin_action,
                          .left_stage = stages[*left_action],
                          .back_stage = stages[buffer.begin_action]});
    }
    left_action = buffer.end_action;
  }
  return absences;
}

std::optional<TightMoment> tightest_moment(const Plan& plan, const Replay& replayed,
                                           const Absence& absence) {
  std::optional<std::int64_t> worst;
  for (std::int64_t a = absence.left_action; a < absence.back_action; ++a)
    if (std::holds_alternative<Compute>(plan.schedule.actions[a]) &&
        (!worst || replayed.moments[a].ram_bytes > replayed.moments[*worst].ram_bytes))
      worst = a;
  if (!worst) return std::nullopt;
  TightMoment moment;
  moment.operation = std::get<Compute>(plan.schedule.actions[*worst]).operation;
  moment.used_bytes = replayed.moments[*worst].ram_bytes;
  moment.workspace_bytes = at(plan.problem.operations, moment.operation).workspace_bytes;
  for (const PlanBuffer& buffer : plan.buffers)
    if (buffer.begin_action <= *worst && buffer.end_action > *worst && !buffer.shares)
      moment.holders.push_back(buffer.tensor);
  const auto size_bytes = [&plan](TensorId tensor) {
    return at(plan.problem.tensors, tensor).size_bytes;
  };
  std::stable_sort(moment.holders.begin(), moment.holders.end(),
                   [&](TensorId a, TensorId b) { return size_bytes(a) > size_bytes(b); });
  return moment;
}

double execution_cost(const Problem& problem, OperationId operation) {
  const Operation& one = at(problem.operations, operation);
  return cost_of(problem, one.compute_j, one.compute_s);
}

double read_cost(const Problem& problem, TensorId tensor) {
  const Tensor& one = at(problem.tensors, tensor);
  return cost_of(problem, one.page_in_j, waited_s(problem, one.page_in_s));
}

double write_cost(const Problem& problem, TensorId tensor) {
  const Tensor& one = at(problem.tensors, tensor);
  return cost_of(problem, one.page_out_j, waited_s(problem, one.page_out_s));
}

std::optional<Recomputation> recomputation_of(const Plan& plan, const Absence& absence) {
  return WayBack(plan, absence.back_action).recompute(absence.tensor);
}

}  // namespace poet
