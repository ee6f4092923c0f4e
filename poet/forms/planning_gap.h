#pragma once

#include <cstdint>

#include "poet/forms/step_forms.h"
#include "poet/solve/solver.h"

namespace poet {

// What a search for the plans of a training may leave open, as a part of the objective: no more
// than kNegligible_s of the whole training, so that nobody waits a minute for a plan that saves
// half a second. Between the options' own part and kLargestGap, and a power of ten, so that
// trainings of about the same length ask the same question. `steps` are those of the training.
// Counted from the problems alone, so that it is the same on every machine.
double planning_gap(const StepForms& forms, std::int64_t micro_batches, std::int64_t steps,
                    const SolveOptions& options);

// The same of operations in parts. Their bounds are far from their best schedules, so that a search
// for the last tenth goes on until its limit, however short the training is: where all of it takes
// less than kNegligible_s, the gap is as large as that makes it.
double planning_gap_in_parts(const StepForms& forms, std::int64_t micro_batches, std::int64_t steps,
                             const SolveOptions& options);

// How much a search for the plans of a training may do, in seconds of counted effort: no more than
// the training takes at the least, so that a bound that does not come near costs no more than
// there is to be saved; but kShortestSearch_s, and in parts, where to find anything takes longer,
// kShortestSearchInParts_s. A power of ten, for the same reason. Infinity where no operation takes
// time.
double planning_effort_s(const StepForms& forms, std::int64_t micro_batches, std::int64_t steps);
double planning_effort_in_parts_s(const StepForms& forms, std::int64_t micro_batches,
                                  std::int64_t steps);

// Of these, for a form that no step runs, an evaluation or a prediction: a tenth, but
// kShortestSearch_s. It runs once for many steps.
double planning_effort_beside_steps_s(double effort_s);

inline constexpr double kShortestSearch_s = 1;
inline constexpr double kShortestSearchInParts_s = 2;
inline constexpr double kNegligible_s = 0.1;
inline constexpr double kLargestGap = 0.1;

}  // namespace poet
