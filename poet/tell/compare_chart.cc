#include "poet/tell/compare_chart.h"

#include <fmt/core.h>

#include "poet/report/figure_text.h"
#include "poet/report/method_chart.h"
#include "poet/tell/evidence_words.h"
#include "poet/tell/summary_text.h"

namespace poet {

std::string compare_chart_svg(const CompareReport& report) {
  const PlanOrigin& origin = report.request.question.origin;
  MethodChartInput input;
  input.title = question_text({origin.model, origin.platform, origin.graph, ""}, report.problem) +
                fmt::format(", {} of RAM", size_figure(report.problem.ram_budget_bytes));
  input.quantity = name_of(kObjectives, report.problem.objective);
  if (report.bound && report.unavoidable > 0) {
    input.bound_ratio = (*report.bound - report.unavoidable) / report.unavoidable;
    input.bound_words = evidence_words(evidence_of_bound(report.problem, *report.bound),
                                       report.runs.back().backend);
  }
  for (const MethodRun& run : report.runs)
    input.bars.push_back({run.method,
                          run.fits() ? overhead_ratio(report, run) : std::optional<double>(),
                          run.fits() ? "no overhead to speak of" : run.why});
  return standalone_svg(method_chart(input));
}

}  // namespace poet
