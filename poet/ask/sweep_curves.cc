#include "poet/ask/sweep_curves.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace poet {
namespace {

bool is_better(const Problem& problem, const MethodRun& run, const std::optional<MethodRun>& than) {
  return !than || !than->fits() ||
         objective_of(problem, run.replay) < objective_of(problem, than->replay);
}

bool have_one_step(const SweepInstance& instance, const CurveRun& a, const CurveRun& b) {
  return step_at(instance, a.ram_budget_bytes) == step_at(instance, b.ram_budget_bytes);
}

// From smaller budgets to larger ones that have the same step.
void carry_schedules(const SweepInstance& instance, std::vector<CurveRun>& points) {
  const Problem& problem = instance.problem;
  const CurveRun* best = nullptr;
  for (CurveRun& point : points) {
    if (best != nullptr && !have_one_step(instance, *best, point)) best = nullptr;
    if (best != nullptr && is_better(problem, *best->run, point.run)) {
      std::optional<double> bound = point.run ? point.run->bound : std::nullopt;
      point.run = best->run;
      point.run->bound = bound;
      point.run->best_of_its_kind = false;
      point.run->evidence = Evidence::None;
      point.carried_from_bytes = best->carried_from_bytes.value_or(best->ram_budget_bytes);
    }
    if (point.run && point.run->fits()) best = &point;
  }
}

// From larger budgets to smaller ones that have the same step.
void carry_impossibility(const SweepInstance& instance, std::vector<CurveRun>& points) {
  const CurveRun* proof = nullptr;
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (proof != nullptr && !have_one_step(instance, *proof, *point)) proof = nullptr;
    if (proof != nullptr && (!point->run || point->run->outcome == Outcome::Stopped)) {
      point->run = proof->run;
      point->carried_from_bytes = proof->carried_from_bytes.value_or(proof->ram_budget_bytes);
    }
    if (point->run && point->run->outcome == Outcome::Infeasible) proof = &*point;
  }
}

bool breaks_only_the_budget(const MethodRun& run) {
  return std::all_of(run.replay.findings.begin(), run.replay.findings.end(),
                     [](const Finding& finding) { return finding.rule == Rule::RamBudget; });
}

std::optional<std::int64_t> least_ram(const SweepInstance& instance,
                                      const std::vector<CurveRun>& points) {
  std::optional<std::int64_t> least;
  for (const CurveRun& point : points) {
    if (!point.run || !point.run->schedule || !breaks_only_the_budget(*point.run)) continue;
    const std::int64_t peak = point.run->replay.peak_ram_bytes;
    // With that much RAM another step may be planned.
    if (step_at(instance, peak) != step_at(instance, point.ram_budget_bytes)) continue;
    least = std::min(least.value_or(peak), peak);
  }
  return least;
}

std::vector<std::optional<double>> carried_bounds(const SweepInstance& instance,
                                                  const std::vector<CurveRun>& points) {
  std::vector<std::optional<double>> bounds(points.size());
  std::optional<double> highest;
  for (std::size_t b = points.size(); b-- > 0;) {
    if (b + 1 < points.size() && !have_one_step(instance, points[b], points[b + 1]))
      highest.reset();
    const std::optional<MethodRun>& run = points[b].run;
    if (run && run->bound && run->outcome != Outcome::Infeasible)
      highest = std::max(highest.value_or(*run->bound), *run->bound);
    const bool impossible = run && run->outcome == Outcome::Infeasible;
    bounds[b] = impossible ? std::optional<double>() : highest;
  }
  return bounds;
}

double objective_of(const OwnStep& own) {
  return objective_of(own.problem, own.run.replay);
}

// A step that is planned in smaller budgets, as the other step of larger ones.
OwnStep step_of(const SweepInstance& instance, std::size_t step, const MethodRun& run) {
  const SmallerStep& smaller = instance.smaller[step - 1];
  return {
      .problem = smaller.problem, .updates = smaller.updates, .parts = smaller.parts, .run = run};
}

// Of a method that was asked about other steps as well, of which none was found.
MethodRun found_none(const MethodRun& shared) {
  MethodRun run;
  run.method = shared.method;
  run.outcome = Outcome::Stopped;
  run.why = "no step was found that has a schedule";
  run.plan_s = shared.plan_s;
  run.ended_by_clock = shared.ended_by_clock;
  return run;
}

// A schedule of any step is one in a larger budget, too. At a budget in parts, POET's point is what
// is planned.
std::vector<OwnStepPoint> own_step_points(const SweepPlan& plan, const SweepAnswers& answers,
                                          const InstanceCurves& curves) {
  const SweepInstance& instance = plan.instances[curves.instance];
  std::vector<OwnStepPoint> points;
  if (!instance.open_question) return points;
  for (const CurveRun& point : curves.methods.back().points) points.push_back({.point = point});
  std::vector<std::optional<OwnStep>> found(points.size());
  for (std::size_t k = 0; k < plan.points.size(); ++k) {
    const SweepPoint& point = plan.points[k];
    if (!point.is_own_step || point.instance != curves.instance) continue;
    found[point.budget] = answers.own_steps[k];
    if (!answers.runs[k]) points[point.budget].point.run.reset();
  }
  std::optional<OwnStepPoint> best;  // of another step than that of the budgets to come
  for (std::size_t b = 0; b < points.size(); ++b) {
    OwnStepPoint& here = points[b];
    if (!here.point.run && !found[b]) continue;  // not reached
    const std::size_t step = step_at(instance, here.point.ram_budget_bytes);
    const auto least = [&here, &instance, step] {
      if (here.step) return objective_of(*here.step);
      return here.point.run && here.point.run->fits()
                 ? objective_of(problem_of_step(instance, step), here.point.run->replay)
                 : std::numeric_limits<double>::infinity();
    };
    if (found[b] && objective_of(*found[b]) < least()) {
      here.step = std::move(found[b]);
      here.point.run = here.step->run;
      here.point.carried_from_bytes.reset();
    }
    if (best && objective_of(*best->step) < least()) {
      here.step = best->step;
      here.point.run = best->point.run;
      // With more RAM that step may have a better one.
      here.point.run->bound.reset();
      here.point.run->best_of_its_kind = false;
      here.point.run->evidence = Evidence::None;
      here.point.carried_from_bytes =
          best->point.carried_from_bytes.value_or(best->point.ram_budget_bytes);
    }
    // What rules the shared step out rules out no other.
    if (!here.step && here.point.run && here.point.run->outcome == Outcome::Infeasible)
      here.point.run = found_none(*here.point.run);
    if (here.step)
      best = here;
    else if (step > 0 && here.point.run && here.point.run->fits())
      best = OwnStepPoint{.point = here.point, .step = step_of(instance, step, *here.point.run)};
  }
  return points;
}

}  // namespace

std::vector<InstanceCurves> curves_of(const SweepPlan& plan, const SweepAnswers& answers) {
  std::vector<InstanceCurves> all(plan.instances.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].instance = static_cast<int>(i);
    all[i].methods.resize(plan.methods.size());
    for (std::size_t m = 0; m < plan.methods.size(); ++m) {
      all[i].methods[m].method = static_cast<int>(m);
      for (const std::int64_t budget : plan.instances[i].budgets_bytes)
        all[i].methods[m].points.push_back({.ram_budget_bytes = budget});
    }
  }
  for (std::size_t k = 0; k < plan.points.size(); ++k) {
    const SweepPoint& point = plan.points[k];
    if (!point.is_own_step)
      all[point.instance].methods[point.method].points[point.budget].run = answers.runs[k];
  }
  for (InstanceCurves& instance : all) {
    for (MethodCurve& curve : instance.methods) {
      const MethodEntry& method = plan.methods[curve.method];
      const SweepInstance& of = plan.instances[instance.instance];
      if (method.bounds_the_class) instance.bounds = carried_bounds(of, curve.points);
      if (method.begins_with_a_schedule) {
        carry_schedules(of, curve.points);
        carry_impossibility(of, curve.points);
      }
      curve.least_ram_bytes = least_ram(of, curve.points);
      for (const CurveRun& point : curve.points)
        if (point.run && point.run->fits() && !curve.least_budget_bytes)
          curve.least_budget_bytes = point.ram_budget_bytes;
    }
    instance.own_steps = own_step_points(plan, answers, instance);
  }
  return all;
}

}  // namespace poet
