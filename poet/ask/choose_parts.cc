// Which size parts of operations have, where the RAM budget may choose: by trying a few, each with
// a search of a moment.
#include "poet/ask/choose_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "poet/ask/quick_schedule.h"
#include "poet/ask/several_memories.h"
#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/problem/facts.h"
#include "poet/solve/allowed_gap.h"
#include "poet/solve/budget_solver.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

constexpr std::size_t kLevels = 6;

// Finer levels than one with so many operations are not tried where a schedule was found: they cost
// more and save nothing.
constexpr std::int64_t kManyOperations = 40'000;
// Nor are any after so many that were no better than the best, one after the other.
constexpr int kMostInVain = 2;
// Levels beside the best are tried where its step has no more operations than this: each is cut and
// searched anew.
constexpr std::int64_t kMostOperationsBeside = 50'000;

// Where whole operations have a schedule, parts are looked for only to save something: of no more
// operations than this.
constexpr std::int64_t kMostPartsToSave = 10'000;

// Nor are steps of more parts than this looked at, for what they need or for their schedules.
constexpr std::int64_t kMostPartsByBudget = 120'000;
constexpr std::int64_t kStride = 4;

// Where no level has a schedule that is found in a moment: what the search of the least RAM may
// take, of the level that needs least.
constexpr double kMostLeastEffort = 20 * kEffortUnitsPerSecond;
constexpr double kPartOfLeast = 0.5;
// And so many others, for less time.
constexpr std::size_t kMostSearchedLeast = 3;
constexpr double kMostOtherLeastEffort = 2 * kEffortUnitsPerSecond;

// How often the way between two levels is halved where none that can be cut fits.
constexpr int kMostBetween = 4;
// And that between the best level and one above it that has no schedule.
constexpr int kMostCoarser = 2;

// Levels at which less is unavoidable than at the best may save more than a moment shows, as finer
// parts may read and write less: so many are searched for longer, of no more operations.
constexpr std::size_t kMostSearchedLonger = 2;
constexpr std::int64_t kMostOperationsLonger = 2'000;

constexpr const char* kNotInAMoment = "no schedule was found in a moment";

// A few numbers: smaller parts have no room for what an operation reads and makes.
constexpr std::int64_t kLeastLevel = 32;
// Where it is looked for how little is enough: finer parts are many, and need hardly less. Only a
// small network has few of them, and much to gain.
constexpr std::int64_t kLeastLevelOfDescent = 1'024;
constexpr std::size_t kFewOperations = 10'000;

// Half way from a level that was cut to the coarsest below it that was not.
std::optional<std::int64_t> half_way_below(std::int64_t cut, const std::vector<TriedLevel>& tried) {
  std::int64_t not_reached = 0;
  for (const TriedLevel& one : tried)
    if (one.operations == 0 && one.part_bytes < cut)
      not_reached = std::max(not_reached, one.part_bytes);
  if (not_reached == 0 || cut - not_reached < 2) return std::nullopt;
  return not_reached + (cut - not_reached) / 2;
}

// Levels in one RAM budget, one after the other.
class LevelTrials {
 public:
  // `least_objective`: no schedule of whole operations costs less.
  LevelTrials(const Question& question, std::int64_t ram_budget_bytes, double least_objective,
              const Stop& stop)
      : options_(question.solve),
        most_operations_(question.most_operations),
        ram_budget_bytes_(ram_budget_bytes),
        least_objective_(least_objective),
        stop_(stop) {}

  // Only what costs less than this is better than what there is.
  void ask_for_less_than(double objective) { least_ = objective; }

  bool is_enough() const {
    return stop_.requested_outside() || is_within_gap() ||
           (best_ && tried_.back().operations > kManyOperations) || in_vain_ == kMostInVain;
  }

  void take(std::int64_t level, Result<MadeStep> step) {
    TriedLevel one{.part_bytes = level};
    if (!step.ok()) {
      one.why_not = step.error().message;  // a finer level may be reached by another way of cutting
    } else {
      one.operations = step->instance.parts.operations;
      one.least_bytes = step->least_bytes();
      search(std::move(step->instance), one);
    }
    tried_.push_back(std::move(one));
  }

  bool has_best() const { return best_.has_value(); }
  // A step of not too many operations, in which everything fits by itself, and that has no schedule
  // that was found.
  bool has_unsolved() const {
    return unsolved_ && unsolved_->parts.operations <= kMostOperationsBeside &&
           !stop_.requested_outside();
  }

  // Half way from the best level to the next coarser one that was cut, where that has no schedule:
  // one between may be cut less, too.
  std::optional<std::int64_t> level_above_best() const {
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

  // The level to look beside; none where nothing was found, or what was has too many operations or
  // leaves nothing to gain.
  std::optional<std::int64_t> level_to_look_beside() const {
    if (!best_ || best_->parts.operations > kMostOperationsBeside || is_within_gap())
      return std::nullopt;
    return best_->parts.part_bytes;
  }

  // Of the levels with a schedule, those that may save more, the least first.
  std::vector<std::int64_t> levels_to_search_longer() const {
    std::vector<Floor> better;
    if (!best_ || best_->parts.operations > kMostOperationsLonger || stop_.requested_outside())
      return {};
    const double here = unavoidable_objective(best_->problem);
    for (const Floor& one : floors_)
      if (here - one.objective > allowed_gap(options_, least_, one.objective))
        better.push_back(one);
    std::stable_sort(better.begin(), better.end(),
                     [](const Floor& a, const Floor& b) { return a.objective < b.objective; });
    // Levels that are cut alike are one.
    const auto last = std::unique(better.begin(), better.end(), [](const Floor& a, const Floor& b) {
      return a.objective == b.objective && a.operations == b.operations;
    });
    std::vector<std::int64_t> levels;
    for (auto one = better.begin(); one != last && levels.size() < kMostSearchedLonger; ++one)
      levels.push_back(one->part_bytes);
    return levels;
  }

  void search_best_longer() {
    std::optional<QuickSchedule> found = longer_schedule(options_, best_->problem, stop_);
    if (!found || found->objective >= least_) return;
    least_ = found->objective;
    best_->parts.start = std::make_shared<const Schedule>(std::move(found->schedule));
    said_of(best_->parts.part_bytes.value()).objective = least_;
  }

  void search_longer(std::int64_t level, Result<MadeStep> step) {
    if (!step.ok()) return;
    Instance instance = std::move(step->instance);
    instance.problem.ram_budget_bytes = ram_budget_bytes_;
    std::optional<QuickSchedule> found = longer_schedule(options_, instance.problem, stop_);
    TriedLevel& said = said_of(level);
    if (found && found->objective < said.objective)
      take_found(std::move(instance), *std::move(found), said);
  }

  // Where nothing was found: of the levels in which everything fits by itself, the one in which it
  // needs least, searched as `poet minimum` does, which says of this level what works.
  void search_as_minimum_does() {
    if (best_ || !unsolved_ || stop_.requested_outside()) return;
    search_least(*unsolved_, kMostLeastEffort);
  }

  // Others of them, of few operations, each cut otherwise: what needs least by itself may need more
  // with all that is alive beside it.
  std::vector<std::int64_t> other_levels_to_search_as_minimum_does() const {
    if (best_ || !unsolved_) return {};
    std::set<std::int64_t> cuts = {unsolved_->parts.operations};
    std::vector<std::int64_t> levels;
    for (const TriedLevel& one : tried_)
      if (levels.size() < kMostSearchedLeast && one.operations > 0 &&
          one.operations <= kMostOperationsLonger && one.least_bytes <= ram_budget_bytes_ &&
          cuts.insert(one.operations).second)
        levels.push_back(one.part_bytes);
    return levels;
  }

  void search_as_minimum_does(Result<MadeStep> step) {
    if (best_ || !step.ok() || stop_.requested_outside()) return;
    Instance instance = std::move(step->instance);
    instance.problem.ram_budget_bytes = ram_budget_bytes_;
    search_least(std::move(instance), kMostOtherLeastEffort);
  }

  // Where everything that could be cut needs more by itself: half way between the finest of it and
  // the coarsest level below, which was not reached.
  std::optional<std::int64_t> level_between() const {
    if (best_ || unsolved_ || stop_.requested_outside()) return std::nullopt;
    std::optional<std::int64_t> cut;
    for (const TriedLevel& one : tried_)
      if (one.operations > 0 && (!cut || one.part_bytes < *cut)) cut = one.part_bytes;
    return cut ? half_way_below(*cut, tried_) : std::nullopt;
  }

  const std::vector<TriedLevel>& tried() const { return tried_; }

  std::optional<Instance> best() && {
    if (best_) best_->parts.tried = std::move(tried_);
    return std::move(best_);
  }

 private:
  // What is unavoidable at a level that has a schedule.
  struct Floor {
    std::int64_t part_bytes = 0;
    std::int64_t operations = 0;
    double objective = 0;
  };

  void search_least(Instance instance, double most_effort) {
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

  TriedLevel& said_of(std::int64_t part_bytes) {
    const auto level =
        std::find_if(tried_.begin(), tried_.end(),
                     [part_bytes](const TriedLevel& one) { return one.part_bytes == part_bytes; });
    POET_CHECK(level != tried_.end());
    return *level;
  }

  // Whether another level saves no more than a search may leave open.
  bool is_within_gap() const {
    if (!best_) return false;
    // Parts have less where they need not all rows of a table.
    const double bound = std::min(least_objective_, unavoidable_objective(best_->problem));
    return least_ - bound <= allowed_gap(options_, least_, bound);
  }

  void search(Instance instance, TriedLevel& one) {
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
    std::optional<QuickSchedule> found = quick_schedule(options_, instance.problem, stop_);
    if (!found) {
      one.why_not = kNotInAMoment;
      if (!best_ && (!unsolved_ || one.least_bytes < unsolved_bytes_)) {
        unsolved_ = std::move(instance);
        unsolved_bytes_ = one.least_bytes;
      }
      return;
    }
    if (one.operations <= kMostOperationsLonger)
      floors_.push_back({one.part_bytes, one.operations, unavoidable_objective(instance.problem)});
    take_found(std::move(instance), *std::move(found), one);
  }

  void take_found(Instance instance, QuickSchedule found, TriedLevel& one) {
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

  const SolveOptions& options_;
  std::optional<std::int64_t> most_operations_;
  std::int64_t ram_budget_bytes_;
  double least_objective_;
  const Stop& stop_;
  std::vector<TriedLevel> tried_ = {};
  std::vector<Floor> floors_ = {};
  std::optional<Instance> best_ = {};
  // While there is no best: what fits, and has no schedule that was found; what it needs by itself.
  std::optional<Instance> unsolved_ = {};
  std::int64_t unsolved_bytes_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  int in_vain_ = 0;
};

// Steps in finer and finer parts.
class Descent {
 public:
  Descent(QuestionSteps& steps, std::size_t most, std::int64_t whole_bytes, const Stop& stop,
          const ProgressSink& progress)
      : stop_(stop),
        steps_(steps),
        most_(most),
        least_bytes_(whole_bytes),
        progress_(progress),
        reached_level_(whole_bytes) {}

  bool may_go(std::int64_t level) const {
    const std::int64_t least =
        reached_operations_ <= kFewOperations ? kLeastLevel : kLeastLevelOfDescent;
    return level >= least && !stop_.requested_outside();
  }

  // Whether to go on to finer levels. One that is not reached says little, as another way of
  // cutting may reach a finer one; two in a row say enough.
  bool goes_to(std::int64_t level) {
    if (progress_) progress_({.phase = "parts"});
    Result<MadeStep> step = steps_.in_parts(level, kMostPartsByBudget, stop_);
    TriedLevel& one = tried_.emplace_back(TriedLevel{.part_bytes = level});
    if (!step.ok()) {
      one.why_not = step.error().message;
      return std::exchange(is_reached_, false);
    }
    is_reached_ = true;
    reached_level_ = level;
    one.operations = step->instance.parts.operations;
    reached_operations_ = one.operations;
    one.least_bytes = step->least_bytes();
    if (one.least_bytes < least_bytes_) {
      least_bytes_ = one.least_bytes;
      if (finest_.size() == most_) finest_.erase(finest_.begin());
      finest_.push_back(std::move(step->instance));
    }
    return true;
  }

  bool has_reached() const { return reached_operations_ > 0; }

  // The last level that was reached; without one, where it began.
  std::int64_t reached_level() const { return reached_level_; }

  // Half way between the finest level that was reached and the coarsest below it that was not: what
  // an operation needs goes down between levels too.
  std::optional<std::int64_t> level_between() const {
    return half_way_below(reached_level_, tried_);
  }

  std::vector<Instance> finest() && {
    for (Instance& instance : finest_) instance.parts.tried = tried_;
    return std::move(finest_);
  }

 private:
  const Stop& stop_;
  QuestionSteps& steps_;
  std::size_t most_;
  std::int64_t least_bytes_;
  const ProgressSink& progress_;
  std::vector<Instance> finest_ = {};
  std::vector<TriedLevel> tried_ = {};
  bool is_reached_ = true;  // the last level
  std::int64_t reached_level_;
  std::size_t reached_operations_ = 0;  // in parts of that level; none yet
};

// The largest of 2^k and 3 * 2^k that is at most so much.
std::int64_t round_level(std::int64_t bytes) {
  std::int64_t power = 1;
  while (power <= bytes / 2) power *= 2;
  return power / 2 * 3 <= bytes ? power / 2 * 3 : power;
}

// The least of them that is more than so much.
std::int64_t larger_level(std::int64_t bytes) {
  const std::int64_t below = round_level(bytes);
  const bool is_power = (below & (below - 1)) == 0;
  return is_power ? below / 2 * 3 : below / 3 * 4;
}

// Some of them, from so much on down.
std::vector<std::int64_t> levels_from(std::int64_t bytes) {
  std::vector<std::int64_t> levels;
  for (std::int64_t level = round_level(bytes); levels.size() < kLevels && level >= kLeastLevel;
       level = round_level(level - 1))
    levels.push_back(level);
  return levels;
}

}  // namespace

bool leaves_parts_open(const Question& question) {
  return question.training.parts_by_budget && !question.training.part_bytes &&
         question.kernels.library == KernelLibrary::Reference &&
         kind_of(question) == GraphKind::Real && !has_several_memories(question);
}

std::vector<std::int64_t> levels_to_try(std::int64_t ram_budget_bytes) {
  std::vector<std::int64_t> levels = {larger_level(ram_budget_bytes), ram_budget_bytes};
  while (levels.size() < kLevels && levels.back() > kLeastLevel)
    levels.push_back(round_level(levels.back() - 1));
  return levels;
}

std::vector<std::int64_t> coarse_levels_to_try(std::int64_t ram_budget_bytes) {
  std::vector<std::int64_t> levels = {larger_level(ram_budget_bytes), ram_budget_bytes};
  while (levels.size() < kLevels && levels.back() > kLeastLevel) {
    const std::int64_t below = round_level(levels.back() - 1);
    const std::int64_t between = below + (larger_level(below) - below) / 2;
    if (between < levels.back()) levels.push_back(between);
    levels.push_back(below);
  }
  levels.resize(std::min(levels.size(), kLevels));
  return levels;
}

std::vector<std::int64_t> levels_between(const std::vector<std::int64_t>& levels) {
  std::vector<std::int64_t> between;
  for (std::size_t k = 1; k < levels.size(); ++k)
    if (levels[k - 1] - levels[k] >= 2)
      between.push_back(levels[k] + (levels[k - 1] - levels[k]) / 2);
  return between;
}

std::vector<std::int64_t> levels_beside(std::int64_t level,
                                        const std::vector<std::int64_t>& levels) {
  std::vector<std::int64_t> beside;
  const auto here = std::find(levels.begin(), levels.end(), level);
  if (here == levels.end()) return beside;
  const auto add = [&](std::int64_t neighbour) {
    const std::int64_t between = level + (neighbour - level) / 4;
    if (between != level) beside.push_back(between);
  };
  if (here + 1 != levels.end()) add(*(here + 1));
  if (here != levels.begin()) add(*(here - 1));
  return beside;
}

std::optional<Instance> choose_parts(QuestionSteps& steps, std::int64_t ram_budget_bytes,
                                     const Stop& stop, const ProgressSink& progress) {
  const Result<const MadeStep*> whole = steps.first();
  if (!whole.ok()) return std::nullopt;
  const double least_objective = unavoidable_objective((*whole)->instance.problem);
  LevelTrials trials(steps.question(), ram_budget_bytes, least_objective, stop);
  const auto take = [&](std::int64_t level) {
    if (progress) progress({.phase = "parts"});
    trials.take(level, steps.in_parts(level, kMostPartsByBudget, stop));
  };
  const bool is_coarse = steps.question().most_operations.has_value();
  const std::vector<std::int64_t> levels =
      is_coarse ? coarse_levels_to_try(ram_budget_bytes) : levels_to_try(ram_budget_bytes);
  for (const std::int64_t level : levels) {
    if (trials.is_enough()) break;
    take(level);
  }
  for (int k = 0; k < kMostBetween; ++k)
    if (const std::optional<std::int64_t> between = trials.level_between()) take(*between);
  // What fits by itself at one level and has no schedule may be cut too little there, and too much
  // at the next.
  for (const std::int64_t level : levels_between(levels))
    if (!trials.has_best() && trials.has_unsolved()) take(level);
  for (int k = 0; k < kMostCoarser; ++k)
    if (const std::optional<std::int64_t> coarser = trials.level_above_best()) take(*coarser);
  trials.search_as_minimum_does();
  for (const std::int64_t level : trials.other_levels_to_search_as_minimum_does())
    if (!trials.has_best() && !stop.requested_outside())
      trials.search_as_minimum_does(steps.in_parts(level, kMostPartsByBudget, stop));
  if (const std::optional<std::int64_t> best = trials.level_to_look_beside())
    for (const std::int64_t level : levels_beside(*best, levels))
      if (!stop.requested_outside()) take(level);
  const std::vector<std::int64_t> longer = trials.levels_to_search_longer();
  if (!longer.empty()) trials.search_best_longer();
  for (const std::int64_t level : longer)
    if (!stop.requested_outside())
      trials.search_longer(level, steps.in_parts(level, kMostPartsByBudget, stop));
  return std::move(trials).best();
}

std::optional<Instance> parts_that_save(QuestionSteps& steps, const Instance& whole,
                                        double objective, const Stop& stop,
                                        const ProgressSink& progress,
                                        std::vector<TriedLevel>& tried) {
  const Problem& problem = whole.problem;
  LevelTrials trials(steps.question(), problem.ram_budget_bytes, unavoidable_objective(problem),
                     stop);
  trials.ask_for_less_than(objective);
  const auto take = [&](std::int64_t level) {
    if (progress) progress({.phase = "parts"});
    trials.take(level, steps.in_parts(level, kMostPartsToSave, stop));
  };
  const std::vector<std::int64_t> levels = levels_from(largest_working_set(problem).bytes - 1);
  for (const std::int64_t level : levels) {
    if (trials.is_enough()) break;
    take(level);
  }
  if (const std::optional<std::int64_t> best = trials.level_to_look_beside())
    for (const std::int64_t level : levels_beside(*best, levels))
      if (!stop.requested_outside()) take(level);
  tried = trials.tried();
  return std::move(trials).best();
}

std::vector<Instance> finest_parts(QuestionSteps& steps, std::size_t most, const Stop& stop,
                                   const ProgressSink& progress) {
  const Result<const MadeStep*> whole = steps.first();
  if (!whole.ok()) return {};
  Descent descent(steps, most, (*whole)->least_bytes(), stop, progress);
  // In great strides to where nothing is cut any further, and in small ones from the last before.
  std::int64_t level = round_level((*whole)->least_bytes() - 1);
  while (descent.may_go(level) && descent.goes_to(level)) level = round_level(level / kStride);
  std::int64_t finer = round_level(descent.reached_level() - 1);
  while (descent.may_go(finer) && descent.goes_to(finer)) finer = round_level(finer - 1);
  // What is never cut finer may still need a little less in parts than whole.
  if (!descent.has_reached()) descent.goes_to((*whole)->least_bytes() - 1);
  for (int k = 0; k < kMostBetween; ++k)
    if (const std::optional<std::int64_t> between = descent.level_between();
        between && descent.may_go(*between))
      descent.goes_to(*between);
  return std::move(descent).finest();
}

}  // namespace poet
