// Solves the released formulation by one integer program (docs/model/released.md §2).
#include "poet/solve/released_solver.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "poet/problem/deadline.h"
#include "poet/solve/allowed_gap.h"
#include "poet/solve/infeasibility.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/proved_bound.h"
#include "poet/solve/released_model.h"
#include "poet/solve/search_state.h"

namespace poet {
namespace {

// What a schedule costs and how long it computes, in our own arithmetic.
struct Figures {
  double objective = 0;
  double compute_s = 0;
};

Figures figures_of(const Problem& problem, const Schedule& schedule) {
  Figures figures;
  double energy_j = 0;
  for (const Action& action : schedule.actions) {
    if (const auto* compute = std::get_if<Compute>(&action)) {
      energy_j += at(problem.operations, compute->operation).compute_j;
      figures.compute_s += at(problem.operations, compute->operation).compute_s;
    }
    if (const auto* read = std::get_if<PageIn>(&action))
      energy_j += at(problem.tensors, read->tensor).page_in_j;
    if (const auto* write = std::get_if<PageOut>(&action))
      energy_j += at(problem.tensors, write->tensor).page_out_j;
  }
  figures.objective = problem.objective == Objective::Time ? figures.compute_s : energy_j;
  return figures;
}

// The model leaves out the cost of first executions: what it minimises is the overhead.
IntegerLimits limits_of(const SolveOptions& options, const ReleasedModel& model) {
  IntegerLimits limits;
  limits.relative_gap = options.gap_ratio;
  limits.absolute_gap = total_gap_ratio_of(options) * model.constant_cost / model.cost_unit;
  limits.max_nodes = options.max_nodes;
  limits.seed = options.seed;
  limits.threads = options.threads;
  return limits;
}

IntegerCallbacks report_to(const ProgressSink& sink, const ReleasedModel& model) {
  IntegerCallbacks callbacks;
  if (!sink) return callbacks;
  callbacks.progress = [&sink, &model](const IntegerProgress& progress) {
    const auto total = [&](double cost) { return model.constant_cost + cost * model.cost_unit; };
    SolveProgress report{.phase = "integer program", .nodes = progress.nodes};
    if (progress.incumbent < kInfinity) report.incumbent = total(progress.incumbent);
    if (std::abs(progress.bound) < kInfinity) report.bound = total(progress.bound);
    sink(report);
  };
  return callbacks;
}

// How much dearer than the best overhead the dearest column is stated.
constexpr double kAbove = 1.001;

double overhead_of(const ReleasedModel& model, const IntegerAnswer& answer) {
  double units = 0;
  for (std::size_t j = 0; j < answer.values.size(); ++j)
    units += model.linear.columns[j].cost * answer.values[j];
  return units * model.cost_unit;
}

// States what costs more than the best as little more, and the best overhead as kOverheadUnits: no
// answer below the best has such a column, as no cost is negative, and a backend's tolerances hide
// less. False where that changes little.
bool make_finer(ReleasedModel& model, const IntegerAnswer& answer) {
  const double overhead = overhead_of(model, answer);
  if (answer.values.empty() || overhead <= 0) return false;
  const double hidden_before = backend_margin(model.linear) * model.cost_unit;
  const double factor = model.cost_unit * kOverheadUnits / overhead;
  for (LinearColumn& column : model.linear.columns)
    column.cost = std::min(column.cost * factor, kAbove * kOverheadUnits);
  model.cost_unit = overhead / kOverheadUnits;
  return backend_margin(model.linear) * model.cost_unit < hidden_before / 2;
}

Infeasibility no_schedule(const Problem& problem) {
  Infeasibility no;
  if (!problem.deadline_s) no.kind = Infeasibility::Kind::RamBudget;
  no.reason = fmt::format(
      "no schedule of the released formulation keeps the RAM budget{}; the event formulation may "
      "find one",
      problem.deadline_s ? " and the deadline" : "");
  return no;
}

// Sets `best` and `objective` when the values are a schedule that keeps the budgets.
void take_schedule(const Problem& problem, const ReleasedModel& model, const IntegerAnswer& answer,
                   SolveReport& report) {
  if (answer.values.empty()) return;
  const std::optional<SolvedMatrices> matrices = released_matrices(model, answer.values);
  std::optional<Schedule> schedule;
  if (matrices) schedule = released_schedule(problem, *matrices);
  if (!schedule) {
    report.notes.push_back("the backend's solution broke a rule and was dropped");
    return;
  }
  const Figures figures = figures_of(problem, *schedule);
  if (problem.deadline_s && !within_deadline(figures.compute_s, *problem.deadline_s)) {
    report.notes.push_back("the backend's solution missed the deadline and was dropped");
    return;
  }
  report.objective = figures.objective;
  report.best = std::move(schedule);
}

void read_answer(const Problem& problem, const SolveOptions& options, const ReleasedModel& model,
                 const IntegerAnswer& answer, SolveReport& report) {
  if (answer.status == LinearStatus::Infeasible) {
    report.status = SolveStatus::Infeasible;
    report.infeasibility = no_schedule(problem);
    return;
  }
  // No cost is negative.
  const double bound = answer.bound - backend_margin(model.linear);
  report.lower_bound = model.constant_cost + std::max(0.0, bound) * model.cost_unit;
  take_schedule(problem, model, answer, report);
  if (report.best) report.lower_bound = std::min(report.lower_bound, report.objective);
  report.status = status_of(report, options, model.constant_cost);
  // No schedule of any class costs less than the first executions.
  const bool is_plain = report.objective - model.constant_cost <=
                        allowed_gap(options, report.objective, model.constant_cost);
  report.evidence = report.status != SolveStatus::Optimal ? Evidence::None
                    : is_plain                            ? Evidence::Arithmetic
                                                          : Evidence::Backend;
}

IntegerAnswer ask(const LinearBackend& backend, const ReleasedModel& model,
                  const std::vector<double>& start, const SolveOptions& options, const Stop& stop,
                  const ProgressSink& progress, SolveReport& report) {
  IntegerAnswer answer = backend.solve(model.linear, limits_of(options, model), start, stop,
                                       report_to(progress, model));
  report.effort.columns = static_cast<std::int64_t>(model.linear.columns.size());
  report.effort.rows = static_cast<std::int64_t>(model.linear.rows.size());
  report.effort.nodes += answer.nodes;
  report.effort.iterations += answer.iterations;
  return answer;
}

class ReleasedSolver final : public Solver {
 public:
  std::string_view name() const override { return "released"; }

  Result<SolveReport> solve(const Problem& problem, const SolveOptions& options, const Stop& stop,
                            const ProgressSink& progress) const override {
    if (Failure failure = check_released(problem)) return *std::move(failure);
    const Result<std::unique_ptr<LinearBackend>> backend =
        open_backend(options.backend, options.library_directories);
    if (!backend.ok()) return backend.error();

    SolveReport report;
    report.method = name();
    report.backend = std::string((*backend)->name()) + " " + (*backend)->version();
    // What works for schedules of the event model may not for these.
    if (std::optional<Infeasibility> no = plainly_infeasible(problem, WhatWorks::IsLeftOut)) {
      report.status = SolveStatus::Infeasible;
      report.evidence = Evidence::Arithmetic;
      report.infeasibility = std::move(no);
      return report;
    }
    ReleasedModel model = make_released_model(problem);
    IntegerAnswer answer = ask(**backend, model, {}, options, stop, progress, report);
    read_answer(problem, options, model, answer, report);
    if (report.status != SolveStatus::Feasible || answer.status != LinearStatus::Optimal)
      return report;
    // What is left open may be what the backend's tolerances hide (docs/model/numbers.md §1.6).
    if (make_finer(model, answer)) {
      answer = ask(**backend, model, answer.values, options, stop, progress, report);
      if (!answer.values.empty()) read_answer(problem, options, model, answer, report);
    }
    return report;
  }
};

}  // namespace

std::unique_ptr<Solver> make_released_solver() {
  return std::make_unique<ReleasedSolver>();
}

}  // namespace poet
