// The smallest RAM budget by questions, window models and halving (docs/model/search.md §6).
#include "poet/solve/least_budget.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "poet/problem/facts.h"
#include "poet/solve/at_hand.h"
#include "poet/solve/event_search.h"
#include "poet/solve/greedy_paging.h"
#include "poet/solve/mend_reads.h"
#include "poet/solve/smaller_model.h"
#include "poet/solve/window_model.h"
#include "poet/solve/window_player.h"
#include "poet/solve/window_refinement.h"

namespace poet {
namespace {

// A gap that makes any schedule good enough.
constexpr double kAnyGap = 1e9;
// Window models that make RAM least, and nodes of each.
constexpr int kMostModels = 8;
constexpr std::int64_t kModelNodes = 500;
// Nodes of the first question whether a budget works; twice as many when all that is open was
// asked.
constexpr std::int64_t kFirstNodes = 2'000;
// Less than this part of what is open is not worth another question before one of more nodes.
constexpr std::int64_t kWorthHalving = 8;
// Parts of the time that is left, for the window models and for each question.
constexpr double kModelsShare = 0.2;
constexpr double kQuestionShare = 0.3;

// What the sizes and the question come to without residents: all bytes in here are without them.
class BudgetSearch {
 public:
  BudgetSearch(const Problem& problem, std::int64_t known_bytes, const SearchGoal& goal,
               const LinearBackend& backend, const Stop& stop, const ProgressSink& progress)
      : problem_(in_least_time(problem)),
        step_(make_step(problem_)),
        resident_bytes_(resident_bytes(problem_)),
        unit_(gcd_of_sizes(step_)),
        gap_ratio_(goal.gap_ratio),
        goal_(any_schedule(problem_, step_, goal)),
        backend_(backend),
        stop_(stop),
        progress_(progress) {
    raise_proved(std::max(largest_working_set(problem_).bytes, known_bytes) - resident_bytes_);
  }

  LeastBudget run() {
    if (std::optional<AtHand> small = small_at_hand(problem_)) take(std::move(small->choice));
    report("budgets");
    if (!found_) find_any();
    if (is_open()) ask(proved_, kFirstNodes);
    if (is_open()) solve_models();
    for (std::int64_t nodes = std::clamp<std::int64_t>(goal_.max_nodes, 1, kFirstNodes);
         is_open() && nodes <= goal_.max_nodes; nodes *= 2)
      halve(nodes);
    return answer();
  }

 private:
  enum class Works { Yes, No, Unknown };
  struct Untold {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };

  // Schedules that keep the deadline are found best by making time least.
  static Problem in_least_time(Problem problem) {
    problem.objective = Objective::Time;
    if (problem.time_mode == TimeMode::Overlapped) problem.time_mode = TimeMode::Blocking;
    return problem;
  }
  static SearchGoal any_schedule(const Problem& problem, const Step& step, SearchGoal goal) {
    goal.objective = EventObjective::Cost;
    goal.unavoidable = unavoidable(problem).time_s - step.once_cost;
    goal.gap_ratio = kAnyGap;
    // A question ends with the first schedule that there is: better ones answer nothing.
    goal.techniques.rebuilding = false;
    goal.techniques.key_search = false;
    return goal;
  }

  bool is_open() const {
    if (!found_ || nothing_works_ || stop_.requested()) return false;
    return static_cast<double>(found_bytes_ - proved_) >
           gap_ratio_ * static_cast<double>(resident_bytes_ + found_bytes_);
  }

  // What any schedule needs is a whole number of units.
  void raise_proved(std::int64_t bytes) {
    proved_ = std::max(proved_, (bytes + unit_ - 1) / unit_ * unit_);
  }

  void take(EventChoice choice) {
    choice = without_waste(step_, choice);
    const ChoiceFigures figures = figures_of(step_, choice);
    if (!keeps_budgets(step_, figures, figures.peak_bytes)) return;
    if (found_ && figures.peak_bytes >= found_bytes_) return;
    found_bytes_ = figures.peak_bytes;
    found_ = std::move(choice);
  }

  // Where neither keeping everything nor paging keeps the limits: with as much RAM as anyone could
  // use.
  void find_any() {
    std::int64_t most = 0;
    for (const Chain& chain : step_.chains) most += chain.size_bytes;
    std::int64_t workspace = 0;
    for (const StepOperation& operation : step_.operations)
      workspace = std::max(workspace, operation.workspace_bytes);
    nothing_works_ = ask(most + workspace, goal_.max_nodes) == Works::No;
  }

  // Whether a budget works; notes what that says.
  Works ask(std::int64_t bytes, std::int64_t nodes) {
    step_.budget_bytes = bytes;
    if (const std::optional<EventChoice> paging = greedy_paging(step_)) {
      take(*paging);
      if (found_ && found_bytes_ <= bytes) return Works::Yes;
    }
    SearchGoal goal = goal_;
    goal.max_nodes = nodes;
    const SearchAnswer searched =
        search_events(step_, goal, backend_, std::nullopt, part_of(stop_, kQuestionShare), {});
    effort_.add(searched.effort);
    if (searched.best) take(*searched.best);
    if (searched.infeasible) raise_proved(bytes + 1);
    report("budgets");
    return searched.best ? Works::Yes : searched.infeasible ? Works::No : Works::Unknown;
  }

  // Halves what is open between the budgets that are proved too small and those that work. Budgets
  // of which a question of so many nodes could not tell are left between: below them the proof goes
  // on, above them the search for schedules, until most of what is open lies there.
  void halve(std::int64_t nodes) {
    std::optional<Untold> untold;
    while (is_open()) {
      if (untold && (proved_ > untold->last || found_bytes_ <= untold->first)) untold.reset();
      const std::int64_t all = (found_bytes_ - proved_) / unit_;
      const std::int64_t below = untold ? (untold->first - proved_) / unit_ : all;
      const std::int64_t above = untold ? (found_bytes_ - untold->last) / unit_ - 1 : 0;
      if (untold && std::max(below, above) * kWorthHalving <= all) return;
      const std::int64_t bytes =
          above > below ? untold->last + (above + 1) / 2 * unit_ : proved_ + below / 2 * unit_;
      if (ask(bytes, nodes) != Works::Unknown) continue;
      if (!untold) untold = Untold{bytes, bytes};
      untold->first = std::min(untold->first, bytes);
      untold->last = std::max(untold->last, bytes);
    }
  }

  // Window models with RAM as their objective: each bounds every budget, and what it suggests keeps
  // every other limit.
  void solve_models() {
    const Stop sooner = part_of(stop_, kModelsShare);
    step_.budget_bytes = proved_;
    WindowKeys keys = first_keys(step_);
    for (int n = 0; n < kMostModels && is_open() && !sooner.requested(); ++n) {
      const WindowModel model = narrowed_model(keys);
      const IntegerAnswer solved = solve(model, sooner);
      if (solved.status == LinearStatus::Infeasible) {
        raise_proved(found_bytes_);
        return;
      }
      raise_proved(static_cast<std::int64_t>(
          std::ceil(solved.bound * model.byte_unit - 1e-6 * model.byte_unit)));
      report("budgets");
      if (!has_values(solved)) return;
      step_.budget_bytes = proved_;
      const EventChoice choice = choice_of(step_, model, solved.values);
      take(choice);
      take(mend_with_reads(step_, choice));
      const WindowKeys next =
          refined_keys(step_, keys, without_waste(step_, choice), Refinement::Careful);
      if (next == keys) return;
      keys = next;
    }
  }

  // Between what is proved and what is better than what was found.
  WindowModel narrowed_model(const WindowKeys& keys) const {
    WindowModel model =
        make_window_model(step_, keys, {.objective = EventObjective::RamBudget, .margins = true});
    LinearColumn& budget = model.linear.columns[*model.budget];
    budget.lower = static_cast<double>(proved_) / model.byte_unit;
    budget.upper = static_cast<double>(found_bytes_ - unit_) / model.byte_unit;
    return model;
  }

  IntegerAnswer solve(const WindowModel& model, const Stop& stop) {
    const SmallerModel smaller = make_smaller(model.linear);
    SolveEffort effort{.keys = std::ssize(model.keys.stages),
                       .columns = std::ssize(smaller.linear.columns),
                       .rows = std::ssize(smaller.linear.rows),
                       .rounds = 1};
    IntegerLimits limits;
    limits.absolute_gap = 0.9 * static_cast<double>(unit_) / model.byte_unit;
    limits.max_nodes = kModelNodes;
    limits.seed = goal_.seed;
    limits.threads = goal_.threads;
    const IntegerAnswer solved = solve_smaller(smaller, backend_, limits, stop, {});
    effort.nodes = solved.nodes;
    effort.iterations = solved.iterations;
    effort_.add(effort);
    return solved;
  }

  void report(std::string_view phase) const {
    if (!progress_) return;
    SolveProgress state;
    state.phase = phase;
    if (found_) state.incumbent = static_cast<double>(resident_bytes_ + found_bytes_);
    state.bound = static_cast<double>(resident_bytes_ + proved_);
    state.events = effort_.events;
    state.nodes = effort_.nodes;
    progress_(state);
  }

  LeastBudget answer() const {
    LeastBudget answer;
    answer.effort = effort_;
    answer.proved_bytes = resident_bytes_ + proved_;
    if (nothing_works_) answer.status = SolveStatus::Infeasible;
    if (nothing_works_ || !found_) return answer;
    answer.found_bytes = resident_bytes_ + found_bytes_;
    answer.proved_bytes = std::min(answer.proved_bytes, *answer.found_bytes);
    answer.schedule = to_schedule(step_, *found_);
    answer.status =
        answer.proved_bytes == answer.found_bytes ? SolveStatus::Optimal : SolveStatus::Feasible;
    return answer;
  }

  const Problem problem_;
  Step step_;  // its budget is the one that is asked about
  const std::int64_t resident_bytes_;
  const std::int64_t unit_;
  const double gap_ratio_;
  const SearchGoal goal_;  // of one question
  const LinearBackend& backend_;
  const Stop& stop_;
  const ProgressSink& progress_;
  std::int64_t proved_ = 0;
  std::int64_t found_bytes_ = 0;
  std::optional<EventChoice> found_ = {};
  bool nothing_works_ = false;
  SolveEffort effort_ = {};
};

}  // namespace

std::int64_t gcd_of_sizes(const Step& step) {
  std::int64_t divisor = 0;
  for (const Chain& chain : step.chains) divisor = std::gcd(divisor, chain.size_bytes);
  for (const StepOperation& operation : step.operations)
    divisor = std::gcd(divisor, operation.workspace_bytes);
  return std::max<std::int64_t>(1, divisor);
}

LeastBudget least_budget(const Problem& problem, std::int64_t known_bytes, const SearchGoal& goal,
                         const LinearBackend& backend, const Stop& stop,
                         const ProgressSink& progress) {
  return BudgetSearch(problem, known_bytes, goal, backend, stop, progress).run();
}

}  // namespace poet
