#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/plan_check.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/plan/absences.h"
#include "poet/solve/marginal_values.h"
#include "poet/solve/solver.h"

namespace poet {

// What to explain of a plan, and how far to look beyond it.
struct ExplainRequest {
  std::string plan_path = {};
  std::optional<std::string> plan_text = {};  // what is in it; nothing: it is read
  std::vector<std::string> names = {};        // tensors or operations; empty: everything
  std::int64_t more_ram_bytes = 8192;
  double more_time_ratio = 0.1;  // of the deadline
  bool quick = false;            // without planning again
  std::string solver = "cbc";
  SolveOptions solve = {};
};

// Why a tensor is absent once, and what other ways would cost; costs in the unit of the objective.
struct ExplainedAbsence {
  Absence absence = {};
  std::optional<TightMoment> tightest = {};
  std::int64_t missing_bytes = 0;  // to hold the tensor then as well; <= 0: it would fit
  double cost = 0;                 // of this return: one execution or one read
  double copy_cost = 0;            // of writing it, which all its reads share
  // Its bytes at the relaxation's prices, and at most what its absence costs; empty: unknown.
  std::optional<double> keeping = {};
  std::optional<Recomputation> recomputing = {};  // in place of reading
  std::optional<double> paging = {};              // in place of recomputing
};

// Explains one absence of a plan with a valid schedule; `replayed` is of that plan. Without
// `values` nothing is said of keeping the tensor.
ExplainedAbsence explained_absence(const Plan& plan, const Replay& replayed, const Absence& absence,
                                   const std::optional<MarginalValues>& values);

// What so much more RAM or time is worth.
struct MoreOfIt {
  double saves_at_most = 0;                   // by sums, by multipliers or by planning again
  std::optional<double> found = {};           // saved by a schedule that was found
  SolveStatus status = SolveStatus::Unknown;  // of planning again; Unknown: not done
  Evidence evidence = Evidence::None;         // of saves_at_most: Arithmetic or Backend
  std::string backend = {};                   // that searched, or gave the multipliers
};

struct Explanation {
  PlanCheck check;
  double overhead = 0;                          // in the unit of the objective
  std::vector<ExplainedAbsence> absences = {};  // the most expensive first
  std::vector<std::string> never_absent = {};   // names that were asked about in vain
  std::optional<MarginalValues> values = {};
  std::optional<MoreOfIt> more_ram = {};
  std::optional<MoreOfIt> more_time = {};  // empty without a deadline
  // What certain figures would save: the price of keeping the deadline in the worst case. Empty
  // where the plan knows no uncertainty, or no deadline.
  std::optional<MoreOfIt> certainty = {};
  std::int64_t more_ram_bytes = 0;
  double more_time_s = 0;
  std::vector<std::string> warnings = {};
};

// The pipeline behind `poet explain`: reads and verifies the plan, which must be valid, says why
// each tensor is absent, bounds what more RAM and time would save, and plans again with them.
Result<Explanation> explain_plan(const ExplainRequest& request, const Stop& stop,
                                 const ProgressSink& progress);

}  // namespace poet
