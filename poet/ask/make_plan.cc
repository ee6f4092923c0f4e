#include "poet/ask/make_plan.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "poet/ask/choose_parts.h"
#include "poet/ask/choose_step.h"
#include "poet/ask/plan_after.h"
#include "poet/ask/plan_beside_memories.h"
#include "poet/ask/several_memories.h"
#include "poet/ask/stop_warning.h"
#include "poet/overlap/planner.h"
#include "poet/problem/deadline.h"
#include "poet/problem/facts.h"
#include "poet/problem/uncertainty.h"
#include "poet/solve/budget_solver.h"

namespace poet {
namespace {

// Whether another step may have a schedule: one that needs less at a time, or is quicker.
bool has_other_steps(const Question& question, const PlanReport& report) {
  if (!report.solve.infeasibility) return false;
  // Of parts that the budget chose, others were tried.
  if (report.parts.part_bytes && report.parts.by_budget) return false;
  return report.updates.asked == Updates::Auto || leaves_parts_open(question);
}

// Parts need less RAM. Which step is quickest is another question (quickest_plan()), and homes are
// the same.
bool may_help_in_parts(const PlanReport& report) {
  const Infeasibility::Kind kind = report.solve.infeasibility->kind;
  return kind != Infeasibility::Kind::StorageCapacity && kind != Infeasibility::Kind::Deadline;
}

// The answer of the step that costs less than that of `report`, where one does.
Result<PlanReport> of_less_cost(QuestionSteps& steps, const Question& question, Instance found,
                                const Stop& stop, const ProgressSink& progress, PlanReport report) {
  const double begin_s = stop.now_s();
  const double counted_before = stop.counted();
  Instance least = least_costly(steps, std::move(found), stop, progress);
  add_search(begin_s, counted_before, stop, report.timing);
  report.choice = least.choice;
  if (!least.choice.is_other) return report;
  Result<PlanReport> other = plan_after(report, question, std::move(least), stop, progress);
  if (!other.ok() || (other->plan && objective_of(other->problem, other->replay) <
                                         objective_of(report.problem, report.replay)))
    return other;
  report.choice.is_other = false;
  return report;
}

// The answer about all steps that the request may take at this budget, where the one of `report`
// has none: with more weights updated by slices there may be a schedule. From more to less RAM;
// with still more slices, or in parts, that may cost less.
Result<PlanReport> with_more_slices(QuestionSteps& steps, const Question& question,
                                    const Stop& stop, const ProgressSink& progress,
                                    PlanReport report, std::vector<UpdateLevel>& levels) {
  const std::int64_t budget_bytes = report.problem.ram_budget_bytes;
  // The first level that fits is the report's own; of a step in parts it is the first.
  const bool is_cut = report.parts.cuts != nullptr;
  bool is_tried = true;
  for (UpdateLevel& level : levels) {
    const bool is_too_large = level.least_bytes > budget_bytes;
    if ((!is_too_large || is_cut) && std::exchange(is_tried, false)) continue;
    if (is_too_large) continue;
    Instance instance = level.instance;
    instance.problem.ram_budget_bytes = budget_bytes;
    Result<PlanReport> less = plan_after(report, question, instance, stop, progress);
    if (!less.ok()) return less;
    report = *std::move(less);
    if (report.solve.status == SolveStatus::Infeasible) continue;
    if (!report.plan || !leaves_step_open(question, instance)) return report;
    instance.parts.start = std::make_shared<const Schedule>(report.plan->schedule);
    return of_less_cost(steps, question, std::move(instance), stop, progress, std::move(report));
  }
  return report;
}

// The answer in parts of operations, where no whole step has a schedule; as it is where parts have
// none either.
Result<PlanReport> with_parts(const Question& question, const Stop& stop,
                              const ProgressSink& progress, PlanReport report,
                              QuestionSteps& steps) {
  // Where an operation alone needs more, they were tried before.
  if (!leaves_parts_open(question) || !may_help_in_parts(report) ||
      largest_working_set(report.problem).bytes > report.problem.ram_budget_bytes)
    return report;
  const double begin_s = stop.now_s();
  const double counted_before = stop.counted();
  std::optional<Instance> parts =
      choose_parts(steps, report.problem.ram_budget_bytes, stop, progress);
  add_search(begin_s, counted_before, stop, report.timing);
  if (!parts) return report;
  Result<PlanReport> less = plan_after(report, question, *std::move(parts), stop, progress);
  if (!less.ok() || less->plan) return less;
  return report;
}

// Of one step alone: of all steps together nothing is known to need so much.
void leave_out_least_budget(PlanReport& report) {
  Infeasibility& no = *report.solve.infeasibility;
  if (!no.least_budget_bytes) return;
  no.least_budget_bytes.reset();
  no = retold(report.problem, std::move(no));
}

// A refusal is of one step: the budgets that it names are those of all steps together. `works`: the
// step of a schedule that keeps the budget after all, where one is found on the way, with the
// schedule.
Failure name_budgets_of_all_steps(const std::vector<UpdateLevel>& levels, const Stop& stop,
                                  PlanReport& report, std::optional<Instance>& works) {
  Infeasibility& no = *report.solve.infeasibility;
  // Of parts only some sizes were looked at: others may need less, so nothing is proved of all.
  const bool has_others = leaves_parts_open(report.question);
  const bool is_of_two_limits = no.kind == Infeasibility::Kind::Combined && no.operation;
  // What works by the event formulation may not by another.
  const bool is_of_another_class = report.question.formulation != &planner_table().front();
  if (is_of_two_limits || is_of_another_class || levels.size() == 1) {
    if (has_others || levels.size() > 1) leave_out_least_budget(report);
    return std::nullopt;
  }
  SolveOptions options = report.question.solve;
  options.gap_ratio = 0;
  const Result<LeastOverLevels> least = least_over_levels(levels, [&](const Problem& problem) {
    return solve_least_budget(problem, options, stop, {});
  });
  if (!least.ok()) return least.error();
  if (least->solved.least.status == SolveStatus::Infeasible) return std::nullopt;
  no.least_budget_bytes.reset();
  if (!has_others) no.least_budget_bytes = least->solved.least.proved_bytes;
  no.working_budget_bytes = least->solved.least.found_bytes;
  if (no.working_budget_bytes && *no.working_budget_bytes <= report.problem.ram_budget_bytes &&
      least->solved.least.schedule) {
    works = levels[least->level].instance;
    works->problem.ram_budget_bytes = report.problem.ram_budget_bytes;
    works->parts.start = std::make_shared<const Schedule>(*least->solved.least.schedule);
  }
  no = retold(report.problem, std::move(no));
  return std::nullopt;
}

// With the schedule of the quickest plan, where that keeps the deadline.
std::optional<PlanReport> begun_with(const PlanReport& quickest, const Question& question,
                                     double deadline_s, const Stop& stop,
                                     const ProgressSink& progress) {
  if (!within_deadline(kept_time_s(quickest), deadline_s)) return std::nullopt;
  Question begun = question;
  begun.start = AskedStart{.path = "the quickest plan", .plan = *quickest.plan};
  Result<PlanReport> found = make_plan(begun, stop, progress);
  if (!found.ok() || !found->plan) return std::nullopt;
  found->question.start.reset();  // nobody asked for that
  found->order.of_start = false;
  return *std::move(found);
}

// Where transfers run beside the processor, a search may take all its time and find nothing that
// keeps a deadline: nothing else is known that does, so the quickest plan is looked for first.
Result<std::optional<PlanReport>> in_time_at_once(const Question& question,
                                                  const Instance& instance, const Stop& stop,
                                                  const ProgressSink& progress) {
  const Problem& problem = instance.problem;
  const bool is_asked = problem.deadline_s && problem.time_mode == TimeMode::Overlapped &&
                        kind_of(question) == GraphKind::Real &&
                        question.formulation == &planner_table().front();
  if (!is_asked || question.start || instance.parts.start ||
      largest_working_set(problem).bytes > problem.ram_budget_bytes)
    return std::optional<PlanReport>();
  Result<std::optional<PlanReport>> quickest =
      quickest_plan(question, problem.ram_budget_bytes, stop);
  if (!quickest.ok() || !*quickest) return quickest;
  return begun_with(**quickest, question, *asked_deadline_s(problem), stop, progress);
}

// A deadline that works for one step says nothing of the others, some of which are quicker. With
// the schedule of the quickest, where that keeps the deadline after all.
Result<std::optional<PlanReport>> name_deadlines_of_all_steps(const Question& question,
                                                              const Stop& stop,
                                                              const ProgressSink& progress,
                                                              PlanReport& report) {
  Infeasibility& no = *report.solve.infeasibility;
  if (!report.problem.deadline_s || question.start) return std::optional<PlanReport>();
  Result<std::optional<PlanReport>> quickest =
      quickest_plan(question, report.problem.ram_budget_bytes, stop);
  if (!quickest.ok()) return quickest.error();
  if (no.least_time_s || no.working_time_s) {
    no.least_time_s.reset();
    // One that keeps this deadline is the answer below, or no answer at all.
    if (*quickest && !within_deadline(kept_time_s(**quickest), *asked_deadline_s(report.problem)) &&
        (!no.working_time_s || kept_time_s(**quickest) < *no.working_time_s))
      no.working_time_s = kept_time_s(**quickest);
    no = retold(report.problem, std::move(no));
  }
  if (!*quickest) return quickest;
  return begun_with(**quickest, question, *asked_deadline_s(report.problem), stop, progress);
}

// As each of the steps is searched that the question may take. What would work in the place of a
// deadline is asked of all of them together, when none has a schedule.
Question of_one_step(Question question, const Instance& instance) {
  constexpr double kToExplainOneOfMany_s = 1;
  if (question.solve.certificate == CertificateEffort::None)
    question.solve.certificate = CertificateEffort::Cheap;
  const bool are_many = !instance.parts.part_bytes &&
                        (question.training.updates == Updates::Auto || leaves_parts_open(question));
  if (question.deadline && are_many)
    question.solve.most_effort_to_explain_s = kToExplainOneOfMany_s;
  return question;
}

}  // namespace

Result<PlanReport> plan_over_updates(QuestionSteps& steps, Instance instance, const Stop& stop,
                                     const ProgressSink& progress, const WarningSink& early) {
  if (has_several_memories(steps.question()))
    return plan_beside_memories(steps, std::move(instance), stop, progress, early);
  const Question question = of_one_step(steps.question(), instance);
  const double first_s = stop.now_s();
  const double first_counted = stop.counted();
  // Of another search that began from what was found here: all of it counts.
  const auto after_all = [&](PlanReport found) {
    found.timing.solve_s = stop.now_s() - first_s - found.timing.verify_s;
    found.timing.effort_s = (stop.counted() - first_counted) / kEffortUnitsPerSecond;
    return found;
  };
  Result<std::optional<PlanReport>> at_once =
      in_time_at_once(steps.question(), instance, stop, progress);
  if (!at_once.ok()) return at_once.error();
  if (*at_once) return after_all(**std::move(at_once));
  Result<PlanReport> report = plan_instance(question, std::move(instance), stop, progress, early);
  if (!report.ok() || !has_other_steps(question, *report)) return report;
  Result<std::vector<UpdateLevel>> levels = steps_of_updates(steps);
  if (!levels.ok()) return levels.error();
  report = with_more_slices(steps, question, stop, progress, *std::move(report), *levels);
  if (!report.ok() || report->solve.status != SolveStatus::Infeasible) return report;
  // The quickest of all steps is found soon, where parts that keep a deadline are looked for long.
  Result<std::optional<PlanReport>> in_time =
      name_deadlines_of_all_steps(steps.question(), stop, progress, *report);
  if (!in_time.ok()) return in_time.error();
  if (*in_time) return after_all(**std::move(in_time));
  report = with_parts(question, stop, progress, *std::move(report), steps);
  if (!report.ok() || report->solve.status != SolveStatus::Infeasible) return report;
  // Proved of whole operations: of others it is not known what more time would have found.
  if (leaves_parts_open(question))
    if (std::optional<std::string> warning = stop_warning(stop))
      report->warnings.push_back(*std::move(warning));
  const Infeasibility::Kind kind = report->solve.infeasibility->kind;
  if (kind != Infeasibility::Kind::RamBudget && kind != Infeasibility::Kind::Combined)
    return report;  // no budget is the answer
  const double begin_s = stop.now_s();
  const double counted_before = stop.counted();
  levels = steps_of_question(steps, stop, progress);
  if (!levels.ok()) return levels.error();
  std::optional<Instance> works;
  if (Failure failure = name_budgets_of_all_steps(*levels, stop, *report, works)) return *failure;
  if (works) {
    Result<PlanReport> found = plan_after(*report, question, *std::move(works), stop, progress);
    if (!found.ok() || found->plan) return found;
  }
  add_search(begin_s, counted_before, stop, report->timing);
  report->timing.ended_by_clock = report->timing.ended_by_clock || stop.requested_outside();
  return report;
}

Result<std::optional<PlanReport>> quickest_plan(const Question& question,
                                                std::int64_t ram_budget_bytes, const Stop& stop) {
  constexpr double kPartOfQuickest = 0.3;
  constexpr double kMostQuickestEffort = 16 * kEffortUnitsPerSecond;
  Question quickest = question;
  quickest.objective = Objective::Time;
  quickest.deadline.reset();
  quickest.start.reset();
  quickest.ram_budget = RamBytes{ram_budget_bytes};
  quickest.worth_a_look = 0;
  Stop sooner = part_of(stop, kPartOfQuickest);
  sooner.effort_limit = std::min(sooner.effort_limit, stop.counted() + kMostQuickestEffort);
  Result<PlanReport> report = make_plan(quickest, sooner, {});
  if (!report.ok()) return report.error();
  if (!report->plan) return std::optional<PlanReport>();
  return std::optional(*std::move(report));
}

double kept_time_s(const PlanReport& report) {
  return report.replay.worst_case ? report.replay.worst_case->time_s : report.replay.time_s;
}

Result<PlanReport> make_plan(const Question& question, const Stop& stop,
                             const ProgressSink& progress, const WarningSink& early) {
  const double begin_s = stop.now_s();
  QuestionSteps steps(question);
  if (const Result<const MadeStep*> first = steps.first(); !first.ok()) return first.error();
  // Which step it is, of what parts and in which order, is looked for.
  const double prepared_s = stop.now_s();
  const double counted_before = stop.counted();
  Result<Instance> instance = instance_to_plan(steps, stop, progress);
  if (!instance.ok()) return instance.error();
  PlanTiming before{.prepare_s = prepared_s - begin_s};
  add_search(prepared_s, counted_before, stop, before);
  Result<PlanReport> report = plan_over_updates(steps, *std::move(instance), stop, progress, early);
  if (!report.ok()) return report;
  report->timing.prepare_s = before.prepare_s;
  report->timing.solve_s += before.solve_s;
  report->timing.effort_s += before.effort_s;
  return report;
}

}  // namespace poet
