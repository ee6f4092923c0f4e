#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/ask/choose_parts.h"
#include "poet/ask/choose_step.h"
#include "poet/ask/compare.h"
#include "poet/ask/question.h"
#include "poet/ask/several_memories.h"
#include "poet/ask/solver_names.h"
#include "poet/ask/steps.h"
#include "poet/ask/sweep.h"
#include "poet/base/check.h"
#include "poet/base/json_out.h"
#include "poet/problem/facts.h"
#include "poet/problem/problem_json.h"

namespace poet {
namespace {

// Methods that begin with a schedule go from few budgets to all, so that the later ones have
// answers at smaller budgets to begin with.
constexpr int kBudgetLevels = 3;
constexpr int kWaveOfOwnSteps = 1 + 2 * kBudgetLevels;

int level_of(int budget, int budgets) {
  const int from_top = budgets - 1 - budget;
  if (from_top % 4 == 0) return 0;
  return from_top % 2 == 0 ? 1 : 2;
}

// First what needs no schedule to begin with, then the best of one technique, then POET, who may
// begin with any of them.
int wave_of(const MethodEntry& method, int budget, int budgets) {
  if (method.bounds_the_class) return 1 + kBudgetLevels + level_of(budget, budgets);
  return method.begins_with_a_schedule ? 1 + level_of(budget, budgets) : 0;
}

// The graph of a file is read once for all devices.
Failure read_graph_file(PlanRequest& request) {
  if (!request.graph_file) return std::nullopt;
  const Result<Question> about_file = read_question(request);
  if (!about_file.ok()) return about_file.error();
  request.model = about_file->origin.model;
  request.costed_graph = std::get<CostedGraph>(about_file->graph);
  request.graph_file.reset();
  return std::nullopt;
}

// For each budget that no whole step fits into, one that is cut for it.
void add_steps_in_parts(QuestionSteps& steps, SweepInstance& instance) {
  if (!leaves_parts_open(steps.question())) return;
  std::int64_t below_bytes = instance.smaller.empty() ? largest_working_set(instance.problem).bytes
                                                      : instance.smaller.back().least_bytes;
  const std::vector<std::int64_t>& budgets = instance.budgets_bytes;
  for (auto budget = budgets.rbegin(); budget != budgets.rend(); ++budget) {
    if (*budget >= below_bytes) continue;
    std::optional<Instance> parts = choose_parts(steps, *budget, {}, {});
    if (!parts) return;
    instance.smaller.push_back({std::move(parts->problem), std::move(parts->updates),
                                std::move(parts->parts), *budget,
                                std::min(below_bytes, *budget + 1)});
    below_bytes = *budget;
  }
}

Result<SweepInstance> instance_of(const Question& question, const std::vector<RamBudget>& budgets,
                                  std::vector<std::string>& warnings) {
  QuestionSteps steps(question);
  Result<std::vector<UpdateLevel>> levels = update_levels(steps);
  if (!levels.ok()) return levels.error();
  Instance* const made = &levels->front().instance;
  const bool is_open =
      leaves_step_open(question, *made) || leaves_parts_open_in_memories(question) ||
      all_sliced_in_memories(steps, *made).has_value() || separate_in_parts(steps).has_value();
  warnings.insert(warnings.end(), made->warnings.begin(), made->warnings.end());
  SweepInstance instance{.model = question.origin.model,
                         .platform = question.origin.platform,
                         .graph = question.origin.graph,
                         .costs = made->costs,
                         .problem = std::move(made->problem),
                         .updates = std::move(made->updates)};
  // In several memories the methods have one step, beside which poet has its own.
  const std::size_t steps_of_budgets = has_several_memories(question) ? 1 : levels->size();
  for (std::size_t k = 1; k < steps_of_budgets; ++k) {
    UpdateLevel& level = (*levels)[k];
    instance.smaller.push_back({std::move(level.instance.problem),
                                std::move(level.instance.updates), std::move(level.instance.parts),
                                level.least_bytes, level.below_bytes});
  }
  if (made->device) instance.device_ram_bytes = made->device->ram_bytes;
  if (is_open) instance.open_question = question;
  std::vector<std::int64_t>& bytes = instance.budgets_bytes;
  for (const RamBudget& budget : budgets) {
    const Result<std::int64_t> one = budget_bytes(budget, instance.problem);
    if (!one.ok()) return one.error();
    bytes.push_back(*one);
  }
  POET_CHECK(!bytes.empty());
  std::sort(bytes.begin(), bytes.end());
  bytes.erase(std::unique(bytes.begin(), bytes.end()), bytes.end());
  add_steps_in_parts(steps, instance);
  for (const std::int64_t end : {bytes.front(), bytes.back()}) {
    instance.problem.ram_budget_bytes = end;
    if (Failure failure = check_problem(instance.problem)) return *failure;
  }
  return instance;
}

// Published methods know one memory only.
void leave_out_methods_of_one_memory(const Question& question, SweepPlan& plan) {
  const auto left_out = std::erase_if(
      plan.methods, [](const MethodEntry& method) { return !method.bounds_the_class; });
  if (left_out > 0)
    plan.warnings.push_back(needs_one_memory(question, "methods beside poet plan")->message +
                            ": they are left out");
}

// Steps in parts were chosen for their budgets as 'poet solve' chooses them.
bool may_have_own_step(const SweepInstance& instance, std::int64_t budget_bytes) {
  const std::size_t step = step_at(instance, budget_bytes);
  const bool is_in_parts = step > 0 && instance.smaller[step - 1].parts.part_bytes;
  return instance.open_question && !is_in_parts;
}

std::vector<SweepPoint> points_of(const SweepPlan& plan) {
  std::vector<SweepPoint> points;
  for (int i = 0; i < static_cast<int>(plan.instances.size()); ++i) {
    const int budgets = static_cast<int>(plan.instances[i].budgets_bytes.size());
    for (int b = 0; b < budgets; ++b)
      for (int m = 0; m < static_cast<int>(plan.methods.size()); ++m)
        points.push_back({i, b, m, wave_of(plan.methods[m], b, budgets)});
    const int poet = static_cast<int>(plan.methods.size()) - 1;
    for (int b = 0; b < budgets; ++b)
      if (may_have_own_step(plan.instances[i], plan.instances[i].budgets_bytes[b]))
        points.push_back({i, b, poet, kWaveOfOwnSteps, true});
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const SweepPoint& a, const SweepPoint& b) { return a.wave < b.wave; });
  return points;
}

}  // namespace

std::vector<RamBudget> evenly_spaced_budgets(int count) {
  std::vector<RamBudget> budgets;
  for (int k = 1; k <= count; ++k)
    budgets.emplace_back(RamOnTheWay{static_cast<double>(k) / count});
  return budgets;
}

Result<SweepPlan> plan_sweep(const SweepRequest& request) {
  Result<std::vector<MethodEntry>> methods = methods_named(request.methods);
  if (!methods.ok()) return methods.error();
  SweepPlan plan{.request = request, .methods = *std::move(methods)};
  PlanRequest one = request.plan;
  if (Failure failure = read_graph_file(one)) return *failure;
  const std::vector<std::string> none = {""};
  for (const std::string& model : request.models.empty() ? none : request.models)
    for (const std::string& platform : request.platforms.empty() ? none : request.platforms) {
      if (!one.costed_graph) one.model = model;
      one.platform = platform;
      Result<Question> question = read_question(one);
      if (!question.ok()) return question.error();
      if (has_several_memories(*question)) leave_out_methods_of_one_memory(*question, plan);
      for (const std::optional<Deadline>& deadline : request.deadlines) {
        question->deadline = deadline;
        Result<SweepInstance> instance = instance_of(*question, request.budgets, plan.warnings);
        if (!instance.ok()) return instance.error();
        const bool twice = std::any_of(
            plan.instances.begin(), plan.instances.end(), [&](const SweepInstance& other) {
              return other.model == instance->model && other.platform == instance->platform &&
                     other.problem.deadline_s == instance->problem.deadline_s;
            });
        if (!twice) plan.instances.push_back(*std::move(instance));
      }
    }
  plan.points = points_of(plan);
  return plan;
}

Result<SweepPlan> plan_sweep_with_backend(SweepRequest request) {
  const Result<const SolverName*> solver = solver_named(request.plan.solver);
  if (!solver.ok()) return solver.error();
  const Result<BackendChoice> choice =
      choose_backend(**solver, request.plan.solve.library_directories);
  if (!choice.ok()) return choice.error();
  request.plan.solve.backend = choice->backend;
  Result<SweepPlan> made = plan_sweep(request);
  if (!made.ok()) return made;
  made->warnings.insert(made->warnings.end(), choice->warnings.begin(), choice->warnings.end());
  return made;
}

// Below the least of all, what is said of the step that needs least is said of every one.
std::size_t step_at(const SweepInstance& instance, std::int64_t budget_bytes) {
  std::size_t step = 0;
  while (step < instance.smaller.size() && budget_bytes < instance.smaller[step].below_bytes)
    ++step;
  return step;
}

const Problem& problem_of_step(const SweepInstance& instance, std::size_t step) {
  return step == 0 ? instance.problem : instance.smaller[step - 1].problem;
}

std::string identity_of(const SweepPlan& plan) {
  const SolveOptions& solve = plan.request.plan.solve;
  JsonOut out = {{"format", "poet-sweep-question"}, {"version", 1}};
  out["backend"] = solve.backend;
  out["gap_ratio"] = solve.gap_ratio;
  out["max_nodes"] = solve.max_nodes;
  out["max_iterations"] = solve.max_iterations;
  out["seed"] = solve.seed;
  out["threads"] = solve.threads;
  for (const auto& technique : kTechniqueNames)
    out["techniques"][std::string(technique.name)] = solve.techniques.*(technique.value);
  // A time limit of infinity has no JSON.
  out["limit_s"] = fmt::format("{}", plan.request.limit_s);
  for (const MethodEntry& method : plan.methods) out["methods"].push_back(method.name);
  for (const SweepInstance& instance : plan.instances) {
    JsonOut one;
    one["model"] = instance.model;
    one["platform"] = instance.platform;
    one["budgets_bytes"] = instance.budgets_bytes;
    one["problem"] = problem_to_json(instance.problem);
    for (const SmallerStep& step : instance.smaller)
      one["sliced"].push_back(problem_to_json(step.problem));
    if (instance.open_question) one["own_steps"] = true;
    out["instances"].push_back(std::move(one));
  }
  return json_line(out);
}

std::string_view name_of_point(const SweepPlan& plan, const SweepPoint& point) {
  return point.is_own_step ? kOwnStepName : plan.methods[point.method].name;
}

Problem problem_at(const SweepPlan& plan, const SweepPoint& point) {
  const SweepInstance& instance = plan.instances[point.instance];
  const std::int64_t budget_bytes = instance.budgets_bytes[point.budget];
  Problem problem = problem_of_step(instance, step_at(instance, budget_bytes));
  problem.ram_budget_bytes = budget_bytes;
  return problem;
}

}  // namespace poet
