#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/ids.h"
#include "poet/base/named.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/problem/certificate.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet {

// Running out of time or finding no schedule is an answer, not an error.
enum class SolveStatus {
  Optimal,     // nothing better over every event (docs/model/event-model.md §2), within the
               // tolerance asked for; whether that is proved, Evidence says
  Feasible,    // a schedule, and a bound that does not show it best
  Infeasible,  // no schedule of the model's class exists; likewise
  Unknown,     // stopped before either
};

// What stands behind "optimal" or "infeasible"; each is weaker than the one before it.
enum class Evidence {
  None,         // neither is said
  Arithmetic,   // sums over the problem alone: a working set, what no schedule can avoid
  Certificate,  // multipliers from which the verifier recomputed the bound
  Backend,      // the word of the library that searched, and nothing that can be checked
};

inline constexpr Named<Evidence> kEvidenceNames[] = {
    {"none", Evidence::None},
    {"arithmetic", Evidence::Arithmetic},
    {"certificate", Evidence::Certificate},
    {"backend", Evidence::Backend},
};

// How much is done for a certificate after a search.
enum class CertificateEffort {
  None,
  Cheap,  // where the answer is optimal and a little counted effort will do
  Whole,  // and a part of the time limit is kept for it
};

// What the event solver is made of. None of it changes what is proved, only how soon.
struct Techniques {
  bool greedy = true;            // a first schedule with re-executions (greedy_recomputation.h)
  bool annealing = true;         // a better one by simulated annealing (annealing.h)
  bool rebuilding = true;        // a better one by rebuilding parts of it (rebuild_search.h)
  bool identical_blocks = true;  // what was better is tried where blocks repeat (rebuild_search.h)
  bool intervals = true;         // large steps: prices of bytes in RAM (interval_prices.h)
  bool windows = true;           // window models, from coarse to fine (window_search.h)
  bool key_search = true;        // keys by the relaxations of their models (key_search.h)
  bool paths = true;             // what returns needs its inputs, over windows (window_paths.h)
  bool dives = true;             // schedules from window models whose keys are held fixed
  bool local_search = true;      // better schedules from the best so far (local_search.h)
  bool smaller_models = true;    // window models without what cannot matter (smaller_model.h)
  bool reachable_sums = true;    // RAM that sizes cannot fill is taken off (reachable_rows.h)
  bool lifting = true;           // multipliers for events that are not in the model (lift.h)
  bool cuts = true;              // cover inequalities from later needs (later_need.h)

  bool operator==(const Techniques&) const = default;
};

inline constexpr Named<bool Techniques::*> kTechniqueNames[] = {
    {"greedy", &Techniques::greedy},
    {"annealing", &Techniques::annealing},
    {"rebuilding", &Techniques::rebuilding},
    {"identical-blocks", &Techniques::identical_blocks},
    {"intervals", &Techniques::intervals},
    {"windows", &Techniques::windows},
    {"key-search", &Techniques::key_search},
    {"paths", &Techniques::paths},
    {"dives", &Techniques::dives},
    {"local-search", &Techniques::local_search},
    {"smaller-models", &Techniques::smaller_models},
    {"reachable-sums", &Techniques::reachable_sums},
    {"lifting", &Techniques::lifting},
    {"cuts", &Techniques::cuts},
};

struct SolveOptions {
  // Stop when objective - bound <= gap_ratio * overhead, the part of the objective that is not
  // unavoidable (docs/model/problem.md §2.5), or <= total_gap_ratio * objective. A gap_ratio of 0
  // means no gap of either kind.
  double gap_ratio = 0.01;
  double total_gap_ratio = 1e-6;
  // Differences of less than this part of the objective are rounding: the one margin on the proof.
  double rounding_ratio = 1e-9;
  std::uint64_t seed = 1;
  int threads = 1;
  std::int64_t max_nodes =
      1'000'000;  // of branch and bound, over all integer programs of one solve
  // Of the simplex method, looked at between linear programs and integer programs: a limit that is
  // the same on every machine where nodes are few and large.
  std::int64_t max_iterations = std::numeric_limits<std::int64_t>::max();
  // In seconds of counted effort (poet/base/stop.h): less than a time limit would give, where more
  // could not pay. A search that has found nothing by then goes on.
  double most_effort_s = std::numeric_limits<double>::infinity();
  // What it may take to find out what would work, where there is no schedule: little where another
  // step may have one.
  double most_effort_to_explain_s = std::numeric_limits<double>::infinity();
  std::string backend = "cbc";  // a name of backend_table()
  // Where backends that are loaded at run time are looked for before the loader's own places.
  std::vector<std::string> library_directories = {};
  // Problems with at most this many re-executions in all are modelled whole from the start; in
  // others pricing adds events to those within `first_depth` edges. Neither changes what is proved.
  std::int64_t few_events = 250;
  std::int32_t first_depth = 3;
  // Problems with more operations than this are searched by what grows with them, and not with
  // their square (large_search.h).
  std::int64_t large_stages = 4'000;
  Techniques techniques = {};
  // Of a proof of the bound: SolveReport::certificate.
  CertificateEffort certificate = CertificateEffort::None;
  // A schedule to begin with. One that needs more RAM than there is is made to fit where that is
  // soon done (fitted_start.h); one that breaks another rule is ignored.
  std::optional<Schedule> start = {};
};

// Why no schedule exists. `reason` is the sentence for the user; the rest are its figures, which
// may be the backend's word as the answer itself may (Evidence).
struct Infeasibility {
  enum class Kind { RamBudget, Deadline, StorageCapacity, WriteBudget, Combined };
  Kind kind = Kind::Combined;
  std::string reason = {};
  std::optional<OperationId> operation = {};            // whose working set exceeds the budget
  std::int64_t working_set_bytes = 0;                   // of that operation
  std::optional<std::int64_t> least_budget_bytes = {};  // no smaller RAM budget works, likewise
  std::optional<std::int64_t>
      working_budget_bytes;  // a RAM budget for which a schedule was found; equal: the smallest
  std::optional<double> least_time_s = {};    // no shorter deadline works, likewise
  std::optional<double> working_time_s = {};  // a deadline for which a schedule was found
  // Where RAM budget and deadline are impossible each on its own: a budget in which a schedule was
  // found that takes the least time.
  std::optional<std::int64_t> budget_of_least_time_bytes = {};
  bool of_all_memories = false;  // it says so of one RAM of all memories' bytes

  bool operator==(const Infeasibility&) const = default;
};

// Effort, counted: the same on every machine for the same input, seed and limits.
struct SolveEffort {
  std::int64_t events = 0;      // in the largest model that was solved
  std::int64_t all_events = 0;  // in the whole problem
  std::int64_t keys = 0;        // stages at which the largest window model counted RAM
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t cuts = 0;
  std::int64_t rounds = 0;  // models that were solved, over all of them from here on
  std::int64_t nodes = 0;
  std::int64_t iterations = 0;  // of the simplex method

  // That of two searches together: sizes are of the larger, the rest is of both.
  void add(const SolveEffort& more) {
    events = std::max(events, more.events);
    all_events = std::max(all_events, more.all_events);
    keys = std::max(keys, more.keys);
    columns = std::max(columns, more.columns);
    rows = std::max(rows, more.rows);
    cuts = std::max(cuts, more.cuts);
    rounds += more.rounds;
    nodes += more.nodes;
    iterations += more.iterations;
  }

  bool operator==(const SolveEffort&) const = default;
};

struct SolveReport {
  SolveStatus status = SolveStatus::Unknown;
  Evidence evidence = Evidence::None;  // of Optimal and Infeasible
  std::optional<Schedule> best = {};   // set exactly when Optimal or Feasible
  // Of a published method (poet/methods) without an answer: what it would do if the limits were
  // wider. For comparison only; it breaks a limit.
  std::optional<Schedule> over_limits = {};
  bool best_of_its_kind = false;  // of a published method: proved best among what it may do
  double objective = 0;    // of `best`, in J or s (Problem::objective), in our own arithmetic
  double lower_bound = 0;  // no schedule of the class has less
  std::optional<Infeasibility> infeasibility = {};  // set exactly when Infeasible
  // What can be shown of lower_bound, or of there being no schedule, where it was asked for and the
  // method has one to give.
  std::optional<Certificate> certificate = {};
  SolveEffort effort = {};
  std::string method = {};   // "event", "released", ... : the solver's name
  std::string backend = {};  // "cbc 2.10.8"; empty when none was used
  std::vector<std::string> notes =
      {};  // what the user should know: fallbacks, limits that were hit
};

struct SolveProgress {
  std::string_view phase = {};           // "relaxation", "integer program", ...
  std::optional<double> incumbent = {};  // objective
  std::optional<double> bound = {};
  std::int64_t events = 0;
  std::int64_t nodes = 0;
  // Set where another search begins, of which nothing that was said before is: what incumbent and
  // bound will count, "J", "s" or "B".
  std::optional<std::string_view> search_unit = {};
};
using ProgressSink = std::function<void(const SolveProgress&)>;  // may be empty

// A way to answer a Problem. Stateless: one object may serve many threads. `problem` is well
// formed.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual std::string_view name() const = 0;
  // An Error when the method cannot speak of this problem at all, or its backend is not available.
  virtual Result<SolveReport> solve(const Problem& problem, const SolveOptions& options,
                                    const Stop& stop, const ProgressSink& progress) const = 0;
};

// One row of a table of solvers.
struct SolverEntry {
  std::string_view name = {};
  std::string_view what = {};  // one line for help texts
  std::unique_ptr<Solver> (*make)();
};

}  // namespace poet
