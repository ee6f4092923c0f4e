#pragma once

#include <cstdint>
#include <string>

#include "poet/problem/problem.h"
#include "poet/use/step_meter.h"

namespace poet {

// When a training plans again, and when it changes to what comes out
// (docs/decisions/0054-measured-and-planned-again.md).
struct ReplanLimits {
  std::int64_t metered_steps = 5;  // their medians count
  // A training that its plan expects to be shorter than this is not measured.
  double least_training_s = 30;
  // Of the time that is left, what planning may take: it takes from the training what that would
  // have of the processors.
  double most_planning_ratio = 0.2;
  double least_off_ratio = 0.03;     // of a step: what figures are off by, below which they stand
  double least_saving_ratio = 0.02;  // of the objective: less may be noise
  double most_worse_ratio = 0.05;    // a change that measures so much slower is taken back
};

// Whether to plan again, and from what that follows.
struct ReplanOutlook {
  bool plans = false;
  std::string why = {};      // in words
  double off_ratio = 0;      // of a step: how far its parts are from the plan's, in proportion
  double most_saving_s = 0;  // that any other plan can bring, in all steps that are left
  double planning_s = 0;     // that it is expected to take
};

// `fixed_times`: a limit is in seconds, so that a machine that does everything twice as slowly
// asks another question, too.
ReplanOutlook replan_outlook(const MeteredSteps& steps, bool fixed_times, std::int64_t steps_left,
                             double planning_s, const ReplanLimits& limits);

// What a plan costs in a step.
struct PlanCost {
  double step_s = 0;
  double step_j = 0;
  bool keeps_deadline = true;
};

struct ReplanChoice {
  bool changes = false;
  std::string why = {};
  double saving_ratio = 0;  // of the objective; below 0: the other costs more
  double saving_s = 0;      // in the time that all steps that are left take
};

// Between the plan in use and another, both by the measured figures. `move_s`: what changing over
// takes.
ReplanChoice replan_choice(const PlanCost& in_use, const PlanCost& other, Objective objective,
                           double remaining_s, double move_s, const ReplanLimits& limits);

// How many times as long as before the same operations take, whatever plan they are of: other
// programs come and go. 1 where there are none to compare.
double computing_ratio(const MeteredSteps& before, const MeteredSteps& now);

}  // namespace poet
