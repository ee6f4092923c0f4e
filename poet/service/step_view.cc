#include "poet/service/step_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "poet/ask/explain.h"
#include "poet/base/message_text.h"
#include "poet/problem/facts.h"
#include "poet/report/markup.h"
#include "poet/report/stage_matrix.h"
#include "poet/report/timed_actions.h"
#include "poet/tell/explain_text.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

std::int64_t& share(RamShares& shares, RamUse use) {
  return shares[static_cast<std::size_t>(use)];
}

// For each tensor, what it is in RAM for.
std::vector<RamUse> uses_of(const Problem& problem) {
  const std::vector<std::optional<OperationId>> made_by = producers(problem);
  std::vector<RamUse> uses;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    if (problem.tensors[i].home != Home::Made || problem.tensors[i].updates || !made_by[i])
      uses.push_back(RamUse::Parameters);
    else
      uses.push_back(at(problem.operations, *made_by[i]).backward ? RamUse::Gradients
                                                                  : RamUse::Activations);
  }
  return uses;
}

// What is taken and given back when an action begins.
std::vector<RamShares> changes_of(const Plan& plan) {
  const std::vector<RamUse> uses = uses_of(plan.problem);
  std::vector<RamShares> changes(plan.schedule.actions.size() + 1, RamShares{});
  for (const PlanBuffer& buffer : plan.buffers) {
    const std::int64_t from = counted_from(plan, buffer);
    if (from >= buffer.end_action || buffer.memory != kFastRam) continue;
    const RamUse use = uses[static_cast<std::size_t>(index_of(buffer.tensor))];
    share(changes[static_cast<std::size_t>(from)], use) += buffer.size_bytes;
    share(changes[static_cast<std::size_t>(buffer.end_action)], use) -= buffer.size_bytes;
  }
  return changes;
}

std::int64_t workspace_bytes(const Problem& problem, const TimedAction& step) {
  if (step.kind != ActionKind::Compute && step.kind != ActionKind::Recompute) return 0;
  return at(problem.operations, OperationId{step.index}).workspace_bytes;
}

void add(RamShares& sum, const RamShares& more) {
  for (std::size_t use = 0; use < kRamUses; ++use) sum[use] += more[use];
}

// What every part of the view is made from.
struct ReplayedStep {
  const Plan& plan;
  Replay replayed;
  std::vector<TimedAction> actions;
};

// "[a,b,c]" of what `write` gives for the items.
template <typename Items, typename Write>
std::string list_of(const Items& items, Write write) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ",";
    out += write(item);
  }
  return out + "]";
}

template <typename Integer>
std::string number(Integer value) {
  return fmt::format("{}", static_cast<std::int64_t>(value));
}
std::string short_real(double value) {
  return fmt::format("{:.6g}", value);
}

// The members of an object, written one after the other.
class Members {
 public:
  Members& add(const char* name, const std::string& value) {
    text_ += fmt::format("{}\"{}\":{}", text_.empty() ? "{" : ",\n", name, value);
    return *this;
  }
  std::string text() const { return text_ + "}"; }

 private:
  std::string text_;
};

std::string operations_text(const Problem& problem) {
  return list_of(problem.operations, [](const Operation& one) {
    return fmt::format("[{},{:.6g},{:.6g},{},{}]", script_string(one.name), one.compute_s,
                       one.compute_j, one.workspace_bytes, one.backward ? 1 : 0);
  });
}

const char* home_name(const Tensor& tensor) {
  switch (tensor.home) {
    case Home::Made:
      return "made";
    case Home::Storage:
      return "storage";
    case Home::Resident:
      return "resident";
    case Home::Rom:
      return "rom";
  }
  return "";
}

std::string tensors_text(const Problem& problem) {
  const std::vector<std::optional<OperationId>> made_by = producers(problem);
  std::string out = "[";
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const Tensor& tensor = problem.tensors[i];
    out += fmt::format("{}[{},{},\"{}\",{}]", i > 0 ? "," : "", script_string(tensor.name),
                       tensor.size_bytes, home_name(tensor),
                       made_by[i] ? number(index_of(*made_by[i])) : "null");
  }
  return out + "]";
}

std::string matrix_text(const StageMatrix& matrix) {
  return Members()
      .add("stages", number(matrix.stages))
      .add("columns", list_of(matrix.columns, [](TensorId one) { return number(index_of(one)); }))
      .add("runs", list_of(matrix.runs,
                           [](const PlaceRun& run) {
                             return fmt::format("{},{},{},{}", run.column, run.begin_stage,
                                                run.end_stage, static_cast<int>(run.place));
                           }))
      .add("marks", list_of(matrix.marks,
                            [](const StageMark& mark) {
                              return fmt::format("{},{},{}", mark.column, mark.stage,
                                                 static_cast<int>(mark.kind));
                            }))
      .text();
}

std::string actions_text(const std::vector<TimedAction>& actions) {
  return list_of(actions, [](const TimedAction& one) {
    return fmt::format("{},{},{},{:.7g},{:.7g},{}", static_cast<int>(one.kind), one.index,
                       one.stage, one.moment.begin_s, one.moment.end_s, one.moment.ram_bytes);
  });
}

std::string shares_text(const ReplayedStep& step) {
  return list_of(ram_shares(step.plan, step.actions),
                 [](const RamShares& shares) { return fmt::format("{}", fmt::join(shares, ",")); });
}

// The position in the list of timed actions of the first that is at or after `action`.
std::int64_t timed_position(const std::vector<TimedAction>& actions, std::int64_t action) {
  const auto found = std::lower_bound(
      actions.begin(), actions.end(), action,
      [](const TimedAction& one, std::int64_t sought) { return one.action < sought; });
  return found - actions.begin();
}

std::string buffers_text(const ReplayedStep& step) {
  std::string out = "[";
  for (const PlanBuffer& buffer : step.plan.buffers) {
    const std::int64_t begin = timed_position(step.actions, counted_from(step.plan, buffer));
    const std::int64_t end = timed_position(step.actions, buffer.end_action);
    if (begin >= end || buffer.memory != kFastRam) continue;
    out +=
        fmt::format("{}{},{},{}", out.size() > 1 ? "," : "", index_of(buffer.tensor), begin, end);
  }
  return out + "]";
}

std::string extra_text(const ReplayedStep& step) {
  return list_of(extra_work(step.plan.problem, step.actions), [](const ExtraWork& one) {
    return fmt::format("[{},{},{},{},{:.6g},{:.6g},{}]", static_cast<int>(one.kind), one.index,
                       one.count, one.size_bytes, one.energy_j, one.time_s,
                       list_of(one.stages, number<std::int64_t>));
  });
}

std::string absences_text(const ReplayedStep& step) {
  const Problem& problem = step.plan.problem;
  const double overhead = objective_of(problem, step.replayed) - unavoidable_objective(problem);
  return list_of(absences_of(step.plan), [&](const Absence& absence) {
    const ExplainedAbsence explained =
        explained_absence(step.plan, step.replayed, absence, std::nullopt);
    return fmt::format("[{},{},{},{},{}]", index_of(absence.tensor),
                       absence.way == Absence::Return::Read ? 0 : 1, absence.left_stage,
                       absence.back_stage,
                       script_string(absence_text(problem, explained, overhead)));
  });
}

std::string figures_text(const ReplayedStep& step) {
  const Problem& problem = step.plan.problem;
  const Replay& replayed = step.replayed;
  const Unavoidable least = unavoidable(problem);
  return Members()
      .add("ram_budget_bytes", number(problem.ram_budget_bytes))
      .add("peak_ram_bytes", number(replayed.peak_ram_bytes))
      .add("plain_peak_bytes", number(plain_peak_bytes(problem)))
      .add("largest_working_set_bytes", number(largest_working_set(problem).bytes))
      .add("deadline_s", problem.deadline_s ? short_real(*problem.deadline_s) : "null")
      .add("time_s", short_real(replayed.time_s))
      .add("energy_j", short_real(replayed.energy_j))
      .add("compute_j", short_real(replayed.compute_j))
      .add("page_in_j", short_real(replayed.page_in_j))
      .add("page_out_j", short_real(replayed.page_out_j))
      .add("access_j", short_real(replayed.access_j))
      .add("idle_j", short_real(replayed.idle_j))
      .add("unavoidable_j", short_real(least.energy_j))
      .add("unavoidable_s", short_real(least.time_s))
      .text();
}

// The stage of the first backward operation.
std::string backward_stage(const std::vector<TimedAction>& actions) {
  for (const TimedAction& one : actions)
    if (one.backward) return number(one.stage);
  return "null";
}

}  // namespace

std::int64_t counted_from(const Plan& plan, const PlanBuffer& buffer) {
  if (!buffer.shares) return buffer.begin_action;
  return plan.buffers[static_cast<std::size_t>(*buffer.shares)].end_action;
}

std::vector<RamShares> ram_shares(const Plan& plan, const std::vector<TimedAction>& steps) {
  const std::vector<RamShares> changes = changes_of(plan);
  std::vector<RamShares> shares;
  RamShares held = {};
  std::int64_t action = 0;
  for (const TimedAction& step : steps) {
    for (; action <= step.action; ++action) add(held, changes[static_cast<std::size_t>(action)]);
    RamShares now = held;
    share(now, RamUse::Workspace) = workspace_bytes(plan.problem, step);
    std::int64_t known = 0;
    for (const std::int64_t bytes : now) known += bytes;
    share(now, RamUse::InTransfer) = step.moment.ram_bytes - known;
    shares.push_back(now);
  }
  return shares;
}

Result<std::string> step_view(const Plan& plan) {
  Replay replayed = replay(plan.problem, plan.schedule);
  if (!replayed.valid() && !breaks_only_limits(replayed))
    return bad_input(fmt::format("the plan breaks a rule, so there is nothing to show: {}",
                                 replayed.findings.front().message));
  std::vector<TimedAction> actions = timed_actions(plan.problem, plan.schedule, replayed);
  const ReplayedStep step{plan, std::move(replayed), std::move(actions)};
  return Members()
      .add("format", "\"poet-step\"")
      .add("version", "1")
      .add("model", script_string(plan.origin.model))
      .add("platform", script_string(plan.origin.platform))
      .add("figures", figures_text(step))
      .add("operations", operations_text(plan.problem))
      .add("tensors", tensors_text(plan.problem))
      .add("backward_stage", backward_stage(step.actions))
      .add("matrix", matrix_text(stage_matrix(plan.problem, plan.schedule, step.actions)))
      .add("actions", actions_text(step.actions))
      .add("ram", shares_text(step))
      .add("buffers", buffers_text(step))
      .add("extra", extra_text(step))
      .add("absences", absences_text(step))
      .text();
}

}  // namespace poet
