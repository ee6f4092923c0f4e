#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/plan_instance.h"
#include "poet/ask/proof_kind.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/plan/plan.h"
#include "poet/problem/certificate.h"
#include "poet/problem/problem.h"
#include "poet/solve/solver.h"
#include "poet/verify/certificate_check.h"
#include "poet/verify/replay.h"

namespace poet {

// The answer to "how little RAM will do", or with a RAM budget given, "how little time".
struct MinimumReport {
  enum class Asked { LeastRam, LeastTime };
  Asked asked = Asked::LeastRam;
  Question question = {};
  std::string costs = {};    // where those of operations come from, as in an Instance
  StepUpdates updates = {};  // of the step that `problem` is
  StepParts parts = {};      // likewise; a proof is of this way of cutting
  Problem problem = {};      // with the least budget or deadline that was found
  // Optimal: what was found is proved least. Feasible: it lies between proved and found.
  SolveStatus status = SolveStatus::Unknown;
  Evidence evidence = Evidence::None;  // of Optimal and Infeasible
  std::int64_t proved_bytes = 0;       // no smaller RAM budget works
  std::optional<std::int64_t> found_bytes = {};
  double proved_s = 0;  // no shorter deadline works
  std::optional<double> found_s = {};
  std::optional<std::string> why_not = {};  // set exactly when Infeasible
  // Of the step that why_not speaks of, where a limit is impossible by itself.
  std::optional<Infeasibility> infeasibility = {};
  std::optional<Plan> plan = {};  // set when a schedule was found
  // Where it was asked for: that the step of the plan has no schedule in less RAM, as far as that
  // can be shown, or none that takes less time; without a plan, that no budget works.
  std::optional<Certificate> certificate = {};
  std::optional<CertificateCheck> certificate_check = {};  // what the verifier makes of it
  ProofKind proof = ProofKind::None;                       // of Optimal and Infeasible
  Replay replay = {};                                      // of plan->schedule; valid
  SolveEffort effort = {};
  std::string backend = {};
  PlanTiming timing = {};
  std::vector<std::string> warnings = {};
};

// The smallest RAM budget for the request's deadline (default: none), or, when the request has a
// RAM budget, the shortest deadline within it; a request with both is refused.
Result<MinimumReport> find_minimum(const Question& question, const Stop& stop,
                                   const ProgressSink& progress, const WarningSink& early = {});

}  // namespace poet
