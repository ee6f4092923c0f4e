#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/forms/plan_cache.h"
#include "poet/forms/step_forms.h"
#include "poet/lower/runnable_step.h"
#include "poet/verify/replay.h"

namespace poet {

// The graphs of a training with plans and addresses: all of them in one arena, within one budget.
struct PlannedForms {
  std::vector<RunnableStep> steps = {};  // as in StepForms; none when there is no plan
  std::vector<Replay> replays = {};      // of each plan
  std::int64_t arena_bytes = 0;
  std::vector<std::int64_t> further_arena_bytes = {};  // of memories 1, 2, ...
  std::int64_t storage_bytes = 0;
  bool from_cache = false;
  std::string no = {};                  // why there is no plan
  std::vector<std::string> notes = {};  // what the user should know of the plans
  std::vector<std::string> search_notes =
      {};  // and of the search; of a kept plan, that a time limit ended it
  // Where there is no plan: a budget for which there may be one.
  std::optional<std::int64_t> needed_bytes = {};
  // And how many times the deadline of the form that has none would do for it, where one is known.
  std::optional<double> needed_deadline_ratio = {};
};

struct PlanFormsOptions {
  PlanCache cache = {};
  int most_tightenings = 6;  // how often a budget may be changed and everything planned again
  bool only_from_cache =
      false;  // an answer without steps and without a reason when it is not there
  // Whether a kept plan is taken although its search had much less time than there is now.
  bool takes_any_kept = false;
  // How often the step will be taken, where that is known: what a search can save is in proportion
  // to it (planning_gap.h).
  std::optional<std::int64_t> steps = {};
};

// The question with the part that its search may leave open, where the training's length is known.
Question searched_no_further_than_pays(Question question, const StepForms& forms,
                                       const PlanFormsOptions& options);

// Plans every form in the budget that all have, and packs them so that they share what outlives a
// step. Where the packing is larger than the budget, the solver gets as much less and plans again;
// where nothing is found, the answer is a "no".
// What breaks a rule is a bug in POET, and aborts.
Result<PlannedForms> plan_forms(StepForms& forms, const Question& question,
                                const PlanFormsOptions& options, const Stop& stop,
                                const ProgressSink& progress);

}  // namespace poet
