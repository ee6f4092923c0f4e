// Which step POET plans by itself, beside one that it shares with other methods.
#include "poet/ask/own_step.h"

#include <algorithm>
#include <utility>

#include "poet/ask/choose_parts.h"
#include "poet/ask/choose_step.h"
#include "poet/ask/parts_beside_memories.h"
#include "poet/ask/several_memories.h"
#include "poet/problem/facts.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// POET's schedule of a step; nothing where it finds none.
Result<std::optional<OwnStep>> planned(Instance instance, const OwnStepSearch& search,
                                       const Stop& stop, const ProgressSink& progress) {
  std::vector<Schedule> starts;
  if (instance.parts.start) starts.push_back(*instance.parts.start);
  Result<MethodRun> run =
      run_method(instance.problem, search.poet, starts, search.options, stop, progress);
  if (!run.ok()) return run.error();
  if (!run->fits()) return std::optional<OwnStep>();
  return std::optional(OwnStep{std::move(instance.problem), std::move(instance.updates),
                               std::move(instance.parts), *std::move(run)});
}

double objective_of(const OwnStep& own) {
  return objective_of(own.problem, own.run.replay);
}

std::optional<double> least_objective(const Problem& problem,
                                      const std::vector<Schedule>& schedules) {
  std::optional<double> least;
  for (const Schedule& schedule : schedules) {
    const Replay replayed = replay(problem, schedule);
    if (!replayed.valid()) continue;
    const double objective = objective_of(problem, replayed);
    least = std::min(least.value_or(objective), objective);
  }
  return least;
}

// With more weights updated by slices than in `shared`: of these steps that with the fewest that
// has a schedule.
Result<std::optional<OwnStep>> with_more_slices(QuestionSteps& steps, const Problem& shared,
                                                const OwnStepSearch& search, const Stop& stop,
                                                const ProgressSink& progress) {
  Result<std::vector<UpdateLevel>> levels = steps_of_updates(steps);
  if (!levels.ok()) return levels.error();
  for (UpdateLevel& level : *levels) {
    Instance instance = std::move(level.instance);
    instance.problem.ram_budget_bytes = shared.ram_budget_bytes;
    if (level.least_bytes > shared.ram_budget_bytes || instance.problem == shared) continue;
    Result<std::optional<OwnStep>> own = planned(instance, search, stop, progress);
    if (!own.ok()) return own;
    if (!*own) continue;
    Result<std::optional<OwnStep>> less =
        step_of_less_cost(steps, instance, objective_of(**own), search, stop, progress);
    return less.ok() && !*less ? std::move(own) : std::move(less);
  }
  return std::optional<OwnStep>();
}

// The step that costs less than `shared`, which has a schedule of `objective`.
Result<std::optional<OwnStep>> better_step(QuestionSteps& steps, const Problem& shared,
                                           double objective, const OwnStepSearch& search,
                                           const Stop& stop, const ProgressSink& progress) {
  const Result<Instance> fitting = instance_in_budget(steps, stop, progress);
  if (!fitting.ok()) return fitting.error();
  // That one may have another order.
  std::optional<OwnStep> best;
  if (fitting->problem != shared) {
    Result<std::optional<OwnStep>> own = planned(*fitting, search, stop, progress);
    if (!own.ok()) return own;
    if (*own && objective_of(**own) < objective) best = *std::move(own);
  }
  const double least = best ? objective_of(*best) : objective;
  Result<std::optional<OwnStep>> less =
      step_of_less_cost(steps, *fitting, least, search, stop, progress);
  if (!less.ok() || *less) return less;
  return best;
}

// In several memories: with all updates by slices, or in parts that were asked for with none.
Result<std::optional<OwnStep>> with_other_updates(QuestionSteps& steps, const Problem& shared,
                                                  std::optional<double> objective,
                                                  const OwnStepSearch& search, const Stop& stop,
                                                  const ProgressSink& progress) {
  Result<const MadeStep*> first = steps.first();
  if (!first.ok()) return first.error();
  Instance separate = (*first)->instance;
  separate.problem.ram_budget_bytes = shared.ram_budget_bytes;
  std::optional<Instance> other = all_sliced_in_memories(steps, separate);
  if (!other) other = separate_in_parts(steps);
  if (other) other->problem.ram_budget_bytes = shared.ram_budget_bytes;
  const bool is_asked =
      other && (!objective || may_save(steps.question(), shared,
                                       unavoidable_objective(other->problem), *objective));
  if (!is_asked) return std::optional<OwnStep>();
  return planned(*std::move(other), search, stop, progress);
}

// And in parts: of the coarsest size that has a schedule.
Result<std::optional<OwnStep>> in_parts_in_memories(QuestionSteps& steps, const Problem& shared,
                                                    const OwnStepSearch& search, const Stop& stop,
                                                    const ProgressSink& progress) {
  for (const std::int64_t part_bytes : part_sizes_in_memories(steps.question(), shared)) {
    if (stop.requested()) break;
    TriedLevel tried{.part_bytes = part_bytes};
    std::optional<Instance> parts =
        in_parts_of_memories(steps, shared.ram_budget_bytes, stop, tried);
    if (!parts) continue;
    Result<std::optional<OwnStep>> own = planned(*std::move(parts), search, stop, progress);
    if (!own.ok() || *own) return own;
  }
  return std::optional<OwnStep>();
}

// As plan_beside_memories() chooses it, where that costs less than `objective`.
Result<std::optional<OwnStep>> step_in_memories(QuestionSteps& steps, const Problem& shared,
                                                std::optional<double> objective,
                                                const OwnStepSearch& search, const Stop& stop,
                                                const ProgressSink& progress) {
  Result<std::optional<OwnStep>> own =
      with_other_updates(steps, shared, objective, search, stop, progress);
  if (!own.ok()) return own;
  if (!*own && !objective && leaves_parts_open_in_memories(steps.question()))
    return in_parts_in_memories(steps, shared, search, stop, progress);
  if (*own && objective && objective_of(**own) >= *objective * (1 - least_saving(steps.question())))
    own->reset();
  return own;
}

}  // namespace

Result<std::optional<OwnStep>> step_of_less_cost(QuestionSteps& steps, const Instance& fitting,
                                                 double objective, const OwnStepSearch& search,
                                                 const Stop& stop, const ProgressSink& progress) {
  if (!leaves_step_open(steps.question(), fitting) || stop.requested_outside())
    return std::optional<OwnStep>();
  Instance least = least_costly(steps, fitting, stop, progress);
  if (!least.choice.is_other) return std::optional<OwnStep>();
  Result<std::optional<OwnStep>> own = planned(std::move(least), search, stop, progress);
  if (own.ok() && *own && objective_of(**own) >= objective) own->reset();
  return own;
}

Result<std::optional<OwnStep>> own_step(QuestionSteps& steps, const Problem& shared,
                                        const std::vector<Schedule>& known,
                                        const OwnStepSearch& search, const Stop& stop,
                                        const ProgressSink& progress) {
  const std::optional<double> least = least_objective(shared, known);
  if (has_several_memories(steps.question()))
    return step_in_memories(steps, shared, least, search, stop, progress);
  if (const std::optional<double> objective = least)
    return better_step(steps, shared, *objective, search, stop, progress);
  Result<std::optional<OwnStep>> sliced = with_more_slices(steps, shared, search, stop, progress);
  if (!sliced.ok() || *sliced || !leaves_parts_open(steps.question())) return sliced;
  std::optional<Instance> parts = choose_parts(steps, shared.ram_budget_bytes, stop, progress);
  if (!parts) return std::optional<OwnStep>();
  return planned(*std::move(parts), search, stop, progress);
}

}  // namespace poet
