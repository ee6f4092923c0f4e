#pragma once

#include <optional>
#include <vector>

#include "poet/ask/instance.h"
#include "poet/ask/question.h"
#include "poet/ask/steps.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/solve/solver.h"

namespace poet {

// instance_in_budget(), or where the question leaves updates or parts to the RAM budget another
// step that costs less in it although that one fits: with all updates by slices, or in parts. Each
// is held against the others by the schedule that a short search finds, so a step is only left for
// one of which a better schedule is there, with which the search in earnest begins. Whole
// operations with as few slices as fit stay where nothing is saved; where so little is above what
// every schedule costs, or so little of the limit is left, that nobody looks; and where a plan to
// begin with is theirs (docs/decisions/0066-what-costs-least.md).
Result<Instance> instance_to_plan(QuestionSteps& steps, const Stop& stop,
                                  const ProgressSink& progress);

// The same of any step that has a schedule in its RAM budget, for a question that leaves the step
// open: this one, or another that costs less.
Instance least_costly(QuestionSteps& steps, Instance fitting, const Stop& stop,
                      const ProgressSink& progress);

// The steps that may cost less in this one's RAM budget, by what a search of a moment finds: by
// slices, in one order or two, where that is not much worse, and in parts where it is better. What
// was tried stands in `choice`.
std::vector<Instance> steps_that_save(QuestionSteps& steps, const Instance& fitting,
                                      const Stop& stop, const ProgressSink& progress,
                                      StepChoice& choice);

// The other step that a question about several memories may take, where it leaves updates to the
// budget: with every weight by slices that can be. In the RAM budget of `separate`; nothing where
// that is no other step.
std::optional<Instance> all_sliced_in_memories(QuestionSteps& steps, const Instance& separate);

// Whether another step may be worth the time that it takes to look for it: this one costs
// `objective`, which is more than the `least` that every schedule of some step costs.
bool may_save(const Question& question, const Problem& problem, double least, double objective);

// What was measured is not held against formulas.
bool is_known_as_well(const Instance& other, const Instance& fitting);

// The part of the objective below which a saving is no reason to take another step.
double least_saving(const Question& question);

// Whether the question leaves it to the RAM budget of what step the plan is, where whole operations
// fit: of a network, for kernels that slices or parts are for, by the event formulation.
bool leaves_step_open(const Question& question, const Instance& fitting);

}  // namespace poet
