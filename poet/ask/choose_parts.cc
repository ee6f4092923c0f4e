// Which size parts of operations have, where the RAM budget may choose: by trying some, each with a
// search of a moment.
#include "poet/ask/choose_parts.h"

#include <utility>

#include "poet/ask/level_trials.h"
#include "poet/ask/part_levels.h"
#include "poet/ask/several_memories.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

// Steps of more parts than this are not looked at, for what they need or for their schedules.
constexpr std::int64_t kMostPartsByBudget = 120'000;
// Where whole operations have a schedule, parts are looked for only to save something: of no more
// operations than this.
constexpr std::int64_t kMostPartsToSave = 10'000;

// How often the way between two levels is halved where none that can be cut fits.
constexpr int kMostBetween = 4;
// And that between the best level and one above it that has no schedule.
constexpr int kMostCoarser = 2;

// At all levels, where steps are small.
void look_closely(QuestionSteps& steps, std::int64_t ram_budget_bytes, const Stop& stop,
                  const ProgressSink& progress, LevelTrials& trials) {
  for (const std::int64_t level : close_levels(ram_budget_bytes)) {
    if (!trials.may_look_closely()) return;
    if (progress) progress({.phase = "parts"});
    trials.take_closely(level, steps.in_parts(level, kMostOperationsClosely, stop));
  }
}

bool are_parts_asked_of_budget(const Question& question) {
  return question.training.parts_by_budget && !question.training.part_bytes &&
         question.kernels.library == KernelLibrary::Reference &&
         kind_of(question) == GraphKind::Real;
}

}  // namespace

bool leaves_parts_open(const Question& question) {
  return are_parts_asked_of_budget(question) && !has_several_memories(question);
}

bool leaves_parts_open_in_memories(const Question& question) {
  return are_parts_asked_of_budget(question) && has_several_memories(question);
}

std::optional<Instance> choose_parts(QuestionSteps& steps, std::int64_t ram_budget_bytes,
                                     const Stop& stop, const ProgressSink& progress, PartsAim aim) {
  const Result<const MadeStep*> whole = steps.first();
  if (!whole.ok()) return std::nullopt;
  const double least_objective = unavoidable_objective((*whole)->instance.problem);
  LevelTrials trials(steps.question(), ram_budget_bytes, least_objective, stop);
  const auto take = [&](std::int64_t level) {
    if (progress) progress({.phase = "parts"});
    trials.take(level, steps.in_parts(level, kMostPartsByBudget, stop));
  };
  const bool is_coarse = steps.question().most_operations.has_value();
  const std::vector<std::int64_t> levels =
      is_coarse ? coarse_levels_to_try(ram_budget_bytes) : levels_to_try(ram_budget_bytes);
  for (const std::int64_t level : levels) {
    if (trials.is_enough()) break;
    take(level);
  }
  for (int k = 0; k < kMostBetween; ++k)
    if (const std::optional<std::int64_t> between = trials.level_between()) take(*between);
  // What fits by itself at one level and has no schedule may be cut too little there, and too much
  // at the next.
  for (const std::int64_t level : levels_between(levels))
    if (!trials.has_best() && trials.has_unsolved()) take(level);
  for (int k = 0; k < kMostCoarser; ++k)
    if (const std::optional<std::int64_t> coarser = trials.level_above_best()) take(*coarser);
  trials.search_as_minimum_does();
  for (const std::int64_t level : trials.other_levels_to_search_as_minimum_does())
    if (!trials.has_best() && !stop.requested_outside())
      trials.search_as_minimum_does(steps.in_parts(level, kMostPartsByBudget, stop));
  if (aim == PartsAim::AnySchedule) return std::move(trials).best();
  if (const std::optional<std::int64_t> best = trials.level_to_look_beside())
    for (const std::int64_t level : levels_beside(*best, levels))
      if (!stop.requested_outside()) take(level);
  look_closely(steps, ram_budget_bytes, stop, progress, trials);
  const std::vector<std::int64_t> longer = trials.levels_to_search_longer();
  if (!longer.empty()) trials.search_best_longer();
  for (const std::int64_t level : longer)
    if (!stop.requested_outside())
      trials.search_longer(level, steps.in_parts(level, kMostPartsByBudget, stop));
  return std::move(trials).best();
}

std::optional<Instance> parts_that_save(QuestionSteps& steps, const Instance& whole,
                                        double objective, const Stop& stop,
                                        const ProgressSink& progress,
                                        std::vector<TriedLevel>& tried) {
  const Problem& problem = whole.problem;
  LevelTrials trials(steps.question(), problem.ram_budget_bytes, unavoidable_objective(problem),
                     stop);
  trials.ask_for_less_than(objective);
  const auto take = [&](std::int64_t level) {
    if (progress) progress({.phase = "parts"});
    trials.take(level, steps.in_parts(level, kMostPartsToSave, stop));
  };
  const std::vector<std::int64_t> levels = levels_from(largest_working_set(problem).bytes - 1);
  for (const std::int64_t level : levels) {
    if (trials.is_enough() || stop.requested()) break;
    take(level);
  }
  if (const std::optional<std::int64_t> best = trials.level_to_look_beside())
    for (const std::int64_t level : levels_beside(*best, levels))
      if (!stop.requested()) take(level);
  look_closely(steps, problem.ram_budget_bytes, stop, progress, trials);
  tried = trials.tried();
  return std::move(trials).best();
}

}  // namespace poet
