// The one file that touches Cbc and Clp.
#include "poet/solve/cbc_backend.h"

#include <CbcConfig.h>
#include <CbcEventHandler.hpp>
#include <CbcModel.hpp>
#include <CbcSolver.hpp>
#include <CbcTree.hpp>
#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#include <ClpSolve.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "poet/solve/incumbent.h"

namespace poet {
namespace {

constexpr double kPrimalTolerance = 1e-9;
constexpr double kIntegerTolerance = 1e-7;
// Cbc prunes nodes that do not improve by this much; its default of 1e-5 has cost optima.
constexpr double kCutoffIncrement = 1e-10;
// Beyond this Coin means no bound.
constexpr double kCoinInfinite = 1e30;
// What a relaxation's values may break a row by, relative to the size of its terms.
constexpr double kAcceptedViolation = 1e-6;

double coin_bound(double bound) {
  if (bound == kInfinity) return COIN_DBL_MAX;
  if (bound == -kInfinity) return -COIN_DBL_MAX;
  return bound;
}

// Cbc raises its own log level when a last check fails, so a level of 0 alone is not silence.
class Silence final : public CoinMessageHandler {
 public:
  Silence() { setLogLevel(0); }
  int print() override { return 0; }
  CoinMessageHandler* clone() const override { return new Silence(*this); }
};

// Rows or columns in Coin's packed form.
struct Packed {
  std::vector<CoinBigIndex> starts = {0};
  std::vector<int> indices = {};
  std::vector<double> coefficients = {};

  // Clp's presolve does not survive coefficients that are stored although they are zero.
  void add(int index, double coefficient) {
    if (coefficient == 0) return;
    indices.push_back(index);
    coefficients.push_back(coefficient);
  }
  void close() { starts.push_back(static_cast<CoinBigIndex>(indices.size())); }
};

void add_rows_to(ClpSimplex& simplex, const std::vector<LinearRow>& rows) {
  Packed packed;
  std::vector<double> lower, upper;
  for (const LinearRow& row : rows) {
    for (const LinearTerm& term : row.terms) packed.add(term.column, term.coefficient);
    packed.close();
    lower.push_back(coin_bound(row.lower));
    upper.push_back(coin_bound(row.upper));
  }
  simplex.addRows(static_cast<int>(rows.size()), lower.data(), upper.data(), packed.starts.data(),
                  packed.indices.data(), packed.coefficients.data());
}

void add_columns_to(ClpSimplex& simplex, const std::vector<LinearColumn>& columns,
                    const std::vector<std::vector<Relaxation::RowEntry>>& entries) {
  Packed packed;
  std::vector<double> lower, upper, cost;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (j < entries.size())
      for (const Relaxation::RowEntry& entry : entries[j]) packed.add(entry.row, entry.coefficient);
    packed.close();
    lower.push_back(coin_bound(columns[j].lower));
    upper.push_back(coin_bound(columns[j].upper));
    cost.push_back(columns[j].cost);
  }
  simplex.addColumns(static_cast<int>(columns.size()), lower.data(), upper.data(), cost.data(),
                     packed.starts.data(), packed.indices.data(), packed.coefficients.data());
}

void load(ClpSimplex& simplex, const LinearModel& model) {
  simplex.resize(0, 0);
  add_columns_to(simplex, model.columns, {});
  add_rows_to(simplex, model.rows);
}

// Ends a simplex run between two iterations once the caller wants to stop.
class StopsSimplex final : public ClpEventHandler {
 public:
  explicit StopsSimplex(const Stop* stop) : stop_(stop) {}
  int event(Event) override { return stop_->requested() ? 0 : -1; }
  ClpEventHandler* clone() const override { return new StopsSimplex(*this); }

 private:
  const Stop* stop_;
};

// The most by which the simplex' values break a row, relative to the size of the row's terms.
double worst_violation(const ClpSimplex& simplex) {
  const int rows = simplex.numberRows();
  const CoinPackedMatrix& matrix = *simplex.matrix();
  std::vector<double> activity(rows, 0.0), size(rows, 1.0);
  const double* values = simplex.primalColumnSolution();
  for (int column = 0; column < simplex.numberColumns(); ++column) {
    const CoinBigIndex begin = matrix.getVectorStarts()[column];
    for (CoinBigIndex at = begin; at < begin + matrix.getVectorLengths()[column]; ++at) {
      const double term = matrix.getElements()[at] * values[column];
      activity[matrix.getIndices()[at]] += term;
      size[matrix.getIndices()[at]] += std::abs(term);
    }
  }
  double worst = 0;
  for (int row = 0; row < rows; ++row) {
    const double below = simplex.rowLower()[row] - activity[row];
    const double above = activity[row] - simplex.rowUpper()[row];
    worst = std::max(worst, std::max(below, above) / size[row]);
  }
  return worst;
}

class ClpRelaxation final : public Relaxation {
 public:
  explicit ClpRelaxation(const LinearModel& model) {
    simplex_.passInMessageHandler(&silence_);
    simplex_.setLogLevel(0);
    load(simplex_, model);
  }

  void add_columns(const std::vector<LinearColumn>& columns,
                   const std::vector<std::vector<RowEntry>>& entries) override {
    add_columns_to(simplex_, columns, entries);
  }

  void add_rows(const std::vector<LinearRow>& rows) override { add_rows_to(simplex_, rows); }

  void set_column_bounds(std::int32_t column, double lower, double upper) override {
    simplex_.setColumnBounds(column, coin_bound(lower), coin_bound(upper));
  }

  const ClpSimplex& simplex() const { return simplex_; }

  Basis basis() const override {
    Basis basis;
    if (!simplex_.statusExists()) return basis;
    for (int column = 0; column < simplex_.numberColumns(); ++column)
      basis.columns.push_back(status_from(simplex_.getColumnStatus(column)));
    for (int row = 0; row < simplex_.numberRows(); ++row)
      basis.rows.push_back(status_from(simplex_.getRowStatus(row)));
    return basis;
  }

  void set_basis(const Basis& basis) override {
    simplex_.createStatus();
    for (int column = 0; column < simplex_.numberColumns(); ++column)
      simplex_.setColumnStatus(column, status_to(basis.columns[column]));
    for (int row = 0; row < simplex_.numberRows(); ++row)
      simplex_.setRowStatus(row, status_to(basis.rows[row]));
    warm_ = true;
  }

  RelaxationAnswer solve(const Stop& stop) override {
    if (simplex_.numberColumns() == 0) return answer_without_columns();
    StopsSimplex stops(&stop);
    simplex_.passInEventHandler(&stops);
    iterations_ = 0;
    run_warm();
    if (!trustworthy() && !stop.requested()) run_from_scratch();
    const RelaxationAnswer answer = read_answer();
    ClpEventHandler none;
    simplex_.passInEventHandler(&none);
    return answer;
  }

 private:
  static BasisStatus status_from(ClpSimplex::Status status) {
    if (status == ClpSimplex::basic) return BasisStatus::Basic;
    return status == ClpSimplex::atUpperBound ? BasisStatus::AtUpper : BasisStatus::AtLower;
  }
  static ClpSimplex::Status status_to(BasisStatus status) {
    if (status == BasisStatus::Basic) return ClpSimplex::basic;
    return status == BasisStatus::AtUpper ? ClpSimplex::atUpperBound : ClpSimplex::atLowerBound;
  }

  // Clp's status: 0 optimal, 1 primal infeasible, 2 dual infeasible, 3 limit, 4 errors, 5 event.
  bool trustworthy() const {
    if (simplex_.status() == 0) return worst_violation(simplex_) <= kAcceptedViolation;
    return simplex_.status() == 1 || simplex_.status() == 2;
  }

  // Clp does not survive a model without columns.
  RelaxationAnswer answer_without_columns() const {
    RelaxationAnswer answer;
    answer.status = LinearStatus::Optimal;
    answer.row_duals.assign(simplex_.numberRows(), 0.0);
    for (int row = 0; row < simplex_.numberRows(); ++row)
      if (simplex_.rowLower()[row] > 0 || simplex_.rowUpper()[row] < 0)
        answer.status = LinearStatus::Infeasible;
    return answer;
  }

  void run_warm() {
    if (warm_)
      simplex_.dual();
    else
      run_first();
    iterations_ += simplex_.numberIterations();
    tidy();
    warm_ = true;
  }

  void run_first() {
    ClpSolve method;
    method.setSolveType(ClpSolve::useDual);
    method.setPresolveType(ClpSolve::presolveOn);
    simplex_.initialSolve(method);
  }

  // Dual simplex calls a model dual infeasible without having looked for a feasible point, and an
  // optimum of the scaled model may be a little off in the model itself: primal simplex settles
  // both.
  void tidy() {
    const bool off_after_scaling = simplex_.status() == 0 && simplex_.secondaryStatus() >= 2 &&
                                   simplex_.secondaryStatus() <= 4;
    if (simplex_.status() != 2 && !off_after_scaling) return;
    simplex_.primal(1);
    iterations_ += simplex_.numberIterations();
  }

  void run_from_scratch() {
    simplex_.allSlackBasis(true);
    simplex_.primal();
    iterations_ += simplex_.numberIterations();
  }

  RelaxationAnswer read_answer() const {
    RelaxationAnswer answer;
    answer.iterations = iterations_;
    if (!trustworthy()) return answer;
    if (simplex_.status() == 1) answer.status = LinearStatus::Infeasible;
    if (simplex_.status() == 2) answer.status = LinearStatus::Unbounded;
    if (simplex_.status() != 0) return answer;
    answer.status = LinearStatus::Optimal;
    answer.objective = simplex_.objectiveValue();
    const double* values = simplex_.primalColumnSolution();
    answer.values.assign(values, values + simplex_.numberColumns());
    const double* duals = simplex_.dualRowSolution();
    answer.row_duals.assign(duals, duals + simplex_.numberRows());
    return answer;
  }

  Silence silence_ = {};
  ClpSimplex simplex_ = {};
  bool warm_ = false;
  std::int64_t iterations_ = 0;
};

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

class StopsCbcSimplex final : public ClpEventHandler {
 public:
  explicit StopsCbcSimplex(CbcRun* run) : run_(run) {}
  int event(Event) override { return run_->should_stop() ? 0 : -1; }
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
    model->setDblParam(CbcModel::CbcCutoffIncrement, kCutoffIncrement);
    WatchesCbc watch(run);
    model->passInEventHandler(&watch);
    WatchedTree tree(run);
    model->passInTreeHandler(tree);
    give_start(*model, *run->start);
  }
  if (milestone >= 4) run->searching = false;
  return run->should_stop() ? 1 : 0;
}

// Preprocessing is off: Cbc 2.10.8 with Cgl 0.60.3 then calls solutions optimal that are not, on
// one small integer program in some 1,500 (backend_test.cc has them), and event models are solved
// sooner without it (resnet18_cifar at 737,719 B: 3.8 s instead of 6.3 s).
std::vector<std::string> arguments_of(const IntegerLimits& limits, double cutoff) {
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
      "-increment",
      fmt::format("{:.17g}", kCutoffIncrement),
      "-primalTolerance",
      fmt::format("{:.17g}", kPrimalTolerance),
      "-integerTolerance",
      fmt::format("{:.17g}", kIntegerTolerance),
      "-maxNodes",
      std::to_string(std::min(limits.max_nodes, most_nodes)),
      "-randomSeed",
      std::to_string(seed),
      "-randomCbcSeed",
      std::to_string(seed),
  };
  if (cutoff < kInfinity) {
    arguments.push_back("-cutoff");
    arguments.push_back(fmt::format("{:.17g}", cutoff));
  }
  arguments.push_back("-solve");
  arguments.push_back("-quit");
  return arguments;
}

void run_cbc_main(CbcModel& model, const std::vector<std::string>& arguments) {
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  CbcSolverUsefulData data;
  data.noPrinting_ = true;
  data.useSignalHandler_ = false;
  CbcMain0(model, data);
  model.setLogLevel(0);
  CbcMain1(static_cast<int>(pointers.size()), pointers.data(), model, at_milestone, data);
}

// Cbc's main program keeps its place among its arguments in globals, and reads standard input when
// two runs disagree about it: one search at a time. Who waits for the others still stops when
// asked.
void run_cbc_in_turn(CbcModel& model, const std::vector<std::string>& arguments, CbcRun& run) {
  static std::timed_mutex turn;
  std::unique_lock<std::timed_mutex> lock(turn, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(20)))
    if (run.should_stop()) return;
  run_cbc_main(model, arguments);
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
  const double gap = std::max({limits.absolute_gap, limits.relative_gap * size, kCutoffIncrement});
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

IntegerAnswer without_search(const RelaxationAnswer& root, const Incumbent& start) {
  IntegerAnswer answer;
  answer.iterations = root.iterations;
  answer.objective = start.objective;
  answer.values = start.values;
  answer.status = start.known() ? LinearStatus::Feasible : LinearStatus::Unknown;
  if (root.status == LinearStatus::Optimal) {
    answer.status = LinearStatus::Optimal;
    answer.objective = answer.bound = root.objective;
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
  ClpSimplex simplex(root);
  simplex.passInMessageHandler(&silence);
  pad_tiny_model(simplex);
  StopsCbcSimplex stops(&run);
  simplex.passInEventHandler(&stops);
  OsiClpSolverInterface solver(&simplex);
  solver.passInMessageHandler(&silence);
  mark_integers(solver, model);

  CbcModel cbc(solver);
  cbc.passInMessageHandler(&silence);
  cbc.setApplicationData(&run);
  WatchesCbc watch(&run);
  cbc.passInEventHandler(&watch);
  run_cbc_in_turn(cbc, arguments_of(limits, cutoff_of(limits, start)), run);

  Incumbent best = start;
  if (run.best.objective < std::min(best.objective, limits.cutoff)) best = run.best;
  if (cbc.bestSolution() != nullptr) {
    const Incumbent found =
        incumbent_from(model, {cbc.bestSolution(), cbc.bestSolution() + model.columns.size()});
    if (found.objective < std::min(best.objective, limits.cutoff)) best = found;
  }
  return answer_of(cbc, run, limits, best);
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
    if (root.status != LinearStatus::Optimal || !any_integer) return without_search(root, known);

    CbcRun run{.stop = &stop, .callbacks = &callbacks, .model = &model, .start = &known};
    run.progress = {.incumbent = known.objective, .bound = root.objective, .nodes = 0};
    run.report();
    return search(model, limits, known, run, relaxation.simplex());
  }
};

}  // namespace

Result<std::unique_ptr<LinearBackend>> open_cbc() {
  return std::unique_ptr<LinearBackend>(std::make_unique<CbcBackend>());
}

}  // namespace poet
