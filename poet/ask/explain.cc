#include "poet/ask/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/ask/search_progress.h"
#include "poet/ask/several_memories.h"
#include "poet/ask/solver_names.h"
#include "poet/base/checked_math.h"
#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/overlap/planner.h"
#include "poet/plan/plan_file.h"
#include "poet/problem/facts.h"
#include "poet/problem/uncertainty.h"

namespace poet {
namespace {

// Of the time that is left: for the multipliers, and for more RAM before more time.
constexpr double kValuesShare = 0.3;
constexpr double kRamShare = 0.5;
constexpr double kTimeShare = 0.5;  // before certain figures

// Of the objective: what differs by no more is the same, of sums in doubles.
constexpr double kSameRatio = 1e-9;

// The tensors that a name stands for: a tensor, or what an operation makes.
Result<std::vector<TensorId>> tensors_named(const Problem& problem, const std::string& name) {
  for (std::size_t i = 0; i < problem.tensors.size(); ++i)
    if (problem.tensors[i].name == name)
      return std::vector{root_of(problem, TensorId{static_cast<std::int32_t>(i)})};
  std::vector<std::string_view> names;
  for (const Operation& operation : problem.operations) {
    if (operation.name == name) {
      std::vector<TensorId> made;
      for (const TensorId output : operation.outputs) made.push_back(root_of(problem, output));
      return made;
    }
    names.push_back(operation.name);
  }
  for (const Tensor& tensor : problem.tensors) names.push_back(tensor.name);
  return Error{ErrorCode::NotFound,
               fmt::format("the plan has no tensor or operation {}{}", in_quotes(name),
                           suggestion(name, names)),
               {}};
}

Result<std::vector<bool>> wanted_tensors(const Problem& problem,
                                         const std::vector<std::string>& names) {
  std::vector<bool> wanted(problem.tensors.size(), names.empty());
  for (const std::string& name : names) {
    const Result<std::vector<TensorId>> tensors = tensors_named(problem, name);
    if (!tensors.ok()) return tensors.error();
    for (const TensorId tensor : *tensors) wanted[index_of(tensor)] = true;
  }
  return wanted;
}

// The names of which no tensor is ever absent, each once, as given.
std::vector<std::string> names_without_absence(const Problem& problem,
                                               const std::vector<std::string>& names,
                                               const std::vector<ExplainedAbsence>& absences) {
  std::vector<bool> absent(problem.tensors.size(), false);
  for (const ExplainedAbsence& one : absences) absent[index_of(one.absence.tensor)] = true;
  std::vector<std::string> without;
  for (const std::string& name : names) {
    const Result<std::vector<TensorId>> tensors = tensors_named(problem, name);
    if (tensors.ok() &&
        std::none_of(tensors->begin(), tensors->end(),
                     [&absent](TensorId tensor) { return absent[index_of(tensor)]; }) &&
        std::find(without.begin(), without.end(), name) == without.end())
      without.push_back(name);
  }
  return without;
}

// What matters first: by what the absence costs, the copy that makes it possible included.
void sort_by_cost(std::vector<ExplainedAbsence>& absences) {
  std::stable_sort(absences.begin(), absences.end(),
                   [](const ExplainedAbsence& a, const ExplainedAbsence& b) {
                     return a.cost + a.copy_cost > b.cost + b.copy_cost;
                   });
}

// The tensor's bytes in RAM through the stages in between.
double keeping_price(const MarginalValues& values, const Absence& absence,
                     std::int64_t size_bytes) {
  double per_byte = 0;
  for (std::int64_t t = absence.left_stage; t < absence.back_stage; ++t)
    per_byte += values.stages[t];
  return per_byte * static_cast<double>(size_bytes);
}

// By multipliers or a search, of which nothing is checked.
void take_bound(MoreOfIt& more, double saves_at_most) {
  if (saves_at_most >= more.saves_at_most) return;
  more.saves_at_most = saves_at_most;
  more.evidence = Evidence::Backend;
}

// The plan's problem with another limit, planned again from the plan's own schedule.
Result<MoreOfIt> plan_again(const Explanation& explanation, const Problem& larger,
                            const ExplainRequest& request, const SolveOptions& options,
                            const Stop& stop, const ProgressSink& progress) {
  const PlanCheck& check = explanation.check;
  const double now = objective_of(check.plan.problem, check.replay);
  MoreOfIt more;
  more.saves_at_most = now - unavoidable_objective(larger);
  more.evidence = Evidence::Arithmetic;
  more.backend = options.backend;
  if (explanation.values) {
    const Problem& problem = check.plan.problem;
    const std::int64_t more_bytes = larger.ram_budget_bytes - problem.ram_budget_bytes;
    const double more_s = larger.deadline_s ? *larger.deadline_s - *problem.deadline_s : 0;
    take_bound(more, now - explanation.values->bound_with(more_bytes, more_s));
  }
  if (request.quick) return more;
  tell_new_search(progress, larger);
  const Result<SolveReport> solved =
      planner_table().front().make()->solve(larger, options, stop, progress);
  if (!solved.ok()) return solved.error();
  more.status = solved->status;
  more.backend = solved->backend;
  take_bound(more, now - solved->lower_bound);
  if (solved->status == SolveStatus::Optimal && solved->evidence == Evidence::Arithmetic)
    more.evidence = Evidence::Arithmetic;
  if (solved->best) {
    const Replay replayed = replay(larger, *solved->best);
    if (replayed.valid()) more.found = std::max(0.0, now - objective_of(larger, replayed));
  }
  if (more.found && more.saves_at_most <= *more.found + kSameRatio * now)
    more.saves_at_most = *more.found;
  return more;
}

Failure look_beyond(Explanation& explanation, const ExplainRequest& request,
                    const SolveOptions& given, const Stop& stop, const ProgressSink& progress) {
  const Plan& plan = explanation.check.plan;
  SolveOptions options = given;
  options.start = plan.schedule;
  Problem larger = plan.problem;
  larger.ram_budget_bytes += explanation.more_ram_bytes;
  const bool has_deadline = plan.problem.deadline_s.has_value();
  Result<MoreOfIt> ram = plan_again(explanation, larger, request, options,
                                    has_deadline ? part_of(stop, kRamShare) : stop, progress);
  if (!ram.ok()) return ram.error();
  explanation.more_ram = *std::move(ram);
  if (!has_deadline) return std::nullopt;
  larger = plan.problem;
  set_deadline(larger, *asked_deadline_s(larger) + explanation.more_time_s);
  Result<MoreOfIt> time =
      plan_again(explanation, larger, request, options,
                 larger.uncertainty ? part_of(stop, kTimeShare) : stop, progress);
  if (!time.ok()) return time.error();
  explanation.more_time = *std::move(time);
  if (!larger.uncertainty) return std::nullopt;
  Problem certain = by_the_figures(plan.problem);
  certain.deadline_s = asked_deadline_s(plan.problem);
  Result<MoreOfIt> saved = plan_again(explanation, certain, request, options, stop, progress);
  if (!saved.ok()) return saved.error();
  explanation.certainty = *std::move(saved);
  return std::nullopt;
}

}  // namespace

ExplainedAbsence explained_absence(const Plan& plan, const Replay& replayed, const Absence& absence,
                                   const std::optional<MarginalValues>& values) {
  const Problem& problem = plan.problem;
  const Tensor& tensor = at(problem.tensors, absence.tensor);
  ExplainedAbsence one{.absence = absence};
  one.tightest = tightest_moment(plan, replayed, absence);
  if (one.tightest)
    one.missing_bytes = one.tightest->used_bytes + tensor.size_bytes - problem.ram_budget_bytes;
  const bool made = tensor.home == Home::Made;
  const double copy = made ? write_cost(problem, absence.tensor) : 0;
  if (absence.way == Absence::Return::Read) {
    one.cost = read_cost(problem, absence.tensor);
    one.copy_cost = copy;
    one.recomputing = recomputation_of(plan, absence);
  } else {
    one.cost = execution_cost(problem, *producers(problem)[index_of(absence.tensor)]);
    if (problem.paging_allowed) one.paging = copy + read_cost(problem, absence.tensor);
  }
  // The prices are those of the last byte that is missing; no keeping saves more than it costs to
  // be without.
  if (values)
    one.keeping =
        std::min(keeping_price(*values, absence, tensor.size_bytes), one.cost + one.copy_cost);
  return one;
}

Result<Explanation> explain_plan(const ExplainRequest& request, const Stop& stop,
                                 const ProgressSink& progress) {
  Result<PlanCheck> check =
      request.plan_text ? verify_plan_text(*request.plan_text, request.plan_path, std::nullopt)
                        : verify_plan_file(request.plan_path, std::nullopt);
  if (!check.ok()) return check.error();
  if (!check->valid())
    return bad_input(
        fmt::format("{}: the plan is not valid, so there is nothing to explain; 'poet "
                    "verify' says what is wrong with it",
                    request.plan_path));
  if (Failure failure = needs_one_memory(check->plan.problem, "plans are explained"))
    return *failure;
  const Result<std::vector<bool>> wanted = wanted_tensors(check->plan.problem, request.names);
  if (!wanted.ok()) return wanted.error();
  if (!checked_add(check->plan.problem.ram_budget_bytes, request.more_ram_bytes))
    return bad_input(fmt::format("--ram-more: {} bytes beyond the plan's RAM budget are too many",
                                 grouped_digits(request.more_ram_bytes)));
  const Result<const SolverName*> solver = solver_named(request.solver);
  if (!solver.ok()) return solver.error();
  const Result<BackendChoice> backend = choose_backend(**solver, request.solve.library_directories);
  if (!backend.ok()) return backend.error();
  SolveOptions options = request.solve;
  options.backend = backend->backend;

  Explanation explanation{.check = *std::move(check)};
  explanation.warnings = backend->warnings;
  const Plan& plan = explanation.check.plan;
  explanation.overhead =
      objective_of(plan.problem, explanation.check.replay) - unavoidable_objective(plan.problem);
  explanation.more_ram_bytes = request.more_ram_bytes;
  explanation.more_time_s = asked_deadline_s(plan.problem).value_or(0) * request.more_time_ratio;
  Result<MarginalValues> values = marginal_values(
      plan.problem, plan.schedule, options, request.quick ? stop : part_of(stop, kValuesShare));
  if (!values.ok()) return values.error();
  explanation.values = *std::move(values);
  for (const Absence& absence : absences_of(plan))
    if ((*wanted)[index_of(absence.tensor)])
      explanation.absences.push_back(
          explained_absence(plan, explanation.check.replay, absence, explanation.values));
  sort_by_cost(explanation.absences);
  explanation.never_absent =
      names_without_absence(plan.problem, request.names, explanation.absences);
  if (Failure failure = look_beyond(explanation, request, options, stop, progress)) return *failure;
  return explanation;
}

}  // namespace poet
