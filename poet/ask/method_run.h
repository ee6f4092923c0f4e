#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/base/named.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/methods/method_table.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/solve/solver.h"
#include "poet/verify/replay.h"

namespace poet {

// What became of one method on one problem.
enum class Outcome {
  Fits,          // a schedule that keeps every limit
  OverRam,       // its schedule needs more RAM than there is
  OverDeadline,  // its schedule fits into RAM and takes too long
  OverStorage,   // it writes more than it may
  Infeasible,    // nothing that the method may do keeps the limits, as far as the evidence goes
  Unsupported,   // it cannot handle this graph or request
  Stopped,       // a limit on its effort came first
};

constexpr Named<Outcome> kOutcomes[] = {
    {"fits", Outcome::Fits},
    {"over_ram", Outcome::OverRam},
    {"over_deadline", Outcome::OverDeadline},
    {"over_storage", Outcome::OverStorage},
    {"infeasible", Outcome::Infeasible},
    {"unsupported", Outcome::Unsupported},
    {"stopped", Outcome::Stopped},
};

// One method's answer, judged by the verifier in the problem's time mode.
struct MethodRun {
  std::string method = {};
  Outcome outcome = Outcome::Stopped;
  std::string why = {};                   // one clause, unless it fits
  std::optional<Schedule> schedule = {};  // with Fits, and with those over a limit
  Replay replay = {};                     // of the schedule
  bool in_class = false;  // the schedule is in the class that the exact model considers
  // Nothing that the method may do is better, or keeps the limits, as far as the evidence goes.
  bool best_of_its_kind = false;
  // Of best_of_its_kind: None where it is not said, and where an older version's record says it.
  Evidence evidence = Evidence::None;
  std::string backend = {};          // "cbc 2.10.8"; empty when none was used, or none is known
  std::optional<double> bound = {};  // on every schedule of the class, in the objective's unit
  SolveEffort effort = {};
  std::vector<std::string> notes = {};
  double plan_s = 0;  // by the caller's clock
  // The time limit or Ctrl-C ended it: another time, or elsewhere, the answer may be another.
  bool ended_by_clock = false;

  bool fits() const { return outcome == Outcome::Fits; }
};

// What stands behind a bound on a problem: sums over it, or else the word of who searched.
Evidence evidence_of_bound(const Problem& problem, double bound);

// Whether the method may begin with this one's schedule: it takes starts, and would be allowed to
// answer with it.
bool may_begin_with(const MethodEntry& method, const MethodRun& run);

// Plans with the method, and replays. Those of `starts` that are valid here and in the class help
// methods that can begin with a schedule; POET's answer is never worse than one of them. An Error
// when the method's backend is not there.
Result<MethodRun> run_method(const Problem& problem, const MethodEntry& method,
                             const std::vector<Schedule>& starts, const SolveOptions& options,
                             const Stop& stop, const ProgressSink& progress);

}  // namespace poet
