// Integer programs by Cbc, within its tolerances and with its faults fenced in
// (docs/model/numbers.md §1.1).
#include "poet/solve/backends.h"

#include <CbcConfig.h>
#include <CbcEventHandler.hpp>
#include <CbcModel.hpp>
#include <CbcSolver.hpp>
#include <CbcTree.hpp>
#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "poet/solve/cbc_crossed_bounds.h"
#include "poet/solve/cbc_relaxation.h"
#include "poet/solve/incumbent.h"
#include "poet/solve/library_abort.h"
#include "poet/solve/proved_bound.h"
#include "poet/solve/simplex_effort.h"

namespace poet {
namespace {

constexpr double kPrimalTolerance = 1e-9;
// A node's objective may be too large by so much for every column: 1e-7 has cost optima.
constexpr double kDualTolerance = 1e-9;
// What is nearer to a whole number than this, Cbc rounds; where the rounded values break a row, it
// gives up all that is below the node. So the tolerance must be far less than the smallest part of
// a row that counts, which is that of budget_margin.h: 1e-7 has cost optima.
constexpr double kIntegerTolerance = 1e-9;
// Cbc prunes nodes that do not improve by its cut-off increment; its default of 1e-5 has cost
// optima.
constexpr double kLeastIncrement = 1e-10;
// Beyond this Coin means no bound.
constexpr double kCoinInfinite = 1e30;

// One integer program on its way through Cbc. Cbc clones models and handlers as it likes; all
// clones report here.
struct CbcRun {
  const Stop* stop = nullptr;
  const IntegerCallbacks* callbacks = nullptr;
  const LinearModel* model = nullptr;
  const Incumbent* start = nullptr;
  // Found on the way: Cbc forgets its own when it is stopped at an awkward moment.
  Incumbent best = {};
  IntegerProgress progress = {};
  double units_per_iteration = 0;
  bool exact = true;      // no gap is allowed
  bool searching = true;  // false once what was found is being carried back to the whole model
  bool stopped = false;   // by the caller: what Cbc says from then on about bounds is not evidence

  bool should_stop() {
    stopped = stopped || stop->requested();
    return searching && stopped;
  }

  // Takes the least objective of the open nodes, which bounds every solution not yet found.
  void raise_bound(double open) {
    if (stopped || std::abs(open) >= kCoinInfinite) return;
    progress.bound = std::max(progress.bound, std::min(open, progress.incumbent));
  }

  void take(const double* values, double objective) {
    progress.incumbent = objective;
    report();
    const Incumbent found = incumbent_from(*model, {values, values + model->columns.size()});
    if (!found.known() || found.objective >= best.objective) return;
    best = found;
    if (callbacks->incumbent) callbacks->incumbent(found.objective, found.values);
  }

  void report() const {
    if (callbacks->progress) callbacks->progress(progress);
  }
};

// Counts what the simplex method does as well: all that a search does goes through it, and what Cbc
// does beside it is in proportion.
class StopsCbcSimplex final : public ClpEventHandler {
 public:
  explicit StopsCbcSimplex(CbcRun* run) : run_(run) {}
  int event(Event) override {
    run_->stop->count(run_->units_per_iteration);
    return run_->should_stop() ? 0 : -1;
  }
  ClpEventHandler* clone() const override { return new StopsCbcSimplex(*this); }

 private:
  CbcRun* run_;
};

// Watches the search. Cbc's heuristics run small searches of their own: those may be stopped, but
// their figures are not about the whole problem.
class WatchesCbc final : public CbcEventHandler {
 public:
  explicit WatchesCbc(CbcRun* run) : run_(run) {}
  CbcEventHandler* clone() const override { return new WatchesCbc(*this); }

  CbcAction event(CbcEvent which) override {
    if (run_->should_stop()) return stop;
    const bool found = which == solution || which == heuristicSolution;
    if (found && model_ != nullptr && model_->parentModel() == nullptr) report_solution();
    return noAction;
  }
  CbcAction event(CbcEvent which, void*) override { return event(which); }

 private:
  void report_solution() {
    if (model_->bestSolution() == nullptr || model_->getObjValue() >= run_->progress.incumbent)
      return;
    run_->take(model_->bestSolution(), model_->getObjValue());
  }

  CbcRun* run_;
};

// The set of open nodes. Whenever Cbc asks for the next node every open node is in it, so the least
// objective there bounds every solution not yet found; what Cbc itself says is refreshed only now
// and then, and is not about all nodes while it works on one.
class WatchedTree final : public CbcTree {
 public:
  explicit WatchedTree(CbcRun* run) : run_(run) {}

  // Cbc keeps a clone of the tree it is given. Copies of that one belong to searches in parts of
  // the problem: those do not report.
  CbcTree* clone() const override {
    auto* copy = new WatchedTree(*this);
    ++copy->generation_;
    return copy;
  }

  CbcNode* bestNode(double cutoff) override {
    ++taken_;
    // A look at all nodes costs as much as there are: often enough is each time the set has been
    // worked through once.
    if (taken_ - last_look_ > size() / 8) look();
    return CbcTree::bestNode(cutoff);
  }

  // Cbc empties the tree with this when a limit ends the search.
  void cleanTree(CbcModel* model, double cutoff, double& best) override {
    look();
    CbcTree::cleanTree(model, cutoff, best);
  }

 private:
  void look() {
    last_look_ = taken_;
    if (generation_ != 1 || size() == 0) return;
    run_->progress.nodes = taken_;
    run_->raise_bound(getBestPossibleObjective());
    run_->report();
  }

  CbcRun* run_;
  int generation_ = 0;
  std::int64_t taken_ = 0;
  std::int64_t last_look_ = -1;
};

// By hand: Cbc would take a start by the names of columns, and names have crashed it.
void give_start(CbcModel& model, const Incumbent& start) {
  if (!start.known()) return;
  model.setBestSolution(start.values.data(), static_cast<int>(start.values.size()), start.objective,
                        false);
  model.setSolutionCount(1);
}

// Cbc calls this at the milestones of its main program; 3 is just before the search, with the model
// that is searched.
int at_milestone(CbcModel* model, int milestone) {
  CbcRun* run = static_cast<CbcRun*>(model->getApplicationData());
  if (run == nullptr) return 0;
  if (milestone == 3) {
    if (run->exact) model->setDblParam(CbcModel::CbcCutoffIncrement, kLeastIncrement);
    WatchesCbc watch(run);
    model->passInEventHandler(&watch);
    WatchedTree tree(run);
    model->passInTreeHandler(tree);
    give_start(*model, *run->start);
  }
  if (milestone >= 4) run->searching = false;
  return run->should_stop() ? 1 : 0;
}

bool is_exact(const IntegerLimits& limits) {
  return limits.absolute_gap <= 0 && limits.relative_gap <= 0;
}

bool is_safe_to_probe(const LinearColumn& column) {
  return column.kind == ColumnKind::Continuous || (column.lower >= 0 && column.upper <= 1);
}

// Preprocessing is off: Cbc 2.10.8 with Cgl 0.60.3 then calls solutions optimal that are not, on
// one small integer program in some 1,500 (backend_test.cc has them), and event models are solved
// sooner without it (resnet18_cifar at 737,719 B: 3.8 s instead of 6.3 s).
//
// Probing is off where an integer column is not 0-1: it then cut off the optimum of one in some
// 6,000.
std::vector<std::string> arguments_of(const LinearModel& model, const IntegerLimits& limits,
                                      double cutoff) {
  const std::int64_t most_nodes = std::numeric_limits<std::int32_t>::max();
  const auto seed = static_cast<std::int64_t>(limits.seed % 1'000'000'000);
  std::vector<std::string> arguments = {
      "poet",
      "-log",
      "0",
      "-slog",
      "0",
      "-preprocess",
      "off",
      "-allowableGap",
      fmt::format("{:.17g}", limits.absolute_gap),
      "-ratioGap",
      fmt::format("{:.17g}", limits.relative_gap),
      "-primalTolerance",
      fmt::format("{:.17g}", kPrimalTolerance),
      "-dualTolerance",
      fmt::format("{:.17g}", kDualTolerance),
      "-integerTolerance",
      fmt::format("{:.17g}", kIntegerTolerance),
      "-maxNodes",
      std::to_string(std::min(limits.max_nodes, most_nodes)),
      "-randomSeed",
      std::to_string(seed),
      "-randomCbcSeed",
      std::to_string(seed),
  };
  // An increment that is given switches Cbc's own use of the gap off: it then searches all that the
  // gap allows to leave.
  if (is_exact(limits)) {
    arguments.push_back("-increment");
    arguments.push_back(fmt::format("{:.17g}", kLeastIncrement));
  }
  if (cutoff < kInfinity) {
    arguments.push_back("-cutoff");
    arguments.push_back(fmt::format("{:.17g}", cutoff));
  }
  if (!std::all_of(model.columns.begin(), model.columns.end(), is_safe_to_probe))
    arguments.insert(arguments.end(), {"-probing", "off"});
  if (!limits.heuristics)
    arguments.insert(arguments.end(), {"-heuristicsOnOff", "off", "-probing", "off"});
  arguments.push_back("-solve");
  arguments.push_back("-quit");
  return arguments;
}

// All that a run of Cbc's main program works on. Nothing of it lives in a frame that an abort would
// jump over.
struct CbcWork {
  std::unique_ptr<ClpSimplex> simplex;
  std::unique_ptr<OsiClpSolverInterface> solver;
  std::unique_ptr<CbcModel> cbc;
  std::vector<std::string> arguments;
  std::vector<const char*> pointers = {};
  CbcSolverUsefulData data = {};
};

// After an abort nothing of it may be touched again, not even to release it.
void keep_for_ever(std::unique_ptr<CbcWork> work) {
  static std::mutex adding;
  static auto* const kept =
      new std::vector<std::unique_ptr<CbcWork>>;  // outlives the program's end
  const std::lock_guard<std::mutex> lock(adding);
  kept->push_back(std::move(work));
}

void run_cbc_main(CbcWork& work) {
  work.data.noPrinting_ = true;
  work.data.useSignalHandler_ = false;
  CbcMain0(*work.cbc, work.data);
  work.cbc->setLogLevel(0);
  CbcMain1(static_cast<int>(work.pointers.size()), work.pointers.data(), *work.cbc, at_milestone,
           work.data);
}

// Cbc's main program keeps its place among its arguments in globals, and reads standard input when
// two runs disagree about it: one search at a time. Who waits for the others still stops when
// asked.
//
// False when Cbc aborted.
bool run_cbc_in_turn(CbcWork& work, CbcRun& run) {
  for (const std::string& argument : work.arguments) work.pointers.push_back(argument.c_str());
  static std::timed_mutex turn;
  std::unique_lock<std::timed_mutex> lock(turn, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(20)))
    if (run.should_stop()) return true;
  return survives_abort([&] { run_cbc_main(work); });
}

void mark_integers(OsiClpSolverInterface& solver, const LinearModel& model) {
  for (std::size_t j = 0; j < model.columns.size(); ++j)
    if (model.columns[j].kind == ColumnKind::Integer) solver.setInteger(static_cast<int>(j));
}

// No solution is better than this after a finished search, which may leave the gap open that it was
// allowed: Cbc takes its ratio of the larger of objective and bound.
double proved_bound(const IntegerLimits& limits, const Incumbent& best, double bound) {
  if (!best.known()) return kInfinity;
  const double size = std::max(std::abs(best.objective), std::abs(bound));
  const double gap = std::max({limits.absolute_gap, limits.relative_gap * size, kLeastIncrement});
  return std::max(bound, best.objective - gap);
}

// Cbc's status: 0 finished, 1 a limit, 2 difficulties, 5 the caller. Finished counts only when no
// part of the search was given up.
bool finished(const CbcModel& cbc, const CbcRun& run) {
  return cbc.status() == 0 && !run.stopped && cbc.numberStoppedSubTrees() == 0;
}

LinearStatus status_of(bool proved, bool solution_known) {
  if (solution_known) return proved ? LinearStatus::Optimal : LinearStatus::Feasible;
  return proved ? LinearStatus::Infeasible : LinearStatus::Unknown;
}

IntegerAnswer answer_of(const CbcModel& cbc, const CbcRun& run, const IntegerLimits& limits,
                        const Incumbent& best) {
  const bool proved = finished(cbc, run);
  IntegerAnswer answer;
  answer.status = status_of(proved, best.known());
  answer.objective = best.objective;
  answer.values = best.values;
  const double bound = proved ? proved_bound(limits, best, run.progress.bound) : run.progress.bound;
  answer.bound = std::min(bound, best.objective);
  // Not what Cbc counts, which includes nodes of small searches that the limit does not count.
  answer.nodes = run.progress.nodes;
  answer.iterations = cbc.getIterationCount();
  return answer;
}

// What was found and bounded on the way is as good as before.
IntegerAnswer answer_after_abort(const CbcRun& run, const Incumbent& best) {
  IntegerAnswer answer;
  answer.status = status_of(false, best.known());
  answer.objective = best.objective;
  answer.values = best.values;
  answer.bound = std::min(run.progress.bound, best.objective);
  answer.nodes = run.progress.nodes;
  return answer;
}

// Multipliers say nothing where a column has no end.
double root_bound(const LinearModel& model, const RelaxationAnswer& root) {
  const double proved = bound_proved_by(root.row_duals, model);
  return std::isfinite(proved) ? std::min(root.objective, proved) : root.objective;
}

IntegerAnswer without_search(const LinearModel& model, const RelaxationAnswer& root,
                             const Incumbent& start) {
  IntegerAnswer answer;
  answer.iterations = root.iterations;
  answer.objective = start.objective;
  answer.values = start.values;
  answer.status = start.known() ? LinearStatus::Feasible : LinearStatus::Unknown;
  if (root.status == LinearStatus::Optimal) {
    answer.status = LinearStatus::Optimal;
    answer.objective = root.objective;
    answer.bound = root_bound(model, root);
    answer.values = root.values;
  } else if (root.status == LinearStatus::Unbounded) {
    answer.status = LinearStatus::Unbounded;
  } else if (root.status == LinearStatus::Infeasible && !start.known()) {
    answer.status = LinearStatus::Infeasible;
    answer.bound = kInfinity;
  }
  return answer;
}

// Cbc drops what is not better than the cut-off, and its rounding would drop the start itself:
// a little above it.
double cutoff_of(const IntegerLimits& limits, const Incumbent& start) {
  if (!start.known()) return limits.cutoff;
  return std::min(limits.cutoff, start.objective + 1e-7 * std::max(1.0, std::abs(start.objective)));
}

// An assertion of OsiClp about its own bookkeeping fails on some models of two columns and two
// rows, and takes the program with it; columns that do nothing keep it quiet.
void pad_tiny_model(ClpSimplex& simplex) {
  constexpr int kIdleColumns = 8;
  if (simplex.numberColumns() >= kIdleColumns) return;
  add_columns_to(simplex, std::vector<LinearColumn>(kIdleColumns, {.upper = 0}), {});
}

IntegerAnswer search(const LinearModel& model, const IntegerLimits& limits, const Incumbent& start,
                     CbcRun& run, const ClpSimplex& root) {
  Silence silence;
  auto work = std::make_unique<CbcWork>();
  work->simplex = std::make_unique<ClpSimplex>(root);
  work->simplex->passInMessageHandler(&silence);
  pad_tiny_model(*work->simplex);
  StopsCbcSimplex stops(&run);
  work->simplex->passInEventHandler(&stops);
  work->solver = std::make_unique<OsiClpSolverInterface>(work->simplex.get());
  work->solver->passInMessageHandler(&silence);
  mark_integers(*work->solver, model);

  work->cbc = std::make_unique<CbcModel>(*work->solver);
  work->cbc->passInMessageHandler(&silence);
  work->cbc->setApplicationData(&run);
  WatchesCbc watch(&run);
  work->cbc->passInEventHandler(&watch);
  work->arguments = arguments_of(model, limits, cutoff_of(limits, start));
  const bool survived = run_cbc_in_turn(*work, run);

  Incumbent best = start;
  if (run.best.objective < std::min(best.objective, limits.cutoff)) best = run.best;
  if (!survived) {
    keep_for_ever(std::move(work));
    return answer_after_abort(run, best);
  }
  if (const double* values = work->cbc->bestSolution()) {
    const Incumbent found = incumbent_from(model, {values, values + model.columns.size()});
    if (found.objective < std::min(best.objective, limits.cutoff)) best = found;
  }
  return answer_of(*work->cbc, run, limits, best);
}

class CbcBackend final : public LinearBackend {
 public:
  std::string_view name() const override { return "cbc"; }
  std::string version() const override { return CBC_VERSION; }

  std::unique_ptr<Relaxation> relax(const LinearModel& model) const override {
    return std::make_unique<ClpRelaxation>(model);
  }

  IntegerAnswer solve(const LinearModel& model, const IntegerLimits& limits,
                      const std::vector<double>& start, const Stop& stop,
                      const IntegerCallbacks& callbacks) const override {
    const Incumbent known = incumbent_from(model, start);
    ClpRelaxation relaxation(model);
    const RelaxationAnswer root = relaxation.solve(stop);
    const bool any_integer =
        std::any_of(model.columns.begin(), model.columns.end(),
                    [](const LinearColumn& column) { return column.kind == ColumnKind::Integer; });
    if (root.status != LinearStatus::Optimal || !any_integer)
      return without_search(model, root, known);

    CbcRun run{.stop = &stop, .callbacks = &callbacks, .model = &model, .start = &known};
    run.units_per_iteration = units_per_iteration(model);
    run.exact = is_exact(limits);
    run.progress = {.incumbent = known.objective, .bound = root_bound(model, root), .nodes = 0};
    run.report();
    return search(model, limits, known, run, relaxation.simplex());
  }
};

}  // namespace

Result<std::unique_ptr<LinearBackend>> open_cbc() {
  // In a program that links us in another way (a plugin), Cbc's own function stays in its place:
  // it works, but for that one case.
  static_cast<void>(crossed_bounds_are_survived());
  return std::unique_ptr<LinearBackend>(std::make_unique<CbcBackend>());
}

}  // namespace poet
