// One planner for every time mode (docs/model/overlap.md §1.1).
#include "poet/overlap/planner.h"

#include "poet/overlap/plan_in_memories.h"
#include "poet/overlap/plan_overlapped.h"
#include "poet/overlap/plan_uncertain.h"
#include "poet/solve/event_solver.h"
#include "poet/solve/released_solver.h"

namespace poet {
namespace {

class Planner final : public Solver {
 public:
  std::string_view name() const override { return "event"; }

  Result<SolveReport> solve(const Problem& problem, const SolveOptions& options, const Stop& stop,
                            const ProgressSink& progress) const override {
    if (!problem.further_memories.empty())
      return plan_in_memories(problem, *this, options, stop, progress);
    if (problem.uncertainty) return plan_uncertain(problem, *this, options, stop, progress);
    const std::unique_ptr<Solver> events = make_event_solver();
    if (problem.time_mode != TimeMode::Overlapped)
      return events->solve(problem, options, stop, progress);
    return plan_overlapped(problem, *events, options, stop, progress);
  }
};

}  // namespace

std::unique_ptr<Solver> make_planner() {
  return std::make_unique<Planner>();
}

const std::vector<SolverEntry>& planner_table() {
  static const std::vector<SolverEntry> table = {
      {"event", "exact: few events, priced against all others, proved over the whole problem",
       make_planner},
      {"released", "the formulation of the released POET code, for comparison",
       make_released_solver},
  };
  return table;
}

}  // namespace poet
