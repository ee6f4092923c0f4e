#include "poet/tell/sweep_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/ask/below_poet.h"
#include "poet/base/json_out.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"
#include "poet/problem/schedule_class.h"
#include "poet/problem/uncertainty.h"
#include "poet/report/figure_text.h"
#include "poet/tell/compare_text.h"
#include "poet/tell/evidence_words.h"
#include "poet/tell/step_words.h"
#include "poet/tell/summary_text.h"
#include "poet/tell/text_table.h"

namespace poet {
namespace {

constexpr std::size_t kShownBudgets = 6;

// Some of the budgets, evenly, the first and the last among them.
std::vector<std::size_t> shown(std::size_t budgets) {
  if (budgets <= kShownBudgets) {
    std::vector<std::size_t> all(budgets);
    for (std::size_t b = 0; b < budgets; ++b) all[b] = b;
    return all;
  }
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < kShownBudgets; ++k)
    some.push_back(k * (budgets - 1) / (kShownBudgets - 1));
  return some;
}

std::string overhead_text(double objective, double unavoidable) {
  return unavoidable > 0 ? percent_figure(objective / unavoidable - 1)
                         : fmt::format("{:.4g}", objective);
}

std::string cell_of(const Problem& problem, const CurveRun& point, double unavoidable) {
  if (!point.run) return "?";
  if (!point.run->fits()) return "-";
  return overhead_text(objective_of(problem, point.run->replay), unavoidable);
}

// Of the step that is planned at that budget.
const Problem& problem_at_budget(const SweepInstance& instance, std::int64_t budget_bytes) {
  return problem_of_step(instance, step_at(instance, budget_bytes));
}
double unavoidable_at(const SweepInstance& instance, std::int64_t budget_bytes) {
  return unavoidable_objective(problem_at_budget(instance, budget_bytes));
}

std::optional<std::int64_t> least_ram_of_own_steps(const InstanceCurves& curves) {
  std::optional<std::int64_t> least = curves.methods.back().least_ram_bytes;
  for (const OwnStepPoint& point : curves.own_steps)
    if (point.step)
      least = std::min(least.value_or(point.point.run->replay.peak_ram_bytes),
                       point.point.run->replay.peak_ram_bytes);
  return least;
}

std::string table_text(const SweepReport& report, const InstanceCurves& curves) {
  const SweepInstance& instance = report.plan.instances[curves.instance];
  const auto unavoidable = [&instance](std::size_t b) {
    return unavoidable_at(instance, instance.budgets_bytes[b]);
  };
  const std::vector<std::size_t> budgets = shown(instance.budgets_bytes.size());
  TextTable table{.columns = {{"method", Align::Left}, {"least RAM, B"}, {"fits at"}}, .rows = {}};
  for (const std::size_t b : budgets)
    table.columns.push_back({size_figure(instance.budgets_bytes[b])});
  const auto add_row = [&](std::string_view name, std::optional<std::int64_t> least_ram_bytes,
                           const std::vector<CurveRun>& points) {
    const auto fitting = std::count_if(points.begin(), points.end(), [](const CurveRun& point) {
      return point.run && point.run->fits();
    });
    std::vector<std::string> row = {std::string(name),
                                    least_ram_bytes ? count_figure(*least_ram_bytes) : "-",
                                    fmt::format("{} of {}", fitting, points.size())};
    for (const std::size_t b : budgets)
      row.push_back(cell_of(instance.problem, points[b], unavoidable(b)));
    table.rows.push_back(std::move(row));
  };
  for (const MethodCurve& curve : curves.methods)
    add_row(report.plan.methods[curve.method].name, curve.least_ram_bytes, curve.points);
  std::vector<std::string> bound = {"bound", "", ""};
  for (const std::size_t b : budgets)
    bound.push_back(curves.bounds[b] ? overhead_text(*curves.bounds[b], unavoidable(b)) : "");
  table.rows.push_back(std::move(bound));
  if (has_other_steps(curves))
    add_row(kOwnStepName, least_ram_of_own_steps(curves), points_of_own_steps(curves));
  return to_text(table);
}

JsonOut method_json(const SweepReport& report, const SweepInstance& instance,
                    const MethodCurve& curve) {
  JsonOut out;
  out["method"] = report.plan.methods[curve.method].name;
  out["least_budget_bytes"] = or_null(curve.least_budget_bytes);
  out["least_ram_bytes"] = or_null(curve.least_ram_bytes);
  out["points"] = JsonOut::array();
  for (const CurveRun& point : curve.points) {
    JsonOut one = {{"ram_budget_bytes", point.ram_budget_bytes}};
    if (point.run) one.update(run_to_json(instance.problem, *point.run));
    if (!point.run) one["outcome"] = nullptr;
    one.erase("method");
    one["carried_from_bytes"] = or_null(point.carried_from_bytes);
    out["points"].push_back(std::move(one));
  }
  return out;
}

JsonOut timing_json(const SweepReport& report) {
  JsonOut plan_s = JsonOut::array();
  for (std::size_t k = 0; k < report.plan.points.size(); ++k) {
    const SweepPoint& point = report.plan.points[k];
    const SweepInstance& instance = report.plan.instances[point.instance];
    if (!report.answers.runs[k]) continue;
    plan_s.push_back({{"instance", point.instance},
                      {"ram_budget_bytes", instance.budgets_bytes[point.budget]},
                      {"method", name_of_point(report.plan, point)},
                      {"plan_s", report.answers.runs[k]->plan_s},
                      {"ended_by_clock", report.answers.runs[k]->ended_by_clock}});
  }
  return {{"elapsed_s", report.elapsed_s},
          {"found_before", report.answers.found_before},
          {"points", std::move(plan_s)}};
}

// Beside the instance's budgets; nothing where POET's point was not reached.
std::vector<std::optional<PoetSays>> what_poet_says(const SweepPlan& plan,
                                                    const InstanceCurves& curves) {
  std::vector<std::optional<PoetSays>> says;
  for (std::size_t b = 0; b < curves.bounds.size(); ++b) {
    const std::optional<MethodRun>& run = curves.methods.back().points[b].run;
    says.emplace_back();
    if (run) says.back() = {*run, curves.bounds[b], plan.request.plan.solve.rounding_ratio};
  }
  return says;
}

std::vector<std::string> findings_of(const SweepPlan& plan, const InstanceCurves& curves) {
  const SweepInstance& instance = plan.instances[curves.instance];
  const std::vector<std::optional<PoetSays>> poet = what_poet_says(plan, curves);
  std::vector<std::string> findings;
  for (const MethodCurve& curve : curves.methods) {
    if (&curve == &curves.methods.back()) continue;
    for (std::size_t b = 0; b < curve.points.size(); ++b) {
      const std::optional<MethodRun>& run = curve.points[b].run;
      if (!run || !poet[b]) continue;
      if (const auto finding = finding_of(instance.problem, *run, *poet[b]))
        findings.push_back(fmt::format("{} on {} with {} B: {}", instance.model, instance.platform,
                                       count_figure(instance.budgets_bytes[b]), *finding));
    }
  }
  return findings;
}

// The library by which POET searched; empty where no point says.
std::string backend_of(const InstanceCurves& curves) {
  for (const CurveRun& point : curves.methods.back().points)
    if (point.run && !point.run->backend.empty()) return point.run->backend;
  return "";
}

// Below this no budget has a schedule, however weights are updated.
std::int64_t least_bytes(const SweepInstance& instance) {
  return instance.smaller.empty() ? largest_need_of_ram(instance.problem).bytes
                                  : instance.smaller.back().least_bytes;
}

// Which steps the budgets have, where that depends on them.
std::string smaller_steps_text(const SweepInstance& instance) {
  std::string text;
  std::optional<std::int64_t> least_sliced;
  for (const SmallerStep& step : instance.smaller)
    if (!step.parts.part_bytes) least_sliced = step.least_bytes;
  if (least_sliced)
    text += fmt::format(
        "\n  of whole operations, separate updates need {}; with less, down to {}, weights are "
        "updated by slices\n",
        counted(instance.smaller.front().below_bytes, "byte"), count_figure(*least_sliced));
  for (const SmallerStep& step : instance.smaller)
    if (step.parts.part_bytes)
      text += fmt::format("\n  with {}: parts {}\n", counted(step.least_bytes, "byte"),
                          parts_text(step.parts));
  return text;
}

JsonOut sliced_steps_json(const SweepInstance& instance) {
  JsonOut steps = JsonOut::array();
  for (const SmallerStep& step : instance.smaller)
    steps.push_back({{"least_bytes", step.least_bytes},
                     {"below_bytes", step.below_bytes},
                     {"weights", step.updates.sliced},
                     {"part_bytes", or_null(step.parts.part_bytes)}});
  return steps;
}

// Why methods that fit nowhere do not, at the largest budget.
std::string reasons(const SweepReport& report, const InstanceCurves& curves) {
  std::string text;
  for (const MethodCurve& curve : curves.methods) {
    const std::optional<MethodRun>& run = curve.points.back().run;
    if (curve.least_budget_bytes || !run) continue;
    text += fmt::format("  {}: {}\n", report.plan.methods[curve.method].name, run->why);
  }
  return text.empty() ? text : "\n" + text;
}

// Whose word the bounds are, where one of them is more than sums say.
std::string bound_words(const SweepReport& report) {
  for (const InstanceCurves& curves : report.curves) {
    const SweepInstance& instance = report.plan.instances[curves.instance];
    for (std::size_t b = 0; b < curves.bounds.size(); ++b) {
      const Problem& problem = problem_at_budget(instance, instance.budgets_bytes[b]);
      if (!curves.bounds[b] || evidence_of_bound(problem, *curves.bounds[b]) != Evidence::Backend)
        continue;
      return fmt::format("bound: no schedule of the class needs less; above 0 % that is {}.\n",
                         proof_words(ProofKind::Backend, backend_of(curves)));
    }
  }
  return "";
}

// Curves of one step are told apart from plans of the best one.
std::string step_words(const SweepReport& report) {
  const auto are_asked = [](const InstanceCurves& curves) { return !curves.own_steps.empty(); };
  if (std::none_of(report.curves.begin(), report.curves.end(), are_asked)) return "";
  if (std::none_of(report.curves.begin(), report.curves.end(), has_other_steps))
    return "All methods have the same step at a budget, in the order with the lowest peak that was "
           "found, and 'poet solve' plans no other there.\n";
  return fmt::format(
      "All methods have the same step at a budget, in the order with the lowest peak that was "
      "found; bounds, what no schedule can save and that nothing fits are said of it. {}: {}.\n",
      kOwnStepName, kOwnStepWhat);
}

JsonOut own_step_json(const SweepInstance& instance, const OwnStepPoint& own) {
  JsonOut one = {{"ram_budget_bytes", own.point.ram_budget_bytes}};
  if (own.point.run)
    one.update(run_to_json(own.step ? own.step->problem : instance.problem, *own.point.run));
  else
    one["outcome"] = nullptr;
  one.erase("method");
  one["is_other"] = own.step.has_value();
  one["weights"] = own.step ? JsonOut(own.step->updates.sliced) : JsonOut(nullptr);
  one["part_bytes"] = own.step ? or_null(own.step->parts.part_bytes) : JsonOut(nullptr);
  one["operations"] = own.step ? JsonOut(own.step->parts.operations) : JsonOut(nullptr);
  one["carried_from_bytes"] = or_null(own.point.carried_from_bytes);
  return one;
}

}  // namespace

bool has_other_steps(const InstanceCurves& curves) {
  return std::any_of(curves.own_steps.begin(), curves.own_steps.end(),
                     [](const OwnStepPoint& point) { return point.step.has_value(); });
}

std::vector<CurveRun> points_of_own_steps(const InstanceCurves& curves) {
  std::vector<CurveRun> points;
  for (const OwnStepPoint& own : curves.own_steps) points.push_back(own.point);
  return points;
}

SweepReport make_sweep_report(SweepPlan plan, SweepAnswers answers, const Stop& stop) {
  SweepReport report{.plan = std::move(plan), .answers = std::move(answers)};
  report.curves = curves_of(report.plan, report.answers);
  for (const InstanceCurves& curves : report.curves)
    for (std::string& finding : findings_of(report.plan, curves))
      report.findings.push_back(std::move(finding));
  report.warnings = report.plan.warnings;
  if (report.answers.lost > 0)
    report.warnings.push_back(fmt::format(
        "{} lost, because the processes that planned it died; the same command with --results or "
        "--store asks again for what is missing",
        report.answers.lost == 1 ? "one point was"
                                 : fmt::format("{} points were", report.answers.lost)));
  else if (!report.answers.complete())
    report.warnings.push_back(
        "stopped before every point was answered; the same command with the same --results or "
        "--store goes on from here");
  report.elapsed_s = stop.now_s();
  return report;
}

std::string title_of(const SweepInstance& instance) {
  std::string text =
      question_text({instance.model, instance.platform, instance.graph, ""}, instance.problem);
  if (const std::optional<double> deadline_s = asked_deadline_s(instance.problem))
    text += fmt::format(", at most {}", time_figure(*deadline_s));
  if (instance.problem.uncertainty)
    text += fmt::format(" where {}", uncertainty_words(*instance.problem.uncertainty));
  return text;
}

std::string sweep_text(const SweepReport& report) {
  std::string text;
  for (const InstanceCurves& curves : report.curves) {
    const SweepInstance& instance = report.plan.instances[curves.instance];
    if (!text.empty()) text += "\n";
    text += title_of(instance) + "\n";
    text += fmt::format("{} beyond what no schedule can save, at RAM budgets of\n\n",
                        name_of(kObjectives, instance.problem.objective));
    text += table_text(report, curves) + smaller_steps_text(instance) + reasons(report, curves);
  }
  text +=
      "\n-: it does not fit or cannot; ?: not reached; least RAM: the least that any of its "
      "schedules needs that were seen.\n" +
      bound_words(report) + step_words(report) + "--csv, --json and --report have every point.\n";
  for (const std::string& finding : report.findings) text += "Finding: " + finding + ".\n";
  return text;
}

JsonOut sweep_to_json(const SweepReport& report) {
  JsonOut out = {{"format", "poet-sweep"}, {"version", 1}};
  out["complete"] = report.answers.complete();
  out["instances"] = JsonOut::array();
  for (const InstanceCurves& curves : report.curves) {
    const SweepInstance& instance = report.plan.instances[curves.instance];
    const Problem& problem = instance.problem;
    JsonOut one;
    one["model"] = instance.model;
    one["graph"] = instance.graph;
    one["platform"] = instance.platform.empty() ? JsonOut(nullptr) : JsonOut(instance.platform);
    one["costs"] = costs_json(instance.costs);
    one["objective"] = name_of(kObjectives, problem.objective);
    one["io"] = name_of(kTimeModes, problem.time_mode);
    one["deadline_s"] = or_null(asked_deadline_s(problem));
    one["unavoidable"] = unavoidable_objective(problem);
    one["plain_peak_bytes"] = plain_peak_bytes(problem);
    one["largest_working_set_bytes"] = largest_working_set(problem).bytes;
    one["least_bytes"] = least_bytes(instance);
    one["updates"] = updates_json(instance.updates);
    one["sliced_steps"] = sliced_steps_json(instance);
    one["scope"] = instance.graph == "real" ? "these-steps" : "graph";
    one["class"] = schedule_class_text(problem);
    one["budgets_bytes"] = instance.budgets_bytes;
    one["unavoidable_at"] = JsonOut::array();
    for (const std::int64_t budget_bytes : instance.budgets_bytes)
      one["unavoidable_at"].push_back(unavoidable_at(instance, budget_bytes));
    one["bounds"] = JsonOut::array();
    for (const std::optional<double>& bound : curves.bounds)
      one["bounds"].push_back(or_null(bound));
    one["bounds_evidence"] = JsonOut::array();
    for (std::size_t b = 0; b < curves.bounds.size(); ++b)
      one["bounds_evidence"].push_back(bound_evidence_json(
          problem_at_budget(instance, instance.budgets_bytes[b]), curves.bounds[b]));
    one["methods"] = JsonOut::array();
    for (const MethodCurve& curve : curves.methods)
      one["methods"].push_back(method_json(report, instance, curve));
    one["own_steps"] = curves.own_steps.empty() ? JsonOut(nullptr) : JsonOut::array();
    for (const OwnStepPoint& own : curves.own_steps)
      one["own_steps"].push_back(own_step_json(instance, own));
    out["instances"].push_back(std::move(one));
  }
  out["findings"] = report.findings;
  out["warnings"] = report.warnings;
  out["timing"] = timing_json(report);
  return out;
}

}  // namespace poet
