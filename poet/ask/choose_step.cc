// Which step is planned where several fit the RAM budget: by a short search of each.
#include "poet/ask/choose_step.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "poet/ask/choose_order.h"
#include "poet/ask/choose_parts.h"
#include "poet/ask/plan_instance.h"
#include "poet/ask/quick_schedule.h"
#include "poet/ask/several_memories.h"
#include "poet/overlap/planner.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"
#include "poet/solve/allowed_gap.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// What all trials together may take of the limit.
constexpr double kPartOfTrials = 0.25;

// Steps of so few operations take less to look at, and so a smaller part is worth it.
constexpr std::size_t kFewToLookAt = 200;
constexpr double kPartOfFew = 0.3;

bool leaves_updates_to_budget(const Instance& instance) {
  return instance.updates.asked == Updates::Auto && !instance.parts.part_bytes;
}

// What is known of a step.
std::optional<double> objective_of_start(const Instance& instance) {
  if (!instance.parts.start) return std::nullopt;
  const Replay replayed = replay(instance.problem, *instance.parts.start);
  if (!replayed.valid()) return std::nullopt;
  return objective_of(instance.problem, replayed);
}

// What a longer search finds for a step, with which it begins then, unless better is known; where
// one was made before, of its order, that.
std::optional<double> tried(const Question& question, Instance& instance, const Stop& stop) {
  const std::optional<double> known = objective_of_start(instance);
  if (instance.order.is_tried && known) return known;
  const Problem* const asked = &instance.problem;
  const std::optional<OrderTrial> trial = try_order(question, {&asked, 1}, stop);
  if (!trial || (known && *known <= trial->objective)) return known;
  instance.parts.start = trial->schedules.front();
  return trial->objective;
}

// As the question's budget has it; nothing where it does not fit, or is no other step.
std::optional<Instance> in_its_budget(Instance other, const Instance& fitting) {
  other.updates.asked = Updates::Auto;
  other.problem.ram_budget_bytes = fitting.problem.ram_budget_bytes;
  if (largest_working_set(other.problem).bytes > other.problem.ram_budget_bytes ||
      other.problem == fitting.problem || !is_known_as_well(other, fitting))
    return std::nullopt;
  return other;
}

// With every weight by slices that can be: in the order with the lowest peak, and where the budget
// may choose that, in the one that moves least in it.
std::vector<Instance> all_sliced(QuestionSteps& steps, const Instance& fitting) {
  std::vector<Instance> sliced;
  if (!leaves_updates_to_budget(fitting)) return sliced;
  const Result<const MadeStep*> made = steps.all_sliced();
  if (!made.ok()) return sliced;  // a table of costs without updates by slices
  std::optional<Instance> lowest_peak = in_its_budget((*made)->instance, fitting);
  if (!lowest_peak) return sliced;
  sliced.push_back(*std::move(lowest_peak));
  const Problem& problem = sliced.front().problem;
  if (!leaves_order_open(steps.question(), problem)) return sliced;
  Result<MadeStep> ordered = steps.all_sliced_in_order_for(problem.ram_budget_bytes);
  if (!ordered.ok()) return sliced;
  std::optional<Instance> least_moved = in_its_budget(std::move(ordered->instance), fitting);
  if (!least_moved || least_moved->problem == problem) return sliced;
  least_moved->order = {.is_tried = false, .by_budget = true};
  sliced.push_back(*std::move(least_moved));
  return sliced;
}

// Of the budget and of the step that fits first; what is true of both once.
std::vector<std::string> said_of_both(const Instance& fitting, const Instance& other) {
  std::vector<std::string> warnings = fitting.warnings;
  for (const std::string& warning : other.warnings)
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
      warnings.push_back(warning);
  return warnings;
}

// Of the steps that there are beside the one that fits, that of the plan to begin with.
std::optional<Instance> step_of_start(QuestionSteps& steps, const Instance& fitting,
                                      const Stop& stop) {
  const Plan& start = steps.question().start->plan;
  const std::int64_t budget_bytes = fitting.problem.ram_budget_bytes;
  std::vector<Instance> others;
  if (std::optional<Instance> separate = separate_in_parts(steps))
    others.push_back(*std::move(separate));
  if (start.origin.part_bytes && leaves_parts_open(steps.question())) {
    Result<MadeStep> made =
        steps.in_parts(*start.origin.part_bytes, steps.question().most_parts, stop);
    if (made.ok()) others.push_back(std::move(made->instance));
  } else if (!start.origin.part_bytes && fitting.updates.asked == Updates::Auto) {
    Result<std::vector<UpdateLevel>> levels = steps_of_updates(steps);
    if (levels.ok())
      for (UpdateLevel& level : *levels) others.push_back(std::move(level.instance));
    Result<MadeStep> ordered = steps.all_sliced_in_order_for(start.problem.ram_budget_bytes);
    if (ordered.ok()) others.push_back(std::move(ordered->instance));
    if (std::optional<Instance> sliced = all_sliced_in_memories(steps, fitting))
      others.push_back(*std::move(sliced));
  }
  for (Instance& other : others) {
    other.problem.ram_budget_bytes = budget_bytes;
    if (!is_same_graph(start.problem, other.problem) || !operations_fit(other.problem)) continue;
    if (other.updates.asked) other.updates.asked = fitting.updates.asked;
    other.order.of_start = true;
    return std::move(other);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Instance> all_sliced_in_memories(QuestionSteps& steps, const Instance& separate) {
  const Question& question = steps.question();
  if (!has_several_memories(question) || kind_of(question) != GraphKind::Real ||
      question.training.updates != Updates::Auto || separate.parts.cuts != nullptr ||
      question.kernels.library != KernelLibrary::Reference)
    return std::nullopt;
  const Result<const MadeStep*> made = steps.all_sliced();
  if (!made.ok()) return std::nullopt;  // a table of costs without updates by slices
  Instance sliced = (*made)->instance;
  sliced.updates.asked = Updates::Auto;
  sliced.problem.ram_budget_bytes = separate.problem.ram_budget_bytes;
  if (sliced.problem == separate.problem || !is_known_as_well(sliced, separate))
    return std::nullopt;
  return sliced;
}

bool may_save(const Question& question, const Problem& problem, double least, double objective) {
  const bool has_few = problem.operations.size() <= kFewToLookAt;
  const double worth_a_look = (has_few ? kPartOfFew : 1) * question.worth_a_look;
  return objective - least >
         std::max(worth_a_look * least, total_gap_ratio_of(question.solve) * objective);
}

bool is_known_as_well(const Instance& other, const Instance& fitting) {
  return other.unmeasured_operations <= fitting.unmeasured_operations;
}

double least_saving(const Question& question) {
  constexpr double kPartOfALook = 0.1;
  return kPartOfALook * question.worth_a_look;
}

bool leaves_step_open(const Question& question, const Instance& fitting) {
  if (kind_of(question) != GraphKind::Real || fitting.parts.part_bytes) return false;
  if (question.kernels.library != KernelLibrary::Reference) return false;
  if (has_several_memories(question)) return false;
  if (!leaves_updates_to_budget(fitting) && !leaves_parts_open(question)) return false;
  return question.formulation == &planner_table().front();
}

std::vector<Instance> steps_that_save(QuestionSteps& steps, const Instance& fitting,
                                      const Stop& stop, const ProgressSink& progress,
                                      StepChoice& choice) {
  const SolveOptions& options = steps.question().solve;
  std::optional<QuickSchedule> whole = quick_schedule(options, fitting.problem, stop);
  // Of a tight deadline a moment may find nothing where there is a schedule.
  if (!whole) whole = longer_schedule(options, fitting.problem, stop);
  std::vector<Instance> sliced = all_sliced(steps, fitting);
  double least = unavoidable_objective(fitting.problem);
  for (const Instance& one : sliced) least = std::min(least, unavoidable_objective(one.problem));
  if (!whole || !may_save(steps.question(), fitting.problem, least, whole->objective)) return {};
  choice.is_tried = true;
  const double most = whole->objective * (1 - least_saving(steps.question()));
  std::vector<Instance> found;
  // What a moment finds may be far above the best, for slices as for the whole: unless it is much
  // worse, a longer search of both tells.
  constexpr double kPerhapsBetter = 1.2;
  for (Instance& one : sliced) {
    std::optional<QuickSchedule> quick = quick_schedule(options, one.problem, stop);
    if (!quick || quick->objective > kPerhapsBetter * whole->objective) continue;
    const bool is_enough = !may_save(steps.question(), fitting.problem, least, quick->objective);
    one.parts.start = std::make_shared<const Schedule>(std::move(quick->schedule));
    found.push_back(std::move(one));
    if (is_enough) return found;
  }
  if (!leaves_parts_open(steps.question())) return found;
  if (std::optional<Instance> parts =
          parts_that_save(steps, fitting, most, stop, progress, choice.parts);
      parts && is_known_as_well(*parts, fitting))
    found.push_back(*std::move(parts));
  return found;
}

Instance least_costly(QuestionSteps& steps, Instance fitting, const Stop& stop,
                      const ProgressSink& progress) {
  const Question& question = steps.question();
  const Stop trials = part_of(stop, kPartOfTrials);
  StepChoice choice;
  std::vector<Instance> others = steps_that_save(steps, fitting, trials, progress, choice);
  // What a moment finds is above what there is, and not by as much for one step as for another.
  if (!others.empty()) choice.fitting_objective = tried(question, fitting, trials);
  double most = choice.fitting_objective.value_or(0) * (1 - least_saving(question));
  for (Instance& other : others) {
    const std::optional<double> objective = tried(question, other, trials);
    if (!objective || *objective >= most) continue;
    most = *objective;
    choice.objective = objective;
    choice.is_other = true;
    other.warnings = said_of_both(fitting, other);
    fitting = std::move(other);
  }
  fitting.choice = std::move(choice);
  return fitting;
}

Result<Instance> instance_to_plan(QuestionSteps& steps, const Stop& stop,
                                  const ProgressSink& progress) {
  Result<Instance> fitting = instance_in_budget(steps, stop, progress);
  if (!fitting.ok()) return fitting;
  const Question& question = steps.question();
  if (question.start && kind_of(question) == GraphKind::Real &&
      !is_same_graph(question.start->plan.problem, fitting->problem)) {
    std::optional<Instance> same = step_of_start(steps, *fitting, stop);
    return same ? *std::move(same) : fitting;
  }
  if (question.start || !leaves_step_open(question, *fitting)) return fitting;
  return least_costly(steps, *std::move(fitting), stop, progress);
}

}  // namespace poet
