#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/ask/sweep.h"

namespace poet {

// A method's answer at one budget, as it stands when every point is known.
struct CurveRun {
  std::int64_t ram_budget_bytes = 0;
  // Nothing: not reached. A schedule that is valid at a smaller budget is valid at this one:
  // methods that take starts answer with it where it is better, and `carried_from_bytes` says so.
  // What is impossible at a larger budget is impossible at this one.
  std::optional<MethodRun> run = {};
  std::optional<std::int64_t> carried_from_bytes = {};
};

struct MethodCurve {
  int method = 0;                                       // in SweepPlan::methods
  std::vector<CurveRun> points = {};                    // one per budget of the instance
  std::optional<std::int64_t> least_budget_bytes = {};  // of the sweep's, at which it fits
  // The least peak of all its schedules that the sweep saw, those that were over the budget of
  // their point and kept every other limit among them: this much RAM is enough.
  std::optional<std::int64_t> least_ram_bytes = {};
};

// What 'poet solve' plans at one budget: POET's best schedule, of whatever step.
struct OwnStepPoint {
  CurveRun point = {};
  std::optional<OwnStep> step = {};  // nothing: it is the step that the methods have there
};

struct InstanceCurves {
  int instance = 0;  // in SweepPlan::instances
  std::vector<MethodCurve> methods = {};
  // One per budget, where some may be planned with another step; else empty.
  std::vector<OwnStepPoint> own_steps = {};
  // Per budget: no schedule of the class has less. A bound at a larger budget holds at this one.
  std::vector<std::optional<double>> bounds = {};
};

std::vector<InstanceCurves> curves_of(const SweepPlan& plan, const SweepAnswers& answers);

}  // namespace poet
