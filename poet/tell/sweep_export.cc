#include <fmt/core.h>

#include "poet/problem/facts.h"
#include "poet/problem/uncertainty.h"
#include "poet/tell/compare_text.h"
#include "poet/tell/sweep_text.h"
#include "poet/tell/text_table.h"

namespace poet {
namespace {

std::vector<std::string> csv_line(const SweepReport& report, const InstanceCurves& curves,
                                  std::string_view name, const CurveRun& point,
                                  std::optional<double> bound) {
  const SweepInstance& instance = report.plan.instances[curves.instance];
  const auto figure = [&point](auto Replay::*field) {
    return point.run && point.run->schedule ? fmt::format("{}", point.run->replay.*field)
                                            : std::string();
  };
  const auto number = [](const auto& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  return {instance.model,
          instance.platform,
          number(asked_deadline_s(instance.problem)),
          fmt::format("{}", point.ram_budget_bytes),
          std::string(name),
          point.run ? std::string(name_of(kOutcomes, point.run->outcome)) : "",
          knows_energies(instance.problem) ? figure(&Replay::energy_j) : "",
          figure(&Replay::time_s),
          figure(&Replay::peak_ram_bytes),
          figure(&Replay::recomputed_operations),
          figure(&Replay::paged_tensors),
          number(bound),
          number(point.carried_from_bytes),
          point.run ? fmt::format("{}", point.run->plan_s) : ""};
}

CurvePoint point_of(const Problem& problem, const CurveRun& from) {
  CurvePoint point{.ram_budget_bytes = from.ram_budget_bytes};
  if (!from.run) {
    point.verdict = "not reached";
    return point;
  }
  point.fits = from.run->fits();
  point.verdict = verdict_of(*from.run);
  point.reason = from.run->why;
  if (!from.run->schedule) return point;
  if (knows_energies(problem)) point.energy_j = from.run->replay.energy_j;
  point.time_s = from.run->replay.time_s;
  point.peak_ram_bytes = from.run->replay.peak_ram_bytes;
  point.recomputed_operations = from.run->replay.recomputed_operations;
  point.paged_tensors = from.run->replay.paged_tensors;
  return point;
}

Curve own_step_curve(const Problem& problem, const InstanceCurves& curves) {
  Curve drawn{.method = std::string(kOwnStepName), .what = kOwnStepWhat};
  for (const CurveRun& point : points_of_own_steps(curves)) {
    drawn.points.push_back(point_of(problem, point));
    if (point.run && point.run->fits() && !drawn.least_budget_bytes)
      drawn.least_budget_bytes = point.ram_budget_bytes;
  }
  return drawn;
}

SweepFigure figure_of(const SweepReport& report, const InstanceCurves& curves) {
  const SweepInstance& instance = report.plan.instances[curves.instance];
  const Problem& problem = instance.problem;
  SweepFigure figure;
  figure.title = title_of(instance);
  figure.least_time = problem.objective == Objective::Time;
  figure.unavoidable = unavoidable_objective(problem);
  figure.deadline_s = asked_deadline_s(problem);
  figure.largest_working_set_bytes = largest_working_set(problem).bytes;
  figure.plain_peak_bytes = plain_peak_bytes(problem);
  figure.device_ram_bytes = instance.device_ram_bytes;
  figure.has_other_steps = has_other_steps(curves);
  for (const MethodCurve& curve : curves.methods) {
    if (&curve == &curves.methods.back() && has_other_steps(curves))
      figure.curves.push_back(own_step_curve(problem, curves));
    const MethodEntry& method = report.plan.methods[curve.method];
    Curve drawn{.method = std::string(method.name), .what = std::string(method.what)};
    for (const CurveRun& point : curve.points) drawn.points.push_back(point_of(problem, point));
    drawn.least_budget_bytes = curve.least_budget_bytes;
    figure.curves.push_back(std::move(drawn));
  }
  for (std::size_t b = 0; b < curves.bounds.size(); ++b)
    if (curves.bounds[b]) figure.bounds.push_back({instance.budgets_bytes[b], *curves.bounds[b]});
  return figure;
}

}  // namespace

std::string sweep_csv(const SweepReport& report) {
  CsvText csv({"model", "platform", "deadline_s", "ram_budget_bytes", "method", "outcome",
               "energy_j", "time_s", "peak_ram_bytes", "recomputed_operations", "paged_tensors",
               "bound", "carried_from_bytes", "plan_s"});
  for (const InstanceCurves& curves : report.curves) {
    for (const MethodCurve& curve : curves.methods)
      for (std::size_t b = 0; b < curve.points.size(); ++b)
        csv.add(csv_line(report, curves, report.plan.methods[curve.method].name, curve.points[b],
                         curves.bounds[b]));
    // Bounds are of the methods' steps.
    for (std::size_t b = 0; b < curves.own_steps.size(); ++b)
      csv.add(csv_line(report, curves, kOwnStepName, curves.own_steps[b].point, {}));
  }
  return csv.text();
}

std::vector<SweepFigure> sweep_figures(const SweepReport& report) {
  std::vector<SweepFigure> figures;
  for (const InstanceCurves& curves : report.curves) figures.push_back(figure_of(report, curves));
  return figures;
}

std::vector<SweepPicture> sweep_pictures(const SweepReport& report) {
  std::vector<SweepPicture> pictures;
  const std::vector<SweepFigure> figures = sweep_figures(report);
  const std::vector<std::string> names = sweep_picture_names(figures.size());
  for (std::size_t i = 0; i < figures.size(); ++i) {
    pictures.push_back(
        {names[2 * i], standalone_svg(sweep_energy_chart(figures[i], ChartWidth::Wide))});
    pictures.push_back(
        {names[2 * i + 1], standalone_svg(sweep_time_chart(figures[i], ChartWidth::Wide))});
  }
  return pictures;
}

std::vector<std::string> sweep_picture_names(std::size_t figures) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < figures; ++i) {
    const std::string number = figures > 1 ? fmt::format("_{}", i + 1) : "";
    names.push_back(fmt::format("sweep_energy{}.svg", number));
    names.push_back(fmt::format("sweep_time{}.svg", number));
  }
  return names;
}

}  // namespace poet
