#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/instance.h"
#include "poet/ask/proof_kind.h"
#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/plan/plan.h"
#include "poet/problem/problem.h"
#include "poet/solve/solver.h"
#include "poet/verify/certificate_check.h"
#include "poet/verify/replay.h"

namespace poet {

// Clock readings of one answer, by the request's clock.
struct PlanTiming {
  double prepare_s = 0;  // model, costs, problem
  double solve_s = 0;    // for the step that the budget chooses, and for its schedule
  double verify_s = 0;
  // What the search counted of its effort, in seconds of the machines that we know: the same
  // wherever no clock ended it.
  double effort_s = 0;
  // The caller's limit or request ended the search: the same request need not give the same answer.
  bool ended_by_clock = false;
};

// The answer: everything that a program prints, and everything a page shows.
struct PlanReport {
  Question question = {};  // `solve.backend` as it was chosen
  SolveReport solve = {};
  std::optional<Plan> plan = {};  // set when a schedule was found
  Problem problem = {};
  Replay replay = {};  // of plan->schedule; valid, or the answer is a bug and this is not returned
  // What the verifier makes of solve.certificate, where there is one.
  std::optional<CertificateCheck> certificate = {};
  ProofKind proof = ProofKind::None;  // of what is called optimal or infeasible
  std::string costs = {};             // where those of operations come from, as in an Instance
  StepUpdates updates = {};
  StepParts parts = {};
  StepOrder order = {};
  StepChoice choice = {};
  double unavoidable_j = 0;
  double unavoidable_s = 0;  // in the problem's time mode
  PlanTiming timing = {};
  std::vector<std::string> warnings = {};
};

// Whether two problems are of the same operations and tensors in the same order: costs may differ.
bool is_same_graph(const Problem& a, const Problem& b);

using WarningSink = std::function<void(const std::string&)>;

// Searches a schedule of this instance, with what the question says about the search, and has it
// verified: one that the verifier refuses is a bug in POET, and aborts. `early` (may be empty) gets
// the first warnings of the report, in their order, before the search begins.
Result<PlanReport> plan_instance(const Question& question, Instance instance, const Stop& stop,
                                 const ProgressSink& progress, const WarningSink& early = {});

}  // namespace poet
