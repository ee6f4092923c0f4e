#include "poet/ask/compare.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "poet/ask/below_poet.h"
#include "poet/ask/choose_parts.h"
#include "poet/ask/several_memories.h"
#include "poet/ask/solver_names.h"
#include "poet/ask/steps.h"
#include "poet/base/check.h"
#include "poet/base/closest_name.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

ProgressSink named_progress(const ProgressSink& progress, std::string_view method) {
  if (!progress) return progress;
  return [&progress, method](const SolveProgress& inner) {
    SolveProgress outer = inner;
    outer.phase = method;
    progress(outer);
  };
}

void add_findings(CompareReport& report) {
  const PoetSays poet{report.runs.back(), report.bound,
                      report.request.question.solve.rounding_ratio};
  for (const MethodRun& run : report.runs) {
    if (&run == &report.runs.back()) continue;
    POET_CHECK(!run.in_class || !is_below_the_bound(report.problem, run, poet));
    if (std::optional<std::string> finding = finding_of(report.problem, run, poet))
      report.findings.push_back(*std::move(finding));
  }
}

}  // namespace

Result<std::vector<MethodEntry>> methods_named(const std::vector<std::string>& names) {
  if (names.empty()) return method_table();
  std::vector<std::string_view> known;
  for (const MethodEntry& entry : method_table()) known.push_back(entry.name);
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string near = suggestion(name, known);
      return bad_input(
          fmt::format("unknown method '{}'{}", name,
                      near.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : near));
    }
  std::vector<MethodEntry> chosen;
  for (const MethodEntry& entry : method_table())
    if (std::find(names.begin(), names.end(), entry.name) != names.end() || entry.bounds_the_class)
      chosen.push_back(entry);
  return chosen;
}

std::optional<double> overhead_ratio(const CompareReport& report, const MethodRun& run) {
  if (!run.schedule || report.unavoidable <= 0) return std::nullopt;
  return (objective_of(report.problem, run.replay) - report.unavoidable) / report.unavoidable;
}

namespace {

Result<CompareReport> compare_on(const CompareRequest& request,
                                 const std::vector<MethodEntry>& methods,
                                 const BackendChoice& choice, Instance instance, const Stop& stop,
                                 const ProgressSink& progress, const WarningSink& early) {
  CompareReport report{.request = request, .problem = std::move(instance.problem)};
  report.request.question.solve.backend = choice.backend;
  report.costs = std::move(instance.costs);
  report.updates = std::move(instance.updates);
  report.parts = std::move(instance.parts);
  report.warnings = std::move(instance.warnings);
  report.warnings.insert(report.warnings.end(), choice.warnings.begin(), choice.warnings.end());
  if (early)
    for (const std::string& warning : report.warnings) early(warning);
  report.unavoidable = unavoidable_objective(report.problem);

  for (const MethodEntry& method : methods) {
    if (stop.token.stop_requested() && !method.bounds_the_class) continue;
    std::vector<Schedule> starts;
    for (const MethodRun& run : report.runs)
      if (may_begin_with(method, run)) starts.push_back(*run.schedule);
    Result<MethodRun> run =
        run_method(report.problem, method, starts, report.request.question.solve,
                   with_own_limit(stop, request.limit_s), named_progress(progress, method.name));
    if (!run.ok()) return run.error();
    if (run->bound) report.bound = run->bound;
    report.runs.push_back(*std::move(run));
  }
  if (stop.token.stop_requested())
    report.warnings.push_back("stopped on request, before every method was through");
  add_findings(report);
  return report;
}

// The step that costs less, where the question leaves it open and one is found. It has as much time
// as a method.
Failure look_for_own_step(const CompareRequest& request, const MethodEntry& poet,
                          QuestionSteps& steps, const Instance& fitting, const Stop& stop,
                          const ProgressSink& progress, CompareReport& report) {
  const MethodRun& shared = report.runs.back();
  if (!shared.fits()) return std::nullopt;
  const OwnStepSearch search{poet, report.request.question.solve};
  Result<std::optional<OwnStep>> own = step_of_less_cost(
      steps, fitting, objective_of(report.problem, shared.replay), search,
      with_own_limit(stop, request.limit_s), named_progress(progress, "poet, another step"));
  if (!own.ok()) return own.error();
  report.own_step = *std::move(own);
  return std::nullopt;
}

// Whether another step, with updates by slices or in parts, may have a schedule where this one has
// none.
bool may_need_less(const CompareReport& report) {
  const bool is_open =
      report.updates.asked == Updates::Auto || leaves_parts_open(report.request.question);
  return is_open && report.runs.back().outcome == Outcome::Infeasible;
}

}  // namespace

Result<CompareReport> compare_methods(const CompareRequest& request, const Stop& stop,
                                      const ProgressSink& progress, const WarningSink& early) {
  const Result<std::vector<MethodEntry>> methods = methods_named(request.methods);
  if (!methods.ok()) return methods.error();
  if (Failure failure = needs_one_memory(request.question, "methods are compared")) return *failure;
  QuestionSteps possible(request.question);
  Result<Instance> instance = instance_in_budget(possible, stop, progress);
  if (!instance.ok()) return instance.error();
  const Result<BackendChoice> choice =
      choose_backend(*request.question.solver, request.question.solve.library_directories);
  if (!choice.ok()) return choice.error();
  Result<CompareReport> report =
      compare_on(request, *methods, *choice, *instance, stop, progress, early);
  if (!report.ok()) return report;
  if (!may_need_less(*report)) {
    if (Failure failure = look_for_own_step(request, methods->back(), possible, *instance, stop,
                                            progress, *report))
      return *failure;
    return report;
  }
  Result<std::vector<UpdateLevel>> steps = steps_of_updates(possible);
  if (!steps.ok()) return steps.error();
  const std::int64_t budget_bytes = report->problem.ram_budget_bytes;
  for (UpdateLevel& step : *steps) {
    step.instance.problem.ram_budget_bytes = budget_bytes;
    if (step.least_bytes > budget_bytes || step.instance.problem == report->problem) continue;
    Result<CompareReport> sliced =
        compare_on(request, *methods, *choice, step.instance, stop, progress, {});
    if (!sliced.ok()) return sliced.error();
    if (may_need_less(*sliced)) continue;
    if (Failure failure = look_for_own_step(request, methods->back(), possible, step.instance, stop,
                                            progress, *sliced))
      return *failure;
    return sliced;
  }
  if (!leaves_parts_open(request.question) || report->parts.part_bytes) return report;
  if (std::optional<Instance> parts = choose_parts(possible, budget_bytes, stop, progress))
    return compare_on(request, *methods, *choice, *std::move(parts), stop, progress, {});
  return report;
}

}  // namespace poet
