// Relaxations by Clp that grow and keep their basis (docs/model/numbers.md §1.1 and §1.4).
#include "poet/solve/cbc_relaxation.h"

#include <ClpEventHandler.hpp>
#include <ClpSolve.hpp>
#include <algorithm>
#include <cmath>

#include "poet/solve/library_abort.h"
#include "poet/solve/simplex_effort.h"
#include "poet/solve/sum_rounding.h"

namespace poet {
namespace {

// What a relaxation's values may break a row by, relative to the size of its terms.
constexpr double kAcceptedViolation = 1e-6;

double coin_bound(double bound) {
  if (bound == kInfinity) return COIN_DBL_MAX;
  if (bound == -kInfinity) return -COIN_DBL_MAX;
  return bound;
}

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

// Counts what a simplex run does, and ends it between two iterations once the caller wants to stop.
class StopsSimplex final : public ClpEventHandler {
 public:
  StopsSimplex(const Stop* stop, double units_per_event)
      : stop_(stop), units_per_event_(units_per_event) {}
  int event(Event) override {
    stop_->count(units_per_event_);
    return stop_->requested() ? 0 : -1;
  }
  ClpEventHandler* clone() const override { return new StopsSimplex(*this); }

 private:
  const Stop* stop_;
  double units_per_event_;
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

// Whether a sum of rows with these weights holds for no values of the columns within their bounds:
// what the simplex method leaves as its reason to call a model infeasible. In our own arithmetic: a
// scaled model may be called infeasible for what its tolerances hide.
bool hold_for_no_values(const ClpSimplex& simplex, const std::vector<double>& weights) {
  double least = 0, most = 0, sizes = 0;
  for (int row = 0; row < simplex.numberRows(); ++row) {
    if (weights[row] == 0) continue;
    const double side = weights[row] > 0 ? simplex.rowLower()[row] : simplex.rowUpper()[row];
    if (std::abs(side) >= COIN_DBL_MAX) return false;
    least += weights[row] * side;
    sizes += std::abs(weights[row] * side);
  }
  const CoinPackedMatrix& matrix = *simplex.matrix();
  for (int column = 0; column < simplex.numberColumns(); ++column) {
    double coefficient = 0;
    const CoinBigIndex begin = matrix.getVectorStarts()[column];
    for (CoinBigIndex at = begin; at < begin + matrix.getVectorLengths()[column]; ++at) {
      const double term = weights[matrix.getIndices()[at]] * matrix.getElements()[at];
      coefficient += term;
      sizes += std::abs(term);
    }
    if (coefficient == 0) continue;
    const double end =
        coefficient > 0 ? simplex.columnUpper()[column] : simplex.columnLower()[column];
    if (std::abs(end) >= COIN_DBL_MAX) return false;
    most += coefficient * end;
    sizes += std::abs(coefficient * end);
  }
  return most < least - kSumRounding * sizes;
}

// Whether a row by itself holds for no values of the columns within their bounds.
bool some_row_never_holds(const ClpSimplex& simplex) {
  const auto rows = static_cast<std::size_t>(simplex.numberRows());
  std::vector<double> least(rows, 0.0), most(rows, 0.0), sizes(rows, 0.0);
  const CoinPackedMatrix& matrix = *simplex.matrix();
  for (int column = 0; column < simplex.numberColumns(); ++column) {
    const CoinBigIndex begin = matrix.getVectorStarts()[column];
    for (CoinBigIndex at = begin; at < begin + matrix.getVectorLengths()[column]; ++at) {
      const double one = matrix.getElements()[at] * simplex.columnLower()[column];
      const double other = matrix.getElements()[at] * simplex.columnUpper()[column];
      const int row = matrix.getIndices()[at];
      least[row] += std::min(one, other);
      most[row] += std::max(one, other);
      sizes[row] += std::max(std::abs(one), std::abs(other));
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const double margin = kSumRounding * sizes[row];
    if (most[row] < simplex.rowLower()[row] - margin ||
        least[row] > simplex.rowUpper()[row] + margin)
      return true;
  }
  return false;
}

BasisStatus status_from(ClpSimplex::Status status) {
  if (status == ClpSimplex::basic) return BasisStatus::Basic;
  return status == ClpSimplex::atUpperBound ? BasisStatus::AtUpper : BasisStatus::AtLower;
}

ClpSimplex::Status status_to(BasisStatus status) {
  if (status == BasisStatus::Basic) return ClpSimplex::basic;
  return status == BasisStatus::AtUpper ? ClpSimplex::atUpperBound : ClpSimplex::atLowerBound;
}

}  // namespace

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

ClpRelaxation::ClpRelaxation(const LinearModel& model) {
  simplex_->passInMessageHandler(&silence_);
  simplex_->setLogLevel(0);
  simplex_->resize(0, 0);
  add_columns_to(*simplex_, model.columns, {});
  add_rows_to(*simplex_, model.rows);
}

void ClpRelaxation::add_columns(const std::vector<LinearColumn>& columns,
                                const std::vector<std::vector<RowEntry>>& entries) {
  if (!simplex_) return;
  add_columns_to(*simplex_, columns, entries);
}

void ClpRelaxation::add_rows(const std::vector<LinearRow>& rows) {
  if (!simplex_) return;
  add_rows_to(*simplex_, rows);
}

void ClpRelaxation::set_column_bounds(std::int32_t column, double lower, double upper) {
  if (!simplex_) return;
  simplex_->setColumnBounds(column, coin_bound(lower), coin_bound(upper));
}

Basis ClpRelaxation::basis() const {
  Basis basis;
  if (!simplex_ || !simplex_->statusExists()) return basis;
  for (int column = 0; column < simplex_->numberColumns(); ++column)
    basis.columns.push_back(status_from(simplex_->getColumnStatus(column)));
  for (int row = 0; row < simplex_->numberRows(); ++row)
    basis.rows.push_back(status_from(simplex_->getRowStatus(row)));
  return basis;
}

void ClpRelaxation::set_basis(const Basis& basis) {
  if (!simplex_) return;
  simplex_->createStatus();
  for (int column = 0; column < simplex_->numberColumns(); ++column)
    simplex_->setColumnStatus(column, status_to(basis.columns[column]));
  for (int row = 0; row < simplex_->numberRows(); ++row)
    simplex_->setRowStatus(row, status_to(basis.rows[row]));
  warm_ = true;
}

RelaxationAnswer ClpRelaxation::solve(const Stop& stop) {
  if (!simplex_) return {};
  if (simplex_->numberColumns() == 0) return answer_without_columns();
  StopsSimplex stops(&stop, units_per_iteration(simplex_->numberRows(), simplex_->numberColumns(),
                                                simplex_->matrix()->getNumElements()));
  simplex_->passInEventHandler(&stops);
  iterations_ = 0;
  if (!survives_abort([&] { run(stop); })) {
    static_cast<void>(simplex_.release());
    return {};
  }
  const RelaxationAnswer answer = read_answer();
  ClpEventHandler none;
  simplex_->passInEventHandler(&none);
  return answer;
}

void ClpRelaxation::run(const Stop& stop) {
  run_warm();
  settled_ = is_settled();
  if (!settled_ && !stop.requested()) run_from_scratch(stop);
}

// Clp's status: 0 optimal, 1 primal infeasible, 2 dual infeasible, 3 limit, 4 errors, 5 event.
// Infeasible is a proof to those who asked, so it must be one.
bool ClpRelaxation::is_settled() const {
  if (simplex_->status() == 0) return worst_violation(*simplex_) <= kAcceptedViolation;
  if (simplex_->status() == 1) return is_proved_infeasible();
  return simplex_->status() == 2;
}

// By Clp's reason, if it has one, by the prices of its last basis, or by one row.
bool ClpRelaxation::is_proved_infeasible() const {
  const auto rows = static_cast<std::size_t>(simplex_->numberRows());
  const auto holds_for_none = [this](std::vector<double> weights) {
    if (hold_for_no_values(*simplex_, weights)) return true;
    for (double& weight : weights) weight = -weight;
    return hold_for_no_values(*simplex_, weights);
  };
  const std::unique_ptr<double[]> ray(simplex_->infeasibilityRay());
  if (ray && holds_for_none({ray.get(), ray.get() + rows})) return true;
  const double* prices = simplex_->dualRowSolution();
  return holds_for_none({prices, prices + rows}) || some_row_never_holds(*simplex_);
}

// Clp does not survive a model without columns.
RelaxationAnswer ClpRelaxation::answer_without_columns() const {
  RelaxationAnswer answer;
  answer.status = LinearStatus::Optimal;
  answer.row_duals.assign(simplex_->numberRows(), 0.0);
  for (int row = 0; row < simplex_->numberRows(); ++row)
    if (simplex_->rowLower()[row] > 0 || simplex_->rowUpper()[row] < 0)
      answer.status = LinearStatus::Infeasible;
  return answer;
}

void ClpRelaxation::run_warm() {
  if (warm_)
    simplex_->dual();
  else
    run_first();
  iterations_ += simplex_->numberIterations();
  tidy();
  warm_ = true;
}

void ClpRelaxation::run_first() {
  ClpSolve method;
  method.setSolveType(ClpSolve::useDual);
  method.setPresolveType(ClpSolve::presolveOn);
  method.setSpecialOption(2, 1);  // Ctrl-C is the program's: Clp would take it meanwhile
  simplex_->initialSolve(method);
}

// Dual simplex calls a model dual infeasible without having looked for a feasible point, and an
// optimum of the scaled model may be a little off in the model itself: primal simplex settles
// both.
void ClpRelaxation::tidy() {
  const bool off_after_scaling = simplex_->status() == 0 && simplex_->secondaryStatus() >= 2 &&
                                 simplex_->secondaryStatus() <= 4;
  if (simplex_->status() != 2 && !off_after_scaling) return;
  simplex_->primal(1);
  iterations_ += simplex_->numberIterations();
}

// Other opinions, until one can be believed: by each method, and without scaling. What is
// infeasible is proved by the dual one.
void ClpRelaxation::run_from_scratch(const Stop& stop) {
  const int scaling = simplex_->scalingFlag();
  const bool begin_primal = simplex_->status() != 1;
  for (const int scaled_by : {scaling, 0})
    for (const bool primal : {begin_primal, !begin_primal}) {
      if (settled_ || stop.requested()) break;
      simplex_->scaling(scaled_by);
      simplex_->allSlackBasis(true);
      static_cast<void>(primal ? simplex_->primal() : simplex_->dual());
      iterations_ += simplex_->numberIterations();
      settled_ = is_settled();
    }
  simplex_->scaling(scaling);
}

RelaxationAnswer ClpRelaxation::read_answer() const {
  RelaxationAnswer answer;
  answer.iterations = iterations_;
  if (!settled_) return answer;
  if (simplex_->status() == 1) answer.status = LinearStatus::Infeasible;
  if (simplex_->status() == 2) answer.status = LinearStatus::Unbounded;
  if (simplex_->status() != 0) return answer;
  answer.status = LinearStatus::Optimal;
  answer.objective = simplex_->objectiveValue();
  const double* values = simplex_->primalColumnSolution();
  answer.values.assign(values, values + simplex_->numberColumns());
  const double* duals = simplex_->dualRowSolution();
  answer.row_duals.assign(duals, duals + simplex_->numberRows());
  return answer;
}

}  // namespace poet
