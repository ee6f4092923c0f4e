#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "poet/ask/instance.h"
#include "poet/ask/question.h"
#include "poet/ask/quick_schedule.h"
#include "poet/ask/steps.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"

namespace poet {

// Steps of no more operations are quickly cut and searched, so all levels are looked at where the
// best is one.
inline constexpr std::int64_t kMostOperationsClosely = 2'000;

// Sizes of parts in one RAM budget, one after the other: what was found at each, and which there is
// reason to look at next. Each step is cut by the caller, who hands it over.
class LevelTrials {
 public:
  // `least_objective`: no schedule of whole operations costs less.
  LevelTrials(const Question& question, std::int64_t ram_budget_bytes, double least_objective,
              const Stop& stop);

  // Only what costs less than this is better than what there is.
  void ask_for_less_than(double objective) { least_ = objective; }

  // Searches the step for a moment.
  void take(std::int64_t level, Result<MadeStep> step);

  // Whether finer levels are not worth a look after the last one.
  bool is_enough() const;

  bool has_best() const { return best_.has_value(); }

  // A step of not too many operations, in which everything fits by itself, and that has no schedule
  // that was found.
  bool has_unsolved() const;

  // Where everything that could be cut needs more by itself: half way between the finest of it and
  // the coarsest level below, which was not reached.
  std::optional<std::int64_t> level_between() const;

  // Half way from the best level to the next coarser one that was cut, where that has no schedule:
  // one between may be cut less, too.
  std::optional<std::int64_t> level_above_best() const;

  // The level to look beside; none where nothing was found, or what was has too many operations or
  // leaves nothing to gain.
  std::optional<std::int64_t> level_to_look_beside() const;

  // Whether all levels may be looked at, as steps are small and quickly cut.
  bool may_look_closely() const;
  // Searches the step for a moment, unless it is cut as another was or cannot cost less than what
  // there is.
  void take_closely(std::int64_t level, Result<MadeStep> step);

  // Levels that may save more than the best, and more than a moment shows: as less is unavoidable
  // at them, or as a moment found little more.
  std::vector<std::int64_t> levels_to_search_longer() const;
  void search_best_longer();
  void search_longer(std::int64_t level, Result<MadeStep> step);

  // Where nothing was found: of the levels in which everything fits by itself, the one in which it
  // needs least, searched as `poet minimum` does, which says of this level what works.
  void search_as_minimum_does();
  // Others of them, of few operations, each cut otherwise: what needs least by itself may need more
  // with all that is alive beside it.
  std::vector<std::int64_t> other_levels_to_search_as_minimum_does() const;
  void search_as_minimum_does(Result<MadeStep> step);

  const std::vector<TriedLevel>& tried() const { return tried_; }

  std::optional<Instance> best() &&;

 private:
  // A level of few operations in which everything fits by itself.
  struct Small {
    std::int64_t part_bytes = 0;
    std::int64_t operations = 0;
    double unavoidable = 0;
    double objective = std::numeric_limits<double>::infinity();  // that a moment found
  };
  // How a step is cut, as far as that matters: operations, what one needs by itself, and what no
  // schedule of it costs less than.
  using Cut = std::tuple<std::int64_t, std::int64_t, double>;

  TriedLevel& said_of(std::int64_t part_bytes);
  bool is_within_gap() const;
  bool may_save(double unavoidable) const;
  void take(std::int64_t level, Result<MadeStep> step, const Stop& stop);
  void search(Instance instance, TriedLevel& one, const Stop& stop);
  void search_least(Instance instance, double most_effort);
  void take_found(Instance instance, QuickSchedule found, TriedLevel& one);

  const SolveOptions& options_;
  std::optional<std::int64_t> most_operations_;
  std::int64_t ram_budget_bytes_;
  double least_objective_;
  const Stop& stop_;
  std::optional<Stop> close_stop_ = {};  // of all close looks together
  int too_dear_ = 0;                     // levels in a row, of close looks
  std::vector<TriedLevel> tried_ = {};
  std::vector<Small> small_ = {};
  std::set<Cut> cuts_ = {};
  std::int64_t looked_at_ = 0;  // operations of steps that were cut
  std::optional<Instance> best_ = {};
  // While there is no best: what fits, and has no schedule that was found; what it needs by itself.
  std::optional<Instance> unsolved_ = {};
  std::int64_t unsolved_bytes_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  int in_vain_ = 0;
};

}  // namespace poet
