#include "poet/ask/plan_after.h"

#include <algorithm>
#include <utility>

#include "poet/ask/plan_instance.h"

namespace poet {

void add_search(double begin_s, double counted_before, const Stop& stop, PlanTiming& timing) {
  timing.solve_s += stop.now_s() - begin_s;
  timing.effort_s += (stop.counted() - counted_before) / kEffortUnitsPerSecond;
}

Result<PlanReport> plan_after(const PlanReport& before, const Question& question, Instance instance,
                              const Stop& stop, const ProgressSink& progress) {
  Result<PlanReport> report = plan_instance(question, std::move(instance), stop, progress);
  if (!report.ok()) return report;
  report->timing.solve_s += before.timing.solve_s;
  report->timing.verify_s += before.timing.verify_s;
  report->timing.effort_s += before.timing.effort_s;
  report->solve.effort.add(before.solve.effort);
  // That none of these steps has a schedule is shown no better than of the one that is shown worst.
  if (report->solve.status == SolveStatus::Infeasible) {
    report->solve.evidence = std::max(report->solve.evidence, before.solve.evidence);
    report->proof = std::max(report->proof, before.proof);
  }
  return report;
}

}  // namespace poet
