#include "poet/forms/plan_of_less.h"

#include <utility>
#include <vector>

#include "poet/ask/choose_step.h"
#include "poet/problem/facts.h"
#include "poet/problem/problem.h"

namespace poet {

std::optional<OrderTrial> try_forms(const FormsRequest& request, const StepForms& forms,
                                    const PlanFormsOptions& options, const Stop& stop) {
  std::vector<Problem> problems;
  for (const StepGraph& form : forms.forms) {
    if (&form == &forms.forms.back() && request.evaluation) break;
    problems.push_back(form.instance.problem);
    problems.back().ram_budget_bytes = forms.ram_budget_bytes;
  }
  std::vector<const Problem*> asked;
  for (const Problem& problem : problems) asked.push_back(&problem);
  return try_order(searched_no_further_than_pays(request.question, forms, options), asked, stop);
}

namespace {

FormsRequest request_of(const FormsRequest& request, const StepForms& forms, const KeptStep& step) {
  FormsRequest other = request;
  other.question.ram_budget = RamBytes{forms.ram_budget_bytes};
  if (step.kind == KeptStep::Kind::Sliced) other.question.training.updates = Updates::Sliced;
  if (step.kind == KeptStep::Kind::Parts) other.question.training.part_bytes = step.part_bytes;
  return other;
}

// The steps that a search of a moment finds better than the one that fits.
std::vector<KeptStep> steps_to_try(Question micro_batch, const StepForms& forms, const Stop& stop,
                                   const ProgressSink& progress) {
  micro_batch.ram_budget = RamBytes{forms.ram_budget_bytes};
  QuestionSteps steps(micro_batch);
  const Result<Instance> fitting = fitting_instance(steps);
  std::vector<KeptStep> kept;
  if (!fitting.ok()) return kept;
  StepChoice choice;
  for (const Instance& other : steps_that_save(steps, *fitting, stop, progress, choice)) {
    const auto kind = other.parts.part_bytes ? KeptStep::Kind::Parts : KeptStep::Kind::Sliced;
    // Slices come in two orders, and forms with slices in one.
    if (!kept.empty() && kept.back().kind == kind) continue;
    kept.push_back({.kind = kind, .part_bytes = other.parts.part_bytes.value_or(0)});
  }
  return kept;
}

// Which of them costs least; each is tried as long as the one that fits.
KeptStep best_step(const LessAsked& asked, FormsMaker& maker, const StepForms& forms,
                   const PlanFormsOptions& options, const Stop& stop,
                   const ProgressSink& progress) {
  KeptStep best;
  const std::vector<KeptStep> steps = steps_to_try(asked.micro_batch, forms, stop, progress);
  if (steps.empty()) return best;
  const std::optional<OrderTrial> fitting = try_forms(asked.request, forms, options, stop);
  if (!fitting) return best;
  double most = fitting->objective * (1 - least_saving(asked.request.question));
  for (const KeptStep& step : steps) {
    const FormsRequest other = request_of(asked.request, forms, step);
    const Result<StepForms> made = maker.forms(other);
    if (!made.ok()) continue;  // the evaluation, say, is not reached
    const std::optional<OrderTrial> trial = try_forms(other, *made, options, stop);
    if (!trial || trial->objective >= most) continue;
    most = trial->objective;
    best = step;
  }
  return best;
}

// Whether the step fits, and the request leaves it to the budget whether it is another.
bool leaves_step_to_budget(const FormsRequest& request, const StepForms& forms) {
  if (!request.training || request.rank || forms.forms.empty()) return false;
  const Instance& front = forms.forms.front().instance;
  return largest_working_set(front.problem).bytes <= forms.ram_budget_bytes &&
         leaves_step_open(request.question, front);
}

}  // namespace

Result<std::optional<PlannedForms>> plan_of_less(const LessAsked& asked, FormsMaker& maker,
                                                 StepForms& forms, const PlanFormsOptions& options,
                                                 const Stop& stop, const ProgressSink& progress) {
  const std::optional<PlannedForms> nothing;
  if (!leaves_step_to_budget(asked.request, forms)) return nothing;
  const std::int64_t budget_bytes = forms.ram_budget_bytes;
  std::optional<KeptStep> step = find_step(options.cache, asked.key, budget_bytes);
  if (!step) {
    if (options.only_from_cache) return nothing;
    step = best_step(asked, maker, forms, options, stop, progress);
    if (!stop.requested_outside())
      if (Failure failure = keep_step(options.cache, asked.key, budget_bytes, *step))
        return *failure;
  }
  if (step->kind == KeptStep::Kind::Fitting) return nothing;
  const FormsRequest other = request_of(asked.request, forms, *step);
  Result<StepForms> made = maker.forms(other);
  if (!made.ok()) return nothing;
  Result<PlannedForms> planned = plan_forms(*made, other.question, options, stop, progress);
  if (!planned.ok()) return planned.error();
  if (planned->steps.empty()) return nothing;
  made->notes = forms.notes;
  made->plain = forms.plain;
  forms = *std::move(made);
  return std::optional(*std::move(planned));
}

}  // namespace poet
