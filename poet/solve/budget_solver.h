#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/problem/certificate.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/solve/solver.h"

namespace poet {

// The smallest RAM budget under which a schedule of the class exists, with every other limit of the
// problem as it is; the problem's own RAM budget and its objective are not looked at.
struct LeastBudget {
  // Optimal: found_bytes is proved to be the smallest. Feasible: it lies in [proved, found].
  // Infeasible: no budget works. Unknown: nothing was found.
  SolveStatus status = SolveStatus::Unknown;
  std::int64_t proved_bytes = 0;                 // no smaller budget works
  std::optional<std::int64_t> found_bytes = {};  // the RAM that `schedule` needs
  std::optional<Schedule> schedule = {};
  SolveEffort effort = {};
};

// The answer to "how little RAM will do".
struct BudgetReport {
  LeastBudget least = {};
  std::optional<Infeasibility> infeasibility = {};  // where another limit is impossible by itself
  std::string backend = {};                         // "cbc 2.10.8"
};

// The smallest RAM budget with every other limit of the problem as it is. In Overlapped mode it is
// sought as in Blocking, and the proof is that of Free. With a gap_ratio the search ends when at
// most that part of the budget is open. An Error when the backend is not available.
Result<BudgetReport> solve_least_budget(const Problem& problem, const SolveOptions& options,
                                        const Stop& stop, const ProgressSink& progress);

// The problem with more RAM than anyone could use.
Problem with_all_ram(Problem problem);

// A certificate that no schedule of the problem needs less than `bytes` of RAM, whatever its own
// budget; nothing where none is found. In Overlapped mode the proof is that of Free.
Result<std::optional<Certificate>> certify_least_budget(const Problem& problem, std::int64_t bytes,
                                                        const SolveOptions& options,
                                                        const Stop& stop);

// The same that no RAM budget at all works; it carries its problem, with_all_ram().
Result<std::optional<Certificate>> certify_no_budget(const Problem& problem,
                                                     const SolveOptions& options, const Stop& stop);

// A refusal of the problem with its sentence made anew from its figures: for who knows more of the
// budgets that work than the problem tells.
Infeasibility retold(const Problem& problem, Infeasibility no);

}  // namespace poet
