// What is found at one size of parts after the other, each with a search of a moment.
#include "poet/ask/level_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "poet/ask/part_levels.h"
#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/problem/facts.h"
#include "poet/solve/allowed_gap.h"
#include "poet/solve/budget_solver.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// Finer levels than one with so many operations are not tried where a schedule was found: they cost
// more and save nothing.
constexpr std::int64_t kManyOperations = 40'000;
// Nor are any after so many that were no better than the best, one after the other.
constexpr int kMostInVain = 2;
// Levels beside the best are tried where its step has no more operations than this: each is cut and
// searched anew.
constexpr std::int64_t kMostOperationsBeside = 50'000;

// Close looks: until so many operations were looked at, and for a part of the search.
constexpr std::int64_t kMostLookedAt = 20'000;
// Nor after so many, one after the other, at which more is unavoidable than the best costs: finer
// parts read and write more.
constexpr int kMostTooDear = 16;
constexpr double kPartOfCloseLooks = 0.1;
constexpr std::size_t kMostSearchedLonger = 2;
// What a moment finds may be so far above the best.
constexpr double kNearTheBest = 1.1;

// Where no level has a schedule that is found in a moment: what the search of the least RAM may
// take, of the level that needs least.
constexpr double kMostLeastEffort = 20 * kEffortUnitsPerSecond;
constexpr double kPartOfLeast = 0.5;
// And so many others, for less time.
constexpr std::size_t kMostSearchedLeast = 3;
constexpr double kMostOtherLeastEffort = 2 * kEffortUnitsPerSecond;

constexpr const char* kNotInAMoment = "no schedule was found in a moment";

}  // namespace

LevelTrials::LevelTrials(const Question& question, std::int64_t ram_budget_bytes,
                         double least_objective, const Stop& stop)
    : options_(question.solve),
      most_operations_(question.most_operations),
      ram_budget_bytes_(ram_budget_bytes),
      least_objective_(least_objective),
      stop_(stop) {}

bool LevelTrials::is_enough() const {
  return stop_.requested_outside() || is_within_gap() ||
         (best_ && tried_.back().operations > kManyOperations) || in_vain_ == kMostInVain;
}

void LevelTrials::take(std::int64_t level, Result<MadeStep> step) {
  take(level, std::move(step), stop_);
}

void LevelTrials::take(std::int64_t level, Result<MadeStep> step, const Stop& stop) {
  TriedLevel one{.part_bytes = level};
  if (!step.ok()) {
    one.why_not = step.error().message;  // a finer level may be reached by another way of cutting
  } else {
    one.operations = step->instance.parts.operations;
    one.least_bytes = step->least_bytes();
    cuts_.emplace(one.operations, one.least_bytes, unavoidable_objective(step->instance.problem));
    search(std::move(step->instance), one, stop);
  }
  tried_.push_back(std::move(one));
}

bool LevelTrials::has_unsolved() const {
  return unsolved_ && unsolved_->parts.operations <= kMostOperationsBeside &&
         !stop_.requested_outside();
}

std::optional<std::int64_t> LevelTrials::level_between() const {
  if (best_ || unsolved_ || stop_.requested_outside()) return std::nullopt;
  std::optional<std::int64_t> cut;
  for (const TriedLevel& one : tried_)
    if (one.operations > 0 && (!cut || one.part_bytes < *cut)) cut = one.part_bytes;
  return cut ? half_way_below(*cut, tried_) : std::nullopt;
}

std::optional<std::int64_t> LevelTrials::level_above_best() const {
  if (!best_ || best_->parts.operations > kMostOperationsBeside || stop_.requested_outside())
    return std::nullopt;
  const TriedLevel* above = nullptr;
  for (const TriedLevel& one : tried_)
    if (one.part_bytes > *best_->parts.part_bytes && one.operations > 0 &&
        (above == nullptr || one.part_bytes < above->part_bytes))
      above = &one;
  if (above == nullptr || above->objective || above->part_bytes - *best_->parts.part_bytes < 2)
    return std::nullopt;
  return *best_->parts.part_bytes + (above->part_bytes - *best_->parts.part_bytes) / 2;
}

std::optional<std::int64_t> LevelTrials::level_to_look_beside() const {
  if (!best_ || best_->parts.operations > kMostOperationsBeside || is_within_gap())
    return std::nullopt;
  return best_->parts.part_bytes;
}

bool LevelTrials::may_look_closely() const {
  return std::isfinite(least_) && (!best_ || best_->parts.operations <= kMostOperationsClosely) &&
         looked_at_ <= kMostLookedAt && too_dear_ < kMostTooDear && !is_within_gap() &&
         !stop_.requested_outside() && !(close_stop_ && close_stop_->requested());
}

void LevelTrials::take_closely(std::int64_t level, Result<MadeStep> step) {
  if (!step.ok()) return;
  const std::int64_t operations = step->instance.parts.operations;
  looked_at_ += operations;
  const double unavoidable = unavoidable_objective(step->instance.problem);
  const bool is_too_dear = !may_save(unavoidable);
  too_dear_ = is_too_dear ? too_dear_ + 1 : 0;
  if (operations > kMostOperationsClosely || step->least_bytes() > ram_budget_bytes_ ||
      is_too_dear || !cuts_.emplace(operations, step->least_bytes(), unavoidable).second)
    return;
  if (!close_stop_) close_stop_ = part_of(stop_, kPartOfCloseLooks);
  take(level, std::move(step), *close_stop_);
}

std::vector<std::int64_t> LevelTrials::levels_to_search_longer() const {
  if (!best_ || best_->parts.operations > kMostOperationsClosely || stop_.requested_outside())
    return {};
  const double here = unavoidable_objective(best_->problem);
  std::vector<Small> others;
  for (const Small& one : small_) {
    const bool is_near = one.objective <= kNearTheBest * least_ ||
                         here - one.unavoidable > allowed_gap(options_, least_, one.unavoidable);
    if (one.part_bytes != *best_->parts.part_bytes && is_near && may_save(one.unavoidable))
      others.push_back(one);
  }
  std::stable_sort(others.begin(), others.end(), [](const Small& a, const Small& b) {
    return a.unavoidable + a.objective < b.unavoidable + b.objective;
  });
  // Levels that are cut alike are one.
  std::set<std::pair<std::int64_t, double>> cuts = {{best_->parts.operations, here}};
  std::vector<std::int64_t> levels;
  for (const Small& one : others)
    if (levels.size() < kMostSearchedLonger && cuts.emplace(one.operations, one.unavoidable).second)
      levels.push_back(one.part_bytes);
  return levels;
}

void LevelTrials::search_best_longer() {
  std::optional<QuickSchedule> found = longer_schedule(options_, best_->problem, stop_);
  if (!found || found->objective >= least_) return;
  least_ = found->objective;
  best_->parts.start = std::make_shared<const Schedule>(std::move(found->schedule));
  said_of(best_->parts.part_bytes.value()).objective = least_;
}

void LevelTrials::search_longer(std::int64_t level, Result<MadeStep> step) {
  if (!step.ok() || !may_save(unavoidable_objective(step->instance.problem))) return;
  Instance instance = std::move(step->instance);
  instance.problem.ram_budget_bytes = ram_budget_bytes_;
  std::optional<QuickSchedule> found = longer_schedule(options_, instance.problem, stop_);
  TriedLevel& said = said_of(level);
  if (found && (!said.objective || found->objective < said.objective)) {
    said.why_not.clear();
    take_found(std::move(instance), *std::move(found), said);
  }
}

void LevelTrials::search_as_minimum_does() {
  if (best_ || !unsolved_ || stop_.requested_outside()) return;
  search_least(*unsolved_, kMostLeastEffort);
}

std::vector<std::int64_t> LevelTrials::other_levels_to_search_as_minimum_does() const {
  if (best_ || !unsolved_) return {};
  std::set<std::int64_t> cuts = {unsolved_->parts.operations};
  std::vector<std::int64_t> levels;
  for (const TriedLevel& one : tried_)
    if (levels.size() < kMostSearchedLeast && one.operations > 0 &&
        one.operations <= kMostOperationsClosely && one.least_bytes <= ram_budget_bytes_ &&
        cuts.insert(one.operations).second)
      levels.push_back(one.part_bytes);
  return levels;
}

void LevelTrials::search_as_minimum_does(Result<MadeStep> step) {
  if (best_ || !step.ok() || stop_.requested_outside()) return;
  Instance instance = std::move(step->instance);
  instance.problem.ram_budget_bytes = ram_budget_bytes_;
  search_least(std::move(instance), kMostOtherLeastEffort);
}

std::optional<Instance> LevelTrials::best() && {
  if (best_) best_->parts.tried = std::move(tried_);
  return std::move(best_);
}

void LevelTrials::search_least(Instance instance, double most_effort) {
  SolveOptions options = options_;
  options.certificate = CertificateEffort::None;
  options.start.reset();
  options.gap_ratio = 0;
  Stop longer = part_of(stop_, kPartOfLeast);
  longer.effort_limit = std::min(longer.effort_limit, stop_.counted() + most_effort);
  Problem problem = instance.problem;
  problem.ram_budget_bytes = 0;  // it is what is looked for
  Result<BudgetReport> solved = solve_least_budget(problem, options, longer, {});
  if (!solved.ok() || !solved->least.schedule) return;
  const Replay replayed = replay(instance.problem, *solved->least.schedule);
  if (!replayed.valid()) return;
  TriedLevel& level = said_of(instance.parts.part_bytes.value());
  level.why_not.clear();
  const double objective = objective_of(instance.problem, replayed);
  take_found(std::move(instance), {*std::move(solved->least.schedule), objective}, level);
}

TriedLevel& LevelTrials::said_of(std::int64_t part_bytes) {
  const auto level =
      std::find_if(tried_.begin(), tried_.end(),
                   [part_bytes](const TriedLevel& one) { return one.part_bytes == part_bytes; });
  POET_CHECK(level != tried_.end());
  return *level;
}

// Whether another level saves no more than a search may leave open.
bool LevelTrials::is_within_gap() const {
  if (!best_) return false;
  // Parts have less where they need not all rows of a table.
  return !may_save(std::min(least_objective_, unavoidable_objective(best_->problem)));
}

// Whether what costs no less than that may save more than a search may leave open.
bool LevelTrials::may_save(double unavoidable) const {
  return least_ - unavoidable > allowed_gap(options_, least_, unavoidable);
}

void LevelTrials::search(Instance instance, TriedLevel& one, const Stop& stop) {
  instance.problem.ram_budget_bytes = ram_budget_bytes_;
  if (most_operations_ && one.operations > *most_operations_) {
    one.why_not = fmt::format("it may have {} operations", grouped_digits(*most_operations_));
    return;
  }
  if (one.least_bytes > ram_budget_bytes_) {
    one.why_not = "an operation needs more than the budget";
    return;
  }
  if (best_ && instance.problem == best_->problem) {
    one.objective = least_;
    return;
  }
  std::optional<QuickSchedule> found = quick_schedule(options_, instance.problem, stop);
  if (one.operations <= kMostOperationsClosely) {
    small_.push_back({.part_bytes = one.part_bytes,
                      .operations = one.operations,
                      .unavoidable = unavoidable_objective(instance.problem)});
    if (found) small_.back().objective = found->objective;
  }
  if (!found) {
    one.why_not = kNotInAMoment;
    if (!best_ && (!unsolved_ || one.least_bytes < unsolved_bytes_)) {
      unsolved_ = std::move(instance);
      unsolved_bytes_ = one.least_bytes;
    }
    return;
  }
  take_found(std::move(instance), *std::move(found), one);
}

void LevelTrials::take_found(Instance instance, QuickSchedule found, TriedLevel& one) {
  one.objective = found.objective;
  unsolved_.reset();
  if (found.objective >= least_) {
    ++in_vain_;
    return;
  }
  in_vain_ = 0;
  least_ = found.objective;
  best_ = std::move(instance);
  best_->parts.start = std::make_shared<const Schedule>(std::move(found.schedule));
}

}  // namespace poet
