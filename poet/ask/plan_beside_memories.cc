// Which step is planned on a device with several memories: by a search of each.
#include "poet/ask/plan_beside_memories.h"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "poet/ask/choose_parts.h"
#include "poet/ask/choose_step.h"
#include "poet/ask/parts_beside_memories.h"
#include "poet/ask/plan_after.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

// Of the effort that is left, for a look at the first of two steps, and for one step or size of
// parts where another comes after it.
constexpr double kPartOfLook = 0.1;
constexpr double kPartOfOne = 0.5;

double objective_of(const PlanReport& report) {
  return objective_of(report.problem, report.replay);
}

// As it was answered, and the search of another counts.
PlanReport with_search_of(const PlanReport& other, PlanReport report) {
  report.timing.solve_s = other.timing.solve_s;
  report.timing.verify_s = other.timing.verify_s;
  report.timing.effort_s = other.timing.effort_s;
  report.timing.ended_by_clock = report.timing.ended_by_clock || other.timing.ended_by_clock;
  report.solve.effort = other.solve.effort;
  return report;
}

// Of two steps, each searched as far as its part of the limit goes.
PlanReport better_of(const Question& question, PlanReport separate, PlanReport sliced) {
  StepChoice choice{.is_tried = true, .of_updates_alone = true};
  bool takes_separate = separate.plan.has_value();
  if (separate.plan && sliced.plan) {
    choice.objective = objective_of(sliced);
    choice.fitting_objective = objective_of(separate);
    choice.is_other = *choice.objective < *choice.fitting_objective * (1 - least_saving(question));
    takes_separate = !choice.is_other;
  } else if (!separate.plan) {
    // That there is no schedule is known of both, or of neither.
    takes_separate = sliced.solve.status == SolveStatus::Infeasible &&
                     separate.solve.status != SolveStatus::Infeasible;
  }
  PlanReport better = takes_separate ? std::move(separate) : std::move(sliced);
  better.choice = std::move(choice);
  return better;
}

// With separate updates and with all by slices. A look at the first comes first, as it may have no
// schedule however long it is searched.
class TwoSteps {
 public:
  TwoSteps(const Question& question, Instance separate, Instance sliced, const Stop& stop,
           const ProgressSink& progress)
      : question_(question),
        separate_(std::move(separate)),
        sliced_(std::move(sliced)),
        stop_(stop),
        progress_(progress) {}

  Result<PlanReport> plan(const WarningSink& early) {
    const Stop look = part_of(stop_, kPartOfLook);
    Result<PlanReport> separate =
        asked_as_ever(plan_instance(briefly(), separate_, look, progress_, early));
    if (!separate.ok()) return separate;
    const bool was_cut = look.requested();
    if (separate->plan && was_cut) {
      separate = searched_on(*separate, *separate, briefly());
      if (!separate.ok()) return separate;
    }
    const bool is_open = separate->solve.status == SolveStatus::Unknown;
    if (stop_.requested() || (separate->plan && !may_be_less(sliced_, *separate))) return separate;
    Result<PlanReport> sliced =
        plan_after(*separate, question_, sliced_, is_open ? one() : stop_, progress_);
    if (!sliced.ok()) return sliced;
    PlanReport last = *sliced;
    const bool goes_on =
        is_open && (sliced->plan ? was_cut && may_be_less(separate_, *sliced) : true);
    if (goes_on && !stop_.requested()) {
      separate = searched_on(*separate, last, sliced->plan ? briefly() : question_);
      if (!separate.ok()) return separate;
      last = *separate;
    }
    return with_search_of(last, better_of(question_, *std::move(separate), *std::move(sliced)));
  }

 private:
  Stop one() const { return part_of(stop_, kPartOfOne); }

  // Of a step beside which another may have a schedule.
  Question briefly() const {
    Question question = question_;
    question.solve.most_effort_to_explain_s = 0;
    return question;
  }
  Result<PlanReport> asked_as_ever(Result<PlanReport> report) const {
    if (!report.ok()) return report;
    report->question.solve.start = question_.solve.start;
    report->question.solve.most_effort_to_explain_s = question_.solve.most_effort_to_explain_s;
    return report;
  }

  // From the schedule that was found, if one was.
  Result<PlanReport> searched_on(const PlanReport& separate, const PlanReport& last,
                                 Question question) {
    if (separate.plan) question.solve.start = separate.plan->schedule;
    return asked_as_ever(
        plan_after(last, question, separate_, separate.plan ? one() : stop_, progress_));
  }

  bool may_be_less(const Instance& one, const PlanReport& than) const {
    return may_save(question_, than.problem, unavoidable_objective(one.problem),
                    objective_of(than));
  }

  const Question& question_;
  const Instance separate_;
  const Instance sliced_;
  const Stop& stop_;
  const ProgressSink& progress_;
};

bool is_of_ram(const Infeasibility& no) {
  return no.kind == Infeasibility::Kind::RamBudget || no.kind == Infeasibility::Kind::Combined;
}

// The answer for one size of parts, after one that had no plan or another; nothing where such parts
// cannot be. What became of it stands in `tried`.
Result<std::optional<PlanReport>> planned_in_parts(QuestionSteps& steps, const PlanReport& before,
                                                   const Stop& stop, const ProgressSink& progress,
                                                   TriedLevel& tried) {
  std::optional<Instance> instance =
      in_parts_of_memories(steps, before.problem.ram_budget_bytes, stop, tried);
  if (!instance) return std::optional<PlanReport>();
  Result<PlanReport> report =
      plan_after(before, steps.question(), *std::move(instance), stop, progress);
  if (!report.ok()) return report.error();
  if (report->plan)
    tried.objective = objective_of(*report);
  else
    tried.why_not = "no schedule was found";
  return std::optional(*std::move(report));
}

// In parts, where no plan of whole operations was found: of the first size that has one, or of the
// next that the step can be cut to, where that costs less.
Result<PlanReport> in_parts(QuestionSteps& steps, PlanReport whole, const Stop& stop,
                            const ProgressSink& progress) {
  std::vector<TriedLevel> tried;
  PlanReport best = std::move(whole);
  for (const std::int64_t part_bytes : part_sizes_in_memories(steps.question(), best.problem)) {
    if (stop.requested()) break;
    const bool is_last = best.plan.has_value();
    if (progress) progress({.phase = "parts"});
    tried.push_back({.part_bytes = part_bytes});
    Result<std::optional<PlanReport>> planned =
        planned_in_parts(steps, best, part_of(stop, kPartOfOne), progress, tried.back());
    if (!planned.ok()) return planned.error();
    if (*planned) {
      const bool is_better =
          (*planned)->plan && (!best.plan || objective_of(**planned) < objective_of(best));
      best = is_better ? **std::move(planned) : with_search_of(**planned, std::move(best));
    }
    if (is_last && *planned) break;
  }
  best.parts.tried = std::move(tried);
  return best;
}

// What one step needs says nothing of another that may be taken, or of other parts.
void leave_out_needs(Infeasibility& no) {
  no.least_budget_bytes.reset();
  no.least_time_s.reset();
}

// Where one of these may have a schedule that nobody looked for.
PlanReport with_ways_on(const Question& question, PlanReport report) {
  if (!report.solve.infeasibility || kind_of(question) != GraphKind::Real) return report;
  Infeasibility& no = *report.solve.infeasibility;
  const bool is_of_time = no.kind == Infeasibility::Kind::Deadline;
  if (leaves_parts_open_in_memories(question) && !question.start && is_of_ram(no))
    no.reason += "; in parts of operations none was found either";
  std::string ways;
  if (question.training.updates == Updates::Separate && (is_of_ram(no) || is_of_time))
    ways = "with updates by slices (--updates sliced)";
  if (!question.training.parts_by_budget && !question.training.part_bytes && is_of_ram(no))
    ways += fmt::format("{}in parts of operations (--parts auto)", ways.empty() ? "" : " or ");
  if (!ways.empty()) no.reason += fmt::format("; {} there may be one", ways);
  return report;
}

}  // namespace

Result<PlanReport> plan_beside_memories(QuestionSteps& steps, Instance separate, const Stop& stop,
                                        const ProgressSink& progress, const WarningSink& early) {
  const Question& question = steps.question();
  std::optional<Instance> sliced;
  if (!question.start) sliced = all_sliced_in_memories(steps, separate);
  if (!question.start && !sliced)
    if (std::optional<Instance> apart = separate_in_parts(steps)) {
      apart->problem.ram_budget_bytes = separate.problem.ram_budget_bytes;
      sliced = std::exchange(separate, *std::move(apart));
    }
  const bool are_others = sliced || leaves_parts_open_in_memories(question);
  Result<PlanReport> report =
      sliced
          ? TwoSteps(question, std::move(separate), *std::move(sliced), stop, progress).plan(early)
          : plan_instance(question, std::move(separate), stop, progress, early);
  if (!report.ok()) return report;
  const std::optional<Infeasibility>& no = report->solve.infeasibility;
  if (leaves_parts_open_in_memories(question) && !question.start && !report->plan &&
      (!no || is_of_ram(*no))) {
    report = in_parts(steps, *std::move(report), stop, progress);
    if (!report.ok()) return report;
  }
  if (are_others && report->solve.infeasibility) leave_out_needs(*report->solve.infeasibility);
  return with_ways_on(question, *std::move(report));
}

}  // namespace poet
