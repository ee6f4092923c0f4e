// Replays a schedule action by action and derives every figure (docs/model/problem.md §2), and the
// worst case of the step (docs/model/problem.md §4.2).
#include "poet/verify/replay.h"

#include <algorithm>
#include <functional>

#include "poet/verify/clock.h"
#include "poet/verify/messages.h"
#include "poet/verify/rules.h"

namespace poet {
namespace {

// Leads each action first past the rules, then past the clock, and adds up what it costs.
class StepReplay {
 public:
  StepReplay(const Problem& problem, const Schedule& schedule)
      : problem_(problem),
        actions_(schedule.actions),
        rules_(problem, schedule),
        clock_(make_clock(problem, rules_.fixed_bytes())),
        paid_(problem) {
    const std::vector<std::int64_t>& fixed_bytes = rules_.fixed_bytes();
    sum_.peak_ram_bytes = at(fixed_bytes, kFastRam);
    sum_.further_peak_bytes = {fixed_bytes.begin() + 1, fixed_bytes.end()};
  }

  Replay run(const ReplayOptions& options) {
    for (std::size_t a = 0; a < actions_.size(); ++a) {
      const Moment moment = run_action(a);
      sum_.peak_ram_bytes = std::max(sum_.peak_ram_bytes, moment.ram_bytes);
      sum_.moments.push_back(moment);
      sum_.taken_s.push_back(taken_s(a, moment));
    }
    add_up();
    const auto end = static_cast<std::int64_t>(actions_.size());
    rules_.end(end, sum_.time_s, options);
    if (sum_.worst_case) rules_.worst_case(end, *sum_.worst_case, options);
    sum_.findings = rules_.findings();
    return sum_;
  }

 private:
  ActionAt action_at(std::size_t a) const {
    return {problem_, static_cast<std::int64_t>(a), actions_[a]};
  }

  // A transfer beside the processor takes it no time: where it is then, it was when it issued it.
  double taken_s(std::size_t a, const Moment& moment) const {
    const bool beside =
        problem_.time_mode == TimeMode::Overlapped && !std::holds_alternative<Compute>(actions_[a]);
    return beside ? clock_->processor_s() : moment.begin_s;
  }

  Moment run_action(std::size_t a) {
    if (std::holds_alternative<Compute>(actions_[a])) return compute(a);
    if (std::holds_alternative<PageOut>(actions_[a])) return page_out(action_at(a));
    if (std::holds_alternative<PageIn>(actions_[a])) return page_in(action_at(a));
    const std::optional<TensorId> dropped = rules_.drop(action_at(a));
    return dropped ? clock_->drop(*dropped) : clock_->nothing();
  }

  Moment compute(std::size_t a) {
    const Action* next = a + 1 < actions_.size() ? &actions_[a + 1] : nullptr;
    const std::optional<JudgedExecution> execution = rules_.compute(action_at(a), next);
    if (!execution) return clock_->nothing();
    const Operation& operation = at(problem_.operations, execution->run.operation);
    ++at(paid_.executions, execution->run.operation);
    sum_.compute_j += operation.compute_j;
    sum_.compute_s += operation.compute_s;
    sum_.access_j += execution->access_j;
    sum_.access_s += execution->run.access_s;
    const Moment moment = clock_->compute(execution->run);
    judge_memories(action_at(a), moment);
    return moment;
  }

  Moment page_out(const ActionAt& action) {
    const std::optional<JudgedTransfer> out = rules_.page_out(action);
    if (!out) return clock_->nothing();
    ++at(paid_.writes, out->moved.tensor);
    sum_.page_out_j += at(problem_.tensors, out->moved.tensor).page_out_j;
    sum_.access_j += out->access_j;
    return clock_->page_out(out->moved);
  }

  Moment page_in(const ActionAt& action) {
    const std::optional<JudgedTransfer> in = rules_.page_in(action);
    if (!in) return clock_->nothing();
    ++at(paid_.reads, in->moved.tensor);
    sum_.page_in_j += at(problem_.tensors, in->moved.tensor).page_in_j;
    sum_.access_j += in->access_j;
    const Moment moment = clock_->page_in(in->moved);
    if (in->moved.buffer == Buffer::Taken) judge_memories(action, moment);
    return moment;
  }

  void judge_memories(const ActionAt& action, const Moment& moment) {
    rules_.ram_in_use(action, moment.ram_bytes);
    for (std::size_t k = 0; k < sum_.further_peak_bytes.size(); ++k) {
      const MemoryId memory{static_cast<std::int32_t>(k) + 1};
      const std::int64_t used_bytes = clock_->used_bytes(memory);
      sum_.further_peak_bytes[k] = std::max(sum_.further_peak_bytes[k], used_bytes);
      rules_.memory_in_use(action, memory, used_bytes);
    }
  }

  void add_up() {
    const StepState& state = rules_.state();
    sum_.time_s = clock_->time_s();
    sum_.idle_j = problem_.idle_w * sum_.time_s;
    sum_.energy_j = sum_.compute_j + sum_.page_in_j + sum_.page_out_j + sum_.access_j + sum_.idle_j;
    sum_.stall_s = sum_.time_s - sum_.compute_s - sum_.access_s;
    sum_.storage_bytes = state.storage_bytes;
    sum_.written_bytes = state.written_bytes;
    sum_.read_bytes = state.read_bytes;
    sum_.recomputed_operations = state.recomputed_operations;
    sum_.paged_tensors = state.paged_tensors;
    if (problem_.uncertainty)
      sum_.worst_case = worst_case(problem_, paid_, sum_.time_s, sum_.energy_j);
  }

  const Problem& problem_;
  const std::vector<Action>& actions_;
  Rules rules_;
  std::unique_ptr<Clock> clock_;
  PaidCosts paid_;
  Replay sum_;
};

// What the step paid for each cost by the figures, in time and in energy.
struct Shares {
  std::vector<double> times_s = {};
  std::vector<double> energies_j = {};

  void add(std::int64_t count, double time_s, double energy_j, double idle_w) {
    const auto times = static_cast<double>(count);
    times_s.push_back(times * time_s);
    energies_j.push_back(times * (energy_j + idle_w * time_s));
  }
};

Shares shares_of(const Problem& problem, const PaidCosts& paid) {
  Shares shares;
  for (std::size_t v = 0; v < problem.operations.size(); ++v)
    shares.add(paid.executions[v], problem.operations[v].compute_s, problem.operations[v].compute_j,
               problem.idle_w);
  const bool timed = problem.time_mode != TimeMode::Free;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const Tensor& tensor = problem.tensors[i];
    shares.add(paid.reads[i], timed ? tensor.page_in_s : 0, tensor.page_in_j, problem.idle_w);
    shares.add(paid.writes[i], timed ? tensor.page_out_s : 0, tensor.page_out_j, problem.idle_w);
  }
  return shares;
}

double sum_of_largest(std::vector<double> values, std::int64_t most) {
  std::sort(values.begin(), values.end(), std::greater<>());
  double sum = 0;
  for (std::int64_t k = 0; k < std::min(most, std::ssize(values)); ++k) sum += values[k];
  return sum;
}

}  // namespace

Replay replay(const Problem& problem, const Schedule& schedule, const ReplayOptions& options) {
  return StepReplay(problem, schedule).run(options);
}

double objective_of(const Problem& problem, const Replay& replayed) {
  return problem.objective == Objective::Time ? replayed.time_s : replayed.energy_j;
}

bool breaks_only_limits(const Replay& replayed) {
  return std::all_of(replayed.findings.begin(), replayed.findings.end(), [](const Finding& it) {
    return it.rule == Rule::RamBudget || it.rule == Rule::Deadline ||
           it.rule == Rule::WorstCaseDeadline || it.rule == Rule::StorageCapacity ||
           it.rule == Rule::WriteBudget || it.rule == Rule::MemoryFull;
  });
}

WorstCase worst_case(const Problem& problem, const PaidCosts& paid, double time_s,
                     double energy_j) {
  const Uncertainty& uncertainty = *problem.uncertainty;
  WorstCase worst = {(1 + uncertainty.ratio) * time_s, (1 + uncertainty.ratio) * energy_j};
  if (!uncertainty.deviations) return worst;
  Shares shares = shares_of(problem, paid);
  const double more_s = sum_of_largest(std::move(shares.times_s), *uncertainty.deviations);
  const double more_j = sum_of_largest(std::move(shares.energies_j), *uncertainty.deviations);
  worst.time_s = std::min(worst.time_s, time_s + uncertainty.ratio * more_s);
  worst.energy_j = std::min(worst.energy_j, energy_j + uncertainty.ratio * more_j);
  return worst;
}

}  // namespace poet
