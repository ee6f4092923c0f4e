#include "poet/forms/plan_forms.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "poet/ask/plan_instance.h"
#include "poet/ask/status_name.h"
#include "poet/ask/stop_warning.h"
#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/forms/planning_gap.h"
#include "poet/forms/resident_memories.h"
#include "poet/forms/settle_places.h"
#include "poet/forms/times_in_step.h"
#include "poet/forms/unlimited_stop.h"
#include "poet/layout/layout.h"
#include "poet/lower/share_homes.h"
#include "poet/overlap/plan_in_memories.h"
#include "poet/problem/deadline.h"
#include "poet/problem/facts.h"
#include "poet/problem/problem_json.h"
#include "poet/problem/uncertainty.h"
#include "poet/solve/budget_solver.h"
#include "poet/train/process_memory.h"

namespace poet {
namespace {

// Of the packing of one form in one round. A plan that does not fit after so many does seldom after
// more (MobileNetV2 at its least budget took minutes for ten times as many), and the next round
// plans in less RAM. Counted, so that a plan from the cache is laid out as it was when it was made.
constexpr std::int64_t kMostPackingNodes = 200'000;
// Of the effort that is left, for the search of one round.
constexpr double kRoundPart = 0.6;
// A node takes the longer the more buffers there are.
constexpr std::int64_t kMostPackingNodesByActions = 40'000'000;
constexpr std::int64_t kLeastPackingNodes = 5'000;
// With so many times the limit of its search, a kept plan that is not proved best is searched
// again.
constexpr double kMuchMoreTime = 1.5;

// The name of the whole question: all forms together decide how far budgets are lowered.
std::string key_of(const StepForms& forms, const Question& question) {
  std::string text = fmt::format("{}\n", forms.ram_budget_bytes);
  for (const StepGraph& form : forms.forms) text += problem_text(form.instance.problem);
  return plan_key(question, text);
}

std::string key_of(const std::string& key, const StepGraph& form) {
  return key + "-" + form.name;
}

// What a packing aims at: a budget of more than the peak need not be filled.
std::int64_t capacity_bytes(const StepForms& forms) {
  return std::min(forms.ram_budget_bytes, forms.plain.peak_bytes);
}

std::int64_t packing_nodes(const Plan& plan) {
  const auto actions = static_cast<std::int64_t>(plan.schedule.actions.size());
  return std::clamp(kMostPackingNodesByActions / (actions + 1), kLeastPackingNodes,
                    kMostPackingNodes);
}

Result<RunnableStep> laid_out(const StepGraph& form, Plan plan, std::int64_t alignment_bytes,
                              std::int64_t capacity_bytes, const Stop& stop) {
  RunnableStep step{.graph = form.graph, .plan = std::move(plan)};
  Result<Layout> layout = make_layout(step.plan, {.alignment_bytes = alignment_bytes,
                                                  .capacity_bytes = capacity_bytes,
                                                  .max_nodes = packing_nodes(step.plan),
                                                  .stop = without_limit(stop)});
  if (!layout.ok()) return layout.error();
  step.layout = *std::move(layout);
  return step;
}

// Lines the forms up, and says how large they are together.
Failure line_up(PlannedForms& planned) {
  if (Failure failure = share_homes(planned.steps)) return failure;
  planned.arena_bytes = 0;
  planned.further_arena_bytes.clear();
  planned.storage_bytes = 0;
  for (const RunnableStep& step : planned.steps) {
    planned.arena_bytes = std::max(planned.arena_bytes, step.layout.arena_bytes);
    planned.further_arena_bytes.resize(step.layout.further_arenas.size(), 0);
    for (std::size_t m = 0; m < step.layout.further_arenas.size(); ++m)
      planned.further_arena_bytes[m] =
          std::max(planned.further_arena_bytes[m], step.layout.further_arenas[m].size_bytes);
    planned.storage_bytes = std::max(planned.storage_bytes, step.layout.storage_bytes);
  }
  return std::nullopt;
}

// The first memory beside the RAM that the packing does not fit into.
std::optional<std::size_t> overfull(const StepForms& forms, const PlannedForms& planned) {
  const Problem& problem = forms.forms.front().instance.problem;
  for (std::size_t m = 0; m < planned.further_arena_bytes.size(); ++m)
    if (planned.further_arena_bytes[m] > problem.further_memories[m].size_bytes) return m;
  return std::nullopt;
}

void replay_all(PlannedForms& planned) {
  for (const RunnableStep& step : planned.steps)
    planned.replays.push_back(replay(step.plan.problem, step.plan.schedule));
}

// Lays the kept plans out together. Nothing, and a word about the first of them, where that cannot
// be done: then they are not what was kept.
std::optional<PlannedForms> laid_out_together(const StepForms& forms, const Question& question,
                                              const PlanCache& cache, const std::string& key,
                                              std::vector<Plan> plans) {
  PlannedForms planned{.from_cache = true};
  for (std::size_t k = 0; k < plans.size(); ++k) {
    Result<RunnableStep> step = laid_out(forms.forms[k], std::move(plans[k]),
                                         question.alignment_bytes, capacity_bytes(forms), {});
    if (!step.ok()) {
      tell_damaged_plan(cache, key_of(key, forms.forms[k]), to_string(step.error()));
      return std::nullopt;
    }
    planned.steps.push_back(*std::move(step));
  }
  if (Failure failure = line_up(planned)) {
    tell_damaged_plan(cache, key_of(key, forms.forms.front()), to_string(*failure));
    return std::nullopt;
  }
  return planned;
}

// Nothing when a plan is missing there, or is of no use.
std::optional<PlannedForms> from_cache(const StepForms& forms, const Question& question,
                                       const PlanFormsOptions& options, const std::string& key,
                                       double limit_s) {
  const PlanCache& cache = options.cache;
  std::optional<double> cut_off_s;
  std::vector<Plan> plans;
  for (const StepGraph& form : forms.forms) {
    const std::string key_of_form = key_of(key, form);
    give_back_free_memory();
    std::optional<Plan> plan = find_plan(cache, key_of_form, form.instance.problem);
    if (!plan) return std::nullopt;
    const std::optional<double> searched_s = plan->proof.time_limit_s;
    if (searched_s && !options.takes_any_kept && limit_s > kMuchMoreTime * *searched_s)
      return std::nullopt;
    if (searched_s && plan->proof.ended_by_clock) cut_off_s = searched_s;
    plans.push_back(*std::move(plan));
  }
  std::optional<PlannedForms> planned =
      laid_out_together(forms, question, cache, key, std::move(plans));
  if (!planned || planned->arena_bytes > forms.ram_budget_bytes || overfull(forms, *planned))
    return std::nullopt;
  replay_all(*planned);
  give_back_free_memory();
  if (cut_off_s) planned->search_notes.push_back(limit_warning(*cut_off_s));
  return planned;
}

// Without the budgets that would do for this form of the step: what does for a whole training may
// be less, with another step of updates, or more (plan_in_budget.h).
std::string reason_of(const PlanReport& report, bool is_of_micro_batch) {
  if (!report.solve.infeasibility)
    return report.timing.ended_by_clock ? "the search was stopped before it found a plan"
                                        : "the search found none, and ruled none out";
  Infeasibility no = *report.solve.infeasibility;
  if (is_of_micro_batch) no.working_time_s.reset();  // a deadline is asked for all of them
  if (!report.problem.further_memories.empty()) {
    if (!no.of_all_memories || !no.least_time_s) return no.reason;
    no.least_time_s.reset();  // as below
    return of_all_memories(report.problem, std::move(no)).reason;
  }
  const bool is_of_ram = no.kind == Infeasibility::Kind::RamBudget;
  const bool names_ram = is_of_ram || no.kind == Infeasibility::Kind::Combined;
  if (!names_ram && !no.least_time_s && !is_of_micro_batch) return no.reason;
  if (names_ram) no.least_budget_bytes.reset();
  if (names_ram) no.working_budget_bytes.reset();
  no.budget_of_least_time_bytes.reset();
  no.least_time_s.reset();  // of this form and its updates, and others may be quicker
  return retold(report.problem, std::move(no)).reason;
}

// Where a refusal names bytes that are written, which count whole pieces of the alignment.
std::string how_writes_count(const PlanReport& report) {
  const Problem& problem = report.problem;
  const bool is_named = report.solve.infeasibility && problem.write_budget_bytes &&
                        unavoidable_written_bytes(problem) > *problem.write_budget_bytes;
  if (!is_named || report.question.alignment_bytes <= 1) return "";
  return fmt::format(" (each tensor that is written counts as whole pieces of {})",
                     bytes_text(report.question.alignment_bytes));
}

std::string why_not(const StepForms& forms, const PlanReport& report, const StepGraph& form) {
  const bool is_of_micro_batch = report.question.batch_size > forms.micro_batch_size;
  return fmt::format("there is no plan for the {} step: {}{}", form.name,
                     reason_of(report, is_of_micro_batch), how_writes_count(report));
}

std::optional<double> needed_deadline_ratio(const PlanReport& report) {
  const std::optional<double> deadline_s = asked_deadline_s(report.problem);
  if (!deadline_s || !report.solve.infeasibility) return std::nullopt;
  const std::optional<double> works_s = report.solve.infeasibility->working_time_s;
  if (!works_s || within_deadline(*works_s, *deadline_s)) return std::nullopt;
  return *works_s / *deadline_s;
}

// The least budget that is known to work, or else the least that is not known not to.
std::optional<std::int64_t> needed_bytes(const PlanReport& report) {
  const std::optional<Infeasibility>& why = report.solve.infeasibility;
  if (!why) return std::nullopt;
  return why->working_budget_bytes ? why->working_budget_bytes : why->least_budget_bytes;
}

// Schedules of the forms to begin a search with, by the form.
using Starts = std::vector<std::shared_ptr<const Schedule>>;

Starts schedules_of(const PlannedForms& planned) {
  Starts schedules;
  for (const RunnableStep& step : planned.steps)
    schedules.push_back(std::make_shared<const Schedule>(step.plan.schedule));
  return schedules;
}

// Figures of several forms, each searched by itself, are told apart.
ProgressSink progress_of(const StepForms& forms, const StepGraph& form,
                         const ProgressSink& progress) {
  if (!progress || forms.forms.size() == 1) return progress;
  return [&progress, &form](const SolveProgress& news) {
    const std::string phase = fmt::format("{}: {}", form.name, news.phase);
    SolveProgress of_form = news;
    of_form.phase = phase;
    progress(of_form);
  };
}

// The search of one form, with as much effort as pays.
Question question_of(const StepForms& forms, std::size_t k, const Question& question) {
  const std::int64_t micro_batches = question.batch_size / forms.micro_batch_size;
  Question of_form = question;
  if (times_in_step(forms, micro_batches)[k] > 0) return of_form;
  SolveOptions& solve = of_form.solve;
  solve.most_effort_s = planning_effort_beside_steps_s(solve.most_effort_s);
  // The relaxation of thousands of operations takes seconds that are not counted.
  if (question.training.part_bytes && solve.most_effort_s <= kShortestSearch_s) {
    solve.large_stages = 0;
    solve.techniques.windows = false;
  }
  return of_form;
}

// Why there is no plan for a form of which an operation alone needs more than the budget: nothing
// of the others has to be searched to know.
Result<std::optional<PlannedForms>> what_cannot_be(const StepForms& forms, const Question& question,
                                                   std::int64_t budget_bytes, const Stop& stop,
                                                   const ProgressSink& progress) {
  for (const StepGraph& form : forms.forms) {
    const Problem& problem = form.instance.problem;
    // With further memories an operation need not have all in this one.
    if (!problem.further_memories.empty() || largest_working_set(problem).bytes <= budget_bytes)
      continue;
    Instance instance = form.instance;
    instance.problem.ram_budget_bytes = budget_bytes;
    const Result<PlanReport> report =
        plan_instance(question, std::move(instance), stop, progress_of(forms, form, progress));
    if (!report.ok()) return report.error();
    return std::optional(PlannedForms{.no = why_not(forms, *report, form),
                                      .needed_bytes = needed_bytes(*report),
                                      .needed_deadline_ratio = needed_deadline_ratio(*report)});
  }
  return std::optional<PlannedForms>();
}

// One round: every form at the solver's budget, from `starts` where there are any. `no` is set
// where a form has no plan, and then there are no steps.
Result<PlannedForms> plan_at(const StepForms& forms, const Question& question,
                             std::int64_t budget_bytes, const Starts& starts, const Stop& stop,
                             const ProgressSink& progress) {
  Result<std::optional<PlannedForms>> no =
      what_cannot_be(forms, question, budget_bytes, stop, progress);
  if (!no.ok()) return no.error();
  if (*no) return **std::move(no);
  PlannedForms planned;
  ResidentMemories memories;
  for (const StepGraph& form : forms.forms) {
    Instance instance = form.instance;
    instance.problem.ram_budget_bytes = budget_bytes;
    const std::size_t k = planned.steps.size();
    if (!starts.empty()) instance.parts.start = starts[k];
    Result<PlanReport> report = plan_instance(question_of(forms, k, question), std::move(instance),
                                              stop, progress_of(forms, form, progress));
    if (!report.ok()) return report.error();
    // What is said of one form may be said of all.
    for (const std::string& warning : report->warnings)
      if (std::find(planned.search_notes.begin(), planned.search_notes.end(), warning) ==
          planned.search_notes.end())
        planned.search_notes.push_back(warning);
    if (!report->plan) {
      planned.steps.clear();  // those of other forms are of no use without it
      planned.no = why_not(forms, *report, form);
      planned.needed_bytes = needed_bytes(*report);
      planned.needed_deadline_ratio = needed_deadline_ratio(*report);
      return planned;
    }
    Result<std::optional<Plan>> plan =
        memories.settled(form.graph, *std::move(report->plan), question, without_limit(stop));
    if (!plan.ok()) return plan.error();
    if (!*plan) {
      planned.steps.clear();
      planned.no = fmt::format(
          "there is no plan for the {} step: what is resident takes too much of the memories in "
          "which another form of the step has it",
          form.name);
      return planned;
    }
    Result<RunnableStep> step =
        laid_out(form, **std::move(plan), question.alignment_bytes, capacity_bytes(forms), stop);
    if (!step.ok()) return step.error();
    planned.steps.push_back(*std::move(step));
  }
  if (Failure failure = line_up(planned)) return *failure;
  return planned;
}

// Looks for plans whose packing fits: lowers the solver's budget, and what it sees of the further
// memories, by what a packing is too large by, and goes on from the plans that were too large.
class Fitting {
  // By twice as much in these: steps in parts have thousands of buffers, whose packings come closer
  // to the budget by less and less (MobileNetV2 in parts of 100 KiB: 1,056 bytes were left after
  // six).
  static constexpr int kLastRounds = 3;

 public:
  Fitting(const StepForms& forms, const Question& question, int most_rounds)
      : forms_(forms),
        question_(question),
        rounds_left_(most_rounds),
        budget_bytes_(forms.ram_budget_bytes) {}

  Result<PlannedForms> run(const Stop& stop, const ProgressSink& progress) {
    Starts starts;
    // Also once the time is up: what is at hand without a search may fit.
    for (; rounds_left_ >= 0; --rounds_left_) {
      const Stop round = part_of(stop, kRoundPart);
      Result<PlannedForms> planned =
          plan_at(smaller_ ? *smaller_ : forms_, question_, budget_bytes_, starts, round, progress);
      if (!planned.ok()) return planned;
      if (!planned->no.empty()) return too_large_ ? *std::move(too_large_) : std::move(planned);
      see_memories_whole(*planned);
      const std::int64_t excess_bytes = planned->arena_bytes - forms_.ram_budget_bytes;
      const std::optional<std::size_t> memory = overfull(forms_, *planned);
      if (excess_bytes <= 0 && !memory) return planned;
      starts = schedules_of(*planned);
      if (excess_bytes > 0)
        lower_budget(excess_bytes, *planned);
      else
        lower_memory(*memory, *planned);
    }
    return *std::move(too_large_);
  }

 private:
  std::int64_t step_down(std::int64_t excess_bytes) const {
    return rounds_left_ > kLastRounds ? excess_bytes : 2 * excess_bytes;
  }

  void lower_budget(std::int64_t excess_bytes, const PlannedForms& planned) {
    budget_bytes_ -= step_down(excess_bytes);
    if (!smallest_ || planned.arena_bytes < *smallest_) smallest_ = planned.arena_bytes;
    too_large_ = {
        .no = fmt::format("no plan was found whose buffers fit together in {}: the smallest "
                          "packing takes {}",
                          bytes_text(forms_.ram_budget_bytes), bytes_text(*smallest_)),
        .needed_bytes = smallest_};
  }

  void lower_memory(std::size_t memory, const PlannedForms& planned) {
    if (!smaller_) smaller_ = forms_;
    const FurtherMemory& full = memories()[memory];
    const std::int64_t packed_bytes = planned.further_arena_bytes[memory];
    for (StepGraph& form : smaller_->forms) {
      std::int64_t& bytes = form.instance.problem.further_memories[memory].size_bytes;
      bytes = std::max<std::int64_t>(bytes - step_down(packed_bytes - full.size_bytes), 0);
    }
    too_large_ = {
        .no = fmt::format("no plan was found whose buffers fit together in {} of {}: they take {}",
                          full.name, bytes_text(full.size_bytes), bytes_text(packed_bytes))};
  }

  const std::vector<FurtherMemory>& memories() const {
    return forms_.forms.front().instance.problem.further_memories;
  }

  // A schedule in less of them is one in all.
  void see_memories_whole(PlannedForms& planned) const {
    for (RunnableStep& step : planned.steps) step.plan.problem.further_memories = memories();
  }

  const StepForms& forms_;
  const Question& question_;
  int rounds_left_;
  std::int64_t budget_bytes_;
  std::optional<StepForms> smaller_ = {};      // in less of the further memories
  std::optional<std::int64_t> smallest_ = {};  // bytes of a packing in the RAM
  std::optional<PlannedForms> too_large_ = {};
};

// What was done about the budget, as far as the plans tell.
void note_budgets(const StepForms& forms, PlannedForms& planned) {
  const std::optional<Device>& device = forms.forms.front().instance.device;
  if (device && forms.ram_budget_bytes > device->ram_bytes)
    planned.notes.push_back(fmt::format("the RAM budget of {} is more than the {} that {} has",
                                        bytes_text(forms.ram_budget_bytes),
                                        bytes_text(device->ram_bytes), device->name));
  std::int64_t least_bytes = forms.ram_budget_bytes;
  for (const RunnableStep& step : planned.steps)
    least_bytes = std::min(least_bytes, step.plan.problem.ram_budget_bytes);
  if (least_bytes < forms.ram_budget_bytes)
    planned.notes.push_back(fmt::format(
        "so that its buffers fit together, the plan was made for {} less than the budget",
        bytes_text(forms.ram_budget_bytes - least_bytes)));
}

// Which weights get their updates by slices, where the budget asks for it.
void note_slices(const StepForms& forms, const Question& question, PlannedForms& planned) {
  if (question.training.updates != Updates::Auto || question.training.part_bytes) return;
  std::set<std::string> names;
  for (const StepGraph& form : forms.forms)
    for (const std::string& weight : updates_of(form.graph, question.training.updates).sliced)
      names.insert(weight);
  if (names.empty()) return;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  planned.notes.push_back(
      "the budget does not hold these weights and their gradients at once, so they are updated by "
      "slices: " +
      list);
}

// With every place settled.
Result<PlannedForms> plan_settled(StepForms& forms, const Question& question,
                                  const PlanFormsOptions& options, const Stop& stop,
                                  const ProgressSink& progress) {
  const std::string key = key_of(forms, question);
  if (std::optional<PlannedForms> cached =
          from_cache(forms, question, options, key, stop.limit_s)) {
    note_budgets(forms, *cached);
    return *std::move(cached);
  }
  if (options.only_from_cache) return PlannedForms{};

  Result<PlannedForms> planned =
      Fitting(forms, question, options.most_tightenings).run(stop, progress);
  if (!planned.ok() || planned->steps.empty()) return planned;
  note_budgets(forms, *planned);
  // What Ctrl-C cut short is no plan for another time.
  for (std::size_t k = 0; k < planned->steps.size() && !stop.token.stop_requested(); ++k) {
    Plan plan = planned->steps[k].plan;
    if (plan.proof.status != status_name(SolveStatus::Optimal) && std::isfinite(stop.limit_s)) {
      plan.proof.time_limit_s = stop.limit_s;
      plan.proof.ended_by_clock = stop.requested_outside();
    }
    if (Failure failure = keep_plan(options.cache, key_of(key, forms.forms[k]), plan))
      return *failure;
  }
  replay_all(*planned);
  return planned;
}

// Where a "no" names a budget that is not quite the one that was asked for.
void say_what_was_asked(std::int64_t exact_bytes, const Question& question, PlannedForms& planned) {
  const std::int64_t rest_bytes = exact_bytes % question.alignment_bytes;
  if (rest_bytes == 0) return;
  planned.no += fmt::format(" (of the {} that were asked for, {} are whole pieces of {})",
                            bytes_text(exact_bytes), bytes_text(exact_bytes - rest_bytes),
                            bytes_text(question.alignment_bytes));
}

}  // namespace

Question searched_no_further_than_pays(Question question, const StepForms& forms,
                                       const PlanFormsOptions& options) {
  if (!options.steps) return question;
  const std::int64_t micro_batches = question.batch_size / forms.micro_batch_size;
  if (question.training.part_bytes) {
    question.solve.total_gap_ratio =
        planning_gap_in_parts(forms, micro_batches, *options.steps, question.solve);
    question.solve.most_effort_s = planning_effort_in_parts_s(forms, micro_batches, *options.steps);
  } else {
    question.solve.total_gap_ratio =
        planning_gap(forms, micro_batches, *options.steps, question.solve);
    question.solve.most_effort_s = planning_effort_s(forms, micro_batches, *options.steps);
  }
  return question;
}

Result<PlannedForms> plan_forms(StepForms& forms, const Question& asked,
                                const PlanFormsOptions& options, const Stop& stop,
                                const ProgressSink& progress) {
  const Question question = searched_no_further_than_pays(asked, forms, options);
  // A budget is met by whole pieces of the alignment.
  const std::int64_t exact_bytes = forms.ram_budget_bytes;
  forms.ram_budget_bytes -= exact_bytes % question.alignment_bytes;
  for (StepGraph& form : forms.forms)
    form.instance.problem.ram_budget_bytes = forms.ram_budget_bytes;

  const Result<std::optional<std::set<std::string>>> residents =
      settle_places(forms, question, options, stop, progress);
  if (!residents.ok()) return residents.error();
  if (!*residents) return PlannedForms{};
  Result<PlannedForms> planned = plan_settled(forms, question, options, stop, progress);
  if (!(*residents)->empty() && planned.ok() && planned->steps.empty()) {
    // What the form that decides has room for may be too much for another one. In a cache there is
    // nothing of that, but the plans that were made then.
    put_into_storage(forms, **residents);
    planned = plan_settled(forms, question, options, stop, progress);
  }
  if (!planned.ok()) return planned;
  planned->notes.insert(planned->notes.begin(), forms.notes.begin(), forms.notes.end());
  if (planned->no.empty())
    note_slices(forms, question, *planned);
  else
    say_what_was_asked(exact_bytes, question, *planned);
  return planned;
}

}  // namespace poet
