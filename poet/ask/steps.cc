#include "poet/ask/steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "poet/ask/choose_order.h"
#include "poet/ask/choose_parts.h"
#include "poet/ask/finest_parts.h"
#include "poet/ask/plan_instance.h"
#include "poet/ask/several_memories.h"
#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/parts/step_in_parts.h"
#include "poet/problem/facts.h"
#include "poet/problem/uncertainty.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

constexpr std::int64_t kNoBudget = std::numeric_limits<std::int64_t>::max();

// For each operation of a step in parts, of cutting it and ordering its parts.
constexpr double kCutEffort = 60e-6 * kEffortUnitsPerSecond;

// Whether the budget may choose how weights are updated; where operations are cut, all are by
// slices that can be. A size of parts that cuts nothing leaves the step as it is.
bool leaves_updates_open(const Question& question, bool is_cut) {
  return question.training.updates == Updates::Auto && !is_cut &&
         question.kernels.library == KernelLibrary::Reference &&
         kind_of(question) == GraphKind::Real && !has_several_memories(question);
}

void add_too_large(const Problem& problem, std::int64_t budget_bytes,
                   std::set<std::string>& names) {
  for (std::size_t v = 0; v < problem.operations.size(); ++v)
    if (working_set_bytes(problem, static_cast<OperationId>(v)) > budget_bytes)
      names.insert(problem.operations[v].name);
}

Failure set_ram_budget(const Question& question, Instance& instance) {
  if (!question.ram_budget && !instance.device)
    return bad_input(
        "a graph file alone says nothing of the RAM: give --ram-budget, such as 0.9x of the plain "
        "peak, or --platform for the RAM of a device");
  if (!question.ram_budget) return std::nullopt;
  const Result<std::int64_t> bytes = budget_bytes(*question.ram_budget, instance.problem);
  if (!bytes.ok()) return bytes.error();
  instance.problem.ram_budget_bytes = *bytes;
  return check_problem(instance.problem);
}

void warn_of_the_budget(Instance& instance) {
  const std::int64_t budget = instance.problem.ram_budget_bytes;
  const std::optional<Device>& device = instance.device;
  if (!device || budget <= device->ram_bytes) return;
  instance.warnings.insert(
      instance.warnings.begin(),
      fmt::format("the RAM budget of {} bytes is more than the {} bytes that {} has",
                  grouped_digits(budget), grouped_digits(device->ram_bytes), device->name));
}

// With the updates that the budget of `separate` asks for; `too_large`: what that is decided by.
Result<Instance> with_updates_that_fit(QuestionSteps& steps, Instance separate,
                                       std::optional<std::set<std::string>>& too_large) {
  const std::int64_t budget_bytes = separate.problem.ram_budget_bytes;
  const Problem* const problem = &separate.problem;
  too_large =
      too_large_for(steps.question(), separate.parts.cuts != nullptr, {&problem, 1}, budget_bytes);
  if (!too_large) return separate;
  const Result<const MadeStep*> fitting = steps.with_slices(*too_large);
  if (!fitting.ok()) return fitting.error();
  Instance sliced = (*fitting)->instance;
  if ((*fitting)->least_bytes() > budget_bytes) {
    Result<std::vector<UpdateLevel>> levels = update_levels(steps);
    if (!levels.ok()) return levels.error();
    sliced = std::move(levels->back().instance);
    too_large.reset();
  }
  sliced.problem.ram_budget_bytes = budget_bytes;
  if (Failure failure = check_problem(sliced.problem)) return *failure;
  return sliced;
}

// fitting_instance(), and what its updates by slices are decided by.
Result<Instance> step_that_fits(QuestionSteps& steps,
                                std::optional<std::set<std::string>>& too_large) {
  const Result<const MadeStep*> first = steps.first();
  if (!first.ok()) return first.error();
  Instance instance = (*first)->instance;
  if (Failure failure = set_ram_budget(steps.question(), instance)) return *failure;
  return with_updates_that_fit(steps, std::move(instance), too_large);
}

// A schedule to begin with is of one order, and where it keeps the limits its step has that order:
// the one with the lowest peak, or that of its own budget. Nothing where it keeps them in neither.
std::optional<Instance> in_order_of_start(QuestionSteps& steps, const Plan& start,
                                          const Instance& lowest_peak,
                                          const std::optional<std::set<std::string>>& too_large) {
  Instance same = lowest_peak;
  if (!is_same_graph(start.problem, same.problem)) {
    const Result<MadeStep> step = steps.in_order_for(start.problem.ram_budget_bytes, too_large);
    if (!step.ok() || !is_same_graph(start.problem, step->instance.problem)) return std::nullopt;
    same = step->instance;
    same.problem.ram_budget_bytes = lowest_peak.problem.ram_budget_bytes;
  }
  if (!replay(same.problem, start.schedule).valid()) return std::nullopt;
  same.order.of_start = true;
  return same;
}

// In the order that moves least in the budget, where a short search finds that better than the
// order with the lowest peak, which `lowest_peak` has.
Instance in_better_order(QuestionSteps& steps, Instance lowest_peak,
                         const std::optional<std::set<std::string>>& too_large, const Stop& stop) {
  const Problem& given = lowest_peak.problem;
  if (steps.question().start && kind_of(steps.question()) == GraphKind::Real)
    if (std::optional<Instance> same =
            in_order_of_start(steps, steps.question().start->plan, lowest_peak, too_large))
      return *std::move(same);
  if (!leaves_order_open(steps.question(), given)) return lowest_peak;
  const Result<MadeStep> step = steps.in_order_for(given.ram_budget_bytes, too_large);
  if (!step.ok()) return lowest_peak;
  Instance least_moved = step->instance;
  least_moved.problem.ram_budget_bytes = given.ram_budget_bytes;
  if (least_moved.problem == given) return lowest_peak;
  const Problem* const of_lowest = &lowest_peak.problem;
  const Problem* const of_least = &least_moved.problem;
  std::optional<OrderTrial> lowest = try_order(steps.question(), {&of_lowest, 1}, stop);
  std::optional<OrderTrial> least = try_order(steps.question(), {&of_least, 1}, stop);
  const bool is_chosen = is_better(least, lowest);
  Instance& chosen = is_chosen ? least_moved : lowest_peak;
  const std::optional<OrderTrial>& trial = is_chosen ? least : lowest;
  chosen.order = {.is_tried = true, .by_budget = is_chosen};
  if (is_chosen && lowest) chosen.order.lowest_peak_objective = lowest->objective;
  if (is_chosen) chosen.order.objective = least->objective;
  if (trial) chosen.parts.start = trial->schedules.front();
  return std::move(chosen);
}

// What the levels that were looked at say together.
class Together {
 public:
  Together() = default;
  explicit Together(LeastOverLevels said)
      : best_(std::move(said)),
        effort_(best_.solved.least.effort),
        proved_bytes_(best_.solved.least.status == SolveStatus::Infeasible
                          ? kNoBudget
                          : best_.solved.least.proved_bytes),
        has_found_(best_.solved.least.found_bytes.has_value()) {}

  void take(std::size_t place, BudgetReport solved) {
    effort_.add(solved.least.effort);
    if (solved.least.status != SolveStatus::Infeasible)
      proved_bytes_ = std::min(proved_bytes_, solved.least.proved_bytes);
    const std::optional<std::int64_t> found = solved.least.found_bytes;
    const bool better = found && *found < found_bytes();
    if (better || (!has_found_ && !is_slower(solved))) best_ = {std::move(solved), place};
    has_found_ = has_found_ || better;
  }

  std::int64_t found_bytes() const {
    return has_found_ ? *best_.solved.least.found_bytes : kNoBudget;
  }

  LeastOverLevels answer() && {
    LeastBudget& least = best_.solved.least;
    least.effort = effort_;
    if (!has_found_) {
      const bool is_open = proved_bytes_ < kNoBudget;
      least.found_bytes.reset();
      least.schedule.reset();
      least.status = is_open ? SolveStatus::Unknown : SolveStatus::Infeasible;
      if (!is_open) return std::move(best_);
      least.proved_bytes = proved_bytes_;
      best_.solved.infeasibility.reset();
      return std::move(best_);
    }
    least.proved_bytes = std::min(proved_bytes_, found_bytes());
    least.status =
        least.proved_bytes == found_bytes() ? SolveStatus::Optimal : SolveStatus::Feasible;
    return std::move(best_);
  }

 private:
  // Where nothing keeps a deadline, what is said is of the quickest.
  bool is_slower(const BudgetReport& solved) const {
    const std::optional<Infeasibility>& known = best_.solved.infeasibility;
    return known && known->least_time_s && solved.infeasibility &&
           solved.infeasibility->least_time_s &&
           *solved.infeasibility->least_time_s >= *known->least_time_s;
  }

  LeastOverLevels best_ = {};
  SolveEffort effort_ = {};
  std::int64_t proved_bytes_ = kNoBudget;
  bool has_found_ = false;
};

}  // namespace

Result<const Model*> QuestionSteps::model() {
  if (model_) return &*model_;
  Result<Model> model = model_of(question_);
  if (!model.ok()) return model.error();
  model_ = *std::move(model);
  return &*model_;
}

Result<const MadeStep*> QuestionSteps::made(const TrainingOptions& training) {
  const std::pair name(training.updates, training.too_large);
  if (const auto known = made_.find(name); known != made_.end()) return &known->second;
  Result<MadeStep> step = make(training, question_.most_parts, {});
  if (!step.ok()) return step.error();
  return &made_.emplace(name, *std::move(step)).first->second;
}

// Where no slice is as small as the parts that were asked for, separate updates may be.
Result<MadeStep> QuestionSteps::make(const TrainingOptions& training, std::int64_t most_parts,
                                     const Stop& stop) {
  Result<MadeStep> step = make_with(training, most_parts, stop);
  if (step.ok() || training.updates != Updates::Auto || !training.part_bytes ||
      training.parts_by_budget)
    return step;
  TrainingOptions separate = training;
  separate.updates = Updates::Separate;
  Result<MadeStep> other = make_with(separate, most_parts, stop);
  if (!other.ok()) return step;
  other->instance.updates.asked = Updates::Auto;
  return other;
}

Result<MadeStep> QuestionSteps::make_with(const TrainingOptions& training, std::int64_t most_parts,
                                          const Stop& stop) {
  if (kind_of(question_) != GraphKind::Real) {
    Result<Instance> instance = instance_of_graph(question_);
    if (!instance.ok()) return instance.error();
    return MadeStep{.instance = *std::move(instance)};
  }
  const Result<const Model*> model = this->model();
  if (!model.ok()) return model.error();
  Question question = question_;
  question.training = training;
  question.most_parts = most_parts;
  if (deadline_s_) question.deadline = DeadlineSeconds{*deadline_s_};
  Result<AskedStep> asked = asked_step(question, **model, {}, stop);
  if (!asked.ok()) return asked.error();
  if (training.part_bytes)
    stop.count(kCutEffort * static_cast<double>(asked->graph.graph.operations.size()));
  if (stop.requested_outside()) return *stopped_while_cut();
  MadeStep step{.order = reorder(asked->graph, {.ram_bytes = training.order_for_bytes})};
  Result<Instance> instance = instance_of(question, asked->graph);
  if (!instance.ok()) return instance.error();
  step.instance = *std::move(instance);
  deadline_s_ = asked_deadline_s(step.instance.problem);
  step.instance.parts.by_budget = question_.training.parts_by_budget;
  step.instance.parts.cuts = std::move(asked->cuts);
  step.instance.parts.homes = asked->homes;
  step.graph = std::move(asked->graph);
  return step;
}

std::int64_t MadeStep::least_bytes() const {
  return largest_working_set(instance.problem).bytes;
}

Result<const MadeStep*> QuestionSteps::first() {
  return made(question_.training);
}

Result<const MadeStep*> QuestionSteps::with_slices(const std::set<std::string>& too_large) {
  TrainingOptions training = question_.training;
  training.too_large = too_large;
  return made(training);
}

Result<const MadeStep*> QuestionSteps::all_sliced() {
  TrainingOptions training = question_.training;
  training.updates = Updates::Sliced;
  return made(training);
}

Result<const MadeStep*> QuestionSteps::all_separate() {
  TrainingOptions training = question_.training;
  training.updates = Updates::Separate;
  return made(training);
}

Result<MadeStep> QuestionSteps::in_order_for(TrainingOptions training, std::int64_t ram_bytes) {
  const Result<const MadeStep*> lowest_peak = made(training);
  if (!lowest_peak.ok()) return lowest_peak.error();
  training.order_for_bytes = bytes_for_order((*lowest_peak)->instance.problem, ram_bytes);
  return make(training, question_.most_parts, {});
}

Result<MadeStep> QuestionSteps::in_order_for(
    std::int64_t ram_bytes, const std::optional<std::set<std::string>>& too_large) {
  TrainingOptions training = question_.training;
  if (too_large) training.too_large = *too_large;
  return in_order_for(std::move(training), ram_bytes);
}

Result<MadeStep> QuestionSteps::all_sliced_in_order_for(std::int64_t ram_bytes) {
  TrainingOptions training = question_.training;
  training.updates = Updates::Sliced;
  return in_order_for(std::move(training), ram_bytes);
}

Result<MadeStep> QuestionSteps::in_parts(std::int64_t part_bytes, std::int64_t most_parts,
                                         const Stop& stop) {
  TrainingOptions training = question_.training;
  training.part_bytes = part_bytes;
  return make(training, most_parts, stop);
}

std::optional<std::set<std::string>> too_large_for(const Question& question, bool is_cut,
                                                   std::span<const Problem* const> problems,
                                                   std::int64_t ram_budget_bytes) {
  if (!leaves_updates_open(question, is_cut) || !question.training.too_large.empty())
    return std::nullopt;
  std::set<std::string> too_large;
  for (const Problem* const problem : problems)
    add_too_large(*problem, ram_budget_bytes, too_large);
  if (too_large.empty()) return std::nullopt;
  return too_large;
}

namespace {

// Which step costs least in which budget is known of one memory: in several it is the one that was
// asked for, with whole operations and separate updates where nothing was.
Result<Instance> instance_in_memories(QuestionSteps& steps) {
  const Result<const MadeStep*> first = steps.first();
  if (!first.ok()) return first.error();
  Instance instance = (*first)->instance;
  if (Failure failure = set_ram_budget(steps.question(), instance)) return *failure;
  warn_of_the_budget(instance);
  return instance;
}

}  // namespace

Result<Instance> fitting_instance(QuestionSteps& steps) {
  std::optional<std::set<std::string>> too_large;
  return step_that_fits(steps, too_large);
}

Result<Instance> instance_in_budget(QuestionSteps& steps, const Stop& stop,
                                    const ProgressSink& progress) {
  if (has_several_memories(steps.question())) return instance_in_memories(steps);
  std::optional<std::set<std::string>> too_large;
  Result<Instance> fitting = step_that_fits(steps, too_large);
  if (!fitting.ok()) return fitting;
  const std::int64_t budget_bytes = fitting->problem.ram_budget_bytes;
  if (leaves_parts_open(steps.question()) &&
      largest_working_set(fitting->problem).bytes > budget_bytes)
    if (std::optional<Instance> parts = choose_parts(steps, budget_bytes, stop, progress))
      fitting = *std::move(parts);
  if (!fitting->parts.part_bytes)
    fitting = in_better_order(steps, *std::move(fitting), too_large, stop);
  warn_of_the_budget(*fitting);
  return fitting;
}

Result<std::vector<UpdateLevel>> update_levels(QuestionSteps& steps) {
  const Result<const MadeStep*> first = steps.first();
  if (!first.ok()) return first.error();
  const Problem* const separate = &(*first)->instance.problem;
  const bool is_cut = (*first)->instance.parts.cuts != nullptr;
  std::vector<UpdateLevel> levels;
  levels.push_back({.instance = (*first)->instance, .least_bytes = (*first)->least_bytes()});
  while (true) {
    const std::int64_t bytes = levels.back().least_bytes - 1;
    const auto too_large = too_large_for(steps.question(), is_cut, {&separate, 1}, bytes);
    if (!too_large) return levels;
    const Result<const MadeStep*> step = steps.with_slices(*too_large);
    if (!step.ok() && !steps.question().costs) return step.error();
    if (!step.ok()) {
      levels.back().instance.warnings.push_back(
          "less RAM was not looked at, which takes updates by slices: " + step.error().message);
      return levels;
    }
    const std::int64_t least_bytes = (*step)->least_bytes();
    if (least_bytes > bytes) return levels;
    levels.push_back({(*step)->instance, least_bytes, bytes + 1});
  }
}

std::optional<Instance> separate_in_parts(QuestionSteps& steps) {
  const Question& question = steps.question();
  const TrainingOptions& training = question.training;
  if (training.updates != Updates::Auto || !training.part_bytes || training.parts_by_budget ||
      question.kernels.library != KernelLibrary::Reference || kind_of(question) != GraphKind::Real)
    return std::nullopt;
  const Result<const MadeStep*> first = steps.first();
  if (!first.ok() || (*first)->instance.parts.cuts == nullptr) return std::nullopt;
  const Result<const MadeStep*> made = steps.all_separate();
  if (!made.ok()) return std::nullopt;  // slices are what makes its operations small enough
  Instance separate = (*made)->instance;
  separate.updates.asked = Updates::Auto;
  if (separate.problem == (*first)->instance.problem) return std::nullopt;
  return separate;
}

Result<std::vector<UpdateLevel>> steps_of_updates(QuestionSteps& steps) {
  Result<std::vector<UpdateLevel>> levels = update_levels(steps);
  if (!levels.ok()) return levels;
  if (std::optional<Instance> separate = separate_in_parts(steps)) {
    const std::int64_t least_bytes = largest_working_set(separate->problem).bytes;
    levels->push_back({*std::move(separate), least_bytes, least_bytes});
    return levels;
  }
  const bool is_cut = levels->front().instance.parts.cuts != nullptr;
  if (!leaves_updates_open(steps.question(), is_cut)) return levels;
  const Result<const MadeStep*> sliced = steps.all_sliced();
  if (!sliced.ok()) return levels;  // a table of costs without updates by slices: said above
  Instance instance = (*sliced)->instance;
  instance.updates.asked = Updates::Auto;
  if (instance.problem == levels->back().instance.problem) return levels;
  const std::int64_t least_bytes = (*sliced)->least_bytes();
  const std::int64_t below_bytes = levels->back().least_bytes;
  levels->push_back({std::move(instance), least_bytes, std::min(least_bytes, below_bytes)});
  return levels;
}

Result<std::vector<UpdateLevel>> steps_of_question(QuestionSteps& steps, const Stop& stop,
                                                   const ProgressSink& progress) {
  constexpr std::size_t kMostInParts = 2;
  Result<std::vector<UpdateLevel>> levels = steps_of_updates(steps);
  if (!levels.ok() || !leaves_parts_open(steps.question())) return levels;
  for (Instance& instance : finest_parts(steps, kMostInParts, stop, progress)) {
    const std::int64_t least_bytes = largest_working_set(instance.problem).bytes;
    const std::int64_t below_bytes = levels->back().least_bytes;
    if (least_bytes < below_bytes)
      levels->push_back({std::move(instance), least_bytes, below_bytes});
  }
  return levels;
}

Result<LeastOverLevels> least_over_levels(const std::vector<UpdateLevel>& levels,
                                          const LeastBudgetFinder& find) {
  POET_CHECK(!levels.empty());
  Together together;
  // Those first that may do with least, and of these the one with fewer slices.
  std::vector<std::size_t> order(levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&levels](std::size_t a, std::size_t b) {
    return levels[a].least_bytes < levels[b].least_bytes;
  });
  for (const std::size_t k : order) {
    if (levels[k].least_bytes >= together.found_bytes()) break;
    Problem asked = levels[k].instance.problem;
    asked.ram_budget_bytes = 0;  // it is what is looked for
    Result<BudgetReport> solved = find(asked);
    if (!solved.ok()) return solved.error();
    together.take(k, *std::move(solved));
  }
  return std::move(together).answer();
}

LeastOverLevels with_level(LeastOverLevels known, std::size_t level, BudgetReport solved) {
  Together together(std::move(known));
  together.take(level, std::move(solved));
  return std::move(together).answer();
}

}  // namespace poet
