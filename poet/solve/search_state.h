#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/stop.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/event_model.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/proof_sources.h"
#include "poet/solve/solver.h"
#include "poet/solve/step.h"

namespace poet {

// What a search is after, and when it is good enough.
struct SearchGoal {
  EventObjective objective = EventObjective::Cost;
  // Of the overhead, what a schedule costs beyond `unavoidable`; of the bytes with RamBudget.
  double gap_ratio = 0;
  double total_gap_ratio = 0;  // of the total, Step::once_cost included: the larger of both counts
  double rounding_ratio = 0;   // of the total
  double unavoidable = 0;      // beyond Step::once_cost
  std::int64_t max_nodes = 1'000'000;  // of branch and bound, over all integer programs
  std::int64_t max_iterations = std::numeric_limits<std::int64_t>::max();  // of the simplex method
  std::uint64_t seed = 1;
  int threads = 1;
  std::int64_t few_events = 250;  // as in SolveOptions
  std::int32_t first_depth = 3;
  std::int64_t large_stages = 4'000;
  Techniques techniques = {};
  bool keeps_sources = false;  // of its proofs, for a certificate
};

// As the options say; `unavoidable` is left at 0.
SearchGoal goal_of(const SolveOptions& options);

struct SearchAnswer {
  std::optional<EventChoice> best = {};
  double value = 0;                  // of `best`: cost beyond once_cost, or bytes of RAM
  double bound = -kInfinity;         // no schedule of the class has less
  double priced_bound = -kInfinity;  // what prices say of that, of which there is no certificate
  bool infeasible = false;           // proved: no schedule of the class exists
  SolveEffort effort = {};
  std::vector<std::string> notes = {};
  ProofSources sources = {};  // where goal.keeps_sources
};

// As how much a model states the overhead.
inline constexpr double kOverheadUnits = 1e3;

// What the parts of a search share: the best schedule so far, the bound, and whether they are near
// enough. What it is made of must outlive it.
class SearchState {
 public:
  SearchState(const Step& step, const SearchGoal& goal, const Stop& stop,
              const ProgressSink& progress)
      : step_(step), goal_(goal), stop_(stop), progress_(progress) {}

  SearchAnswer answer = {};

  bool has_best() const { return answer.best.has_value(); }
  // The gap that is small enough, in the unit of `value`.
  double allowed_gap() const;
  bool closed() const { return has_best() && answer.value - answer.bound <= allowed_gap(); }
  bool spent() const { return answer.effort.iterations >= goal_.max_iterations; }
  bool is_over() const { return stop_.requested() || answer.infeasible || closed() || spent(); }

  // Takes the choice when it keeps every budget and is better than the best: in our own arithmetic,
  // whatever its finder says of it.
  void offer(const EventChoice& choice);
  void raise_bound(double bound);
  // The same, by a window model.
  void raise_bound(double bound, const WindowKeys& keys);
  // A backend found nothing below the best, by more than the gap it was allowed to leave, in the
  // unit of `value`; or nothing at all.
  void nothing_better(double open_gap);
  // A window model has no solution, and no schedule is known.
  void nothing_fits(const WindowKeys& keys);

  // What a model states costs in, so that the overhead is a thousand units: differences that matter
  // are far above a backend's tolerances. The first, before there is a bound.
  double first_cost_unit() const;
  double cost_unit() const;

  // More than the best schedule costs beyond once_cost, by all that residents can save: a schedule
  // with one thing that costs as much is not better. Models state what is dearer as this, so that a
  // transfer that nobody needs does not drown what matters in a backend's tolerances. Infinity
  // without a schedule.
  double most_cost() const;

  // The caller's stop, and a part of the time that it leaves.
  Stop slice(double part) const;

  // `bound`: beyond once_cost, where a running integer program knows more than the answer.
  void report(std::string_view phase, std::optional<double> bound = {},
              std::optional<double> incumbent = {}) const;

 private:
  const Step& step_;
  const SearchGoal& goal_;
  const Stop& stop_;
  const ProgressSink& progress_;
};

}  // namespace poet
