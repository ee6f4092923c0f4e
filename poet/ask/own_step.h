#pragma once

#include <optional>
#include <vector>

#include "poet/ask/instance.h"
#include "poet/ask/method_run.h"
#include "poet/ask/steps.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"

namespace poet {

// POET's answer of another step than the one that all methods have, as 'poet solve' and 'poet
// train' plan it where order, slices and parts are left open.
struct OwnStep {
  Problem problem = {};
  StepUpdates updates = {};
  StepParts parts = {};
  MethodRun run = {};
};

// How the other step is searched: by this row of method_table(), with these options.
struct OwnStepSearch {
  const MethodEntry& poet;
  const SolveOptions& options;
};

// The step that costs less than the one that fits, of which a schedule of `objective` is known;
// nothing where none is found, or the question leaves none open.
Result<std::optional<OwnStep>> step_of_less_cost(QuestionSteps& steps, const Instance& fitting,
                                                 double objective, const OwnStepSearch& search,
                                                 const Stop& stop, const ProgressSink& progress);

// The step that is planned in the question's RAM budget, which is in bytes, where it is another
// than `shared`. `known`: schedules of that one which keep every limit; where there are none, a
// step with more slices or in parts may have one.
Result<std::optional<OwnStep>> own_step(QuestionSteps& steps, const Problem& shared,
                                        const std::vector<Schedule>& known,
                                        const OwnStepSearch& search, const Stop& stop,
                                        const ProgressSink& progress);

}  // namespace poet
