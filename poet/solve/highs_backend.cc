// Linear and integer programs by HiGHS, where it is installed (docs/model/numbers.md §1.1).
#include "poet/solve/backends.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "poet/solve/highs_api.h"
#include "poet/solve/incumbent.h"
#include "poet/solve/simplex_effort.h"

namespace poet {
namespace {

using highs::Api;

constexpr double kTolerance = 1e-9;

// Terms of rows or columns in compressed form. HiGHS takes IEEE infinity for no bound.
struct Packed {
  std::vector<double> lower = {};
  std::vector<double> upper = {};
  std::vector<int> begin = {};
  std::vector<int> index = {};
  std::vector<double> coefficient = {};

  int count() const { return static_cast<int>(lower.size()); }
  int terms() const { return static_cast<int>(index.size()); }
  void open(double low, double high) {
    lower.push_back(low);
    upper.push_back(high);
    begin.push_back(terms());
  }
  void add(int at, double value) {
    if (value == 0) return;
    index.push_back(at);
    coefficient.push_back(value);
  }
};

Packed packed_rows(const std::vector<LinearRow>& rows) {
  Packed packed;
  for (const LinearRow& row : rows) {
    packed.open(row.lower, row.upper);
    for (const LinearTerm& term : row.terms) packed.add(term.column, term.coefficient);
  }
  return packed;
}

std::vector<double> costs_of(const std::vector<LinearColumn>& columns) {
  std::vector<double> costs;
  for (const LinearColumn& column : columns) costs.push_back(column.cost);
  return costs;
}

// How integer columns are taken.
enum class Kinds { AsStated, Continuous };

// A model inside HiGHS. The first error of any call is kept, and nothing is called after it.
class HighsModel {
 public:
  explicit HighsModel(const Api& api) : api_(api), highs_(api.create()) {
    set_flag("output_flag", false);
    set("parallel", "off");
    set("primal_feasibility_tolerance", kTolerance);
  }
  HighsModel(const HighsModel&) = delete;
  HighsModel& operator=(const HighsModel&) = delete;
  ~HighsModel() { api_.destroy(highs_); }

  bool failed() const { return failed_; }

  double units_per_iteration() const { return poet::units_per_iteration(rows_, columns_, terms_); }

  void pass(const LinearModel& model, Kinds kinds) {
    const Packed rows = packed_rows(model.rows);
    const std::vector<double> cost = costs_of(model.columns);
    std::vector<double> lower, upper;
    std::vector<int> kind;
    for (const LinearColumn& column : model.columns) {
      lower.push_back(column.lower);
      upper.push_back(column.upper);
      kind.push_back(column.kind == ColumnKind::Integer ? highs::kInteger : highs::kContinuous);
    }
    columns_ = static_cast<int>(cost.size());
    rows_ = rows.count();
    terms_ = rows.terms();
    if (failed_) return;
    if (kinds == Kinds::AsStated)
      note(api_.passMip(highs_, columns_, rows_, rows.terms(), highs::kRowwise, highs::kMinimize, 0,
                        cost.data(), lower.data(), upper.data(), rows.lower.data(),
                        rows.upper.data(), rows.begin.data(), rows.index.data(),
                        rows.coefficient.data(), kind.data()));
    else
      note(api_.passLp(highs_, columns_, rows_, rows.terms(), highs::kRowwise, highs::kMinimize, 0,
                       cost.data(), lower.data(), upper.data(), rows.lower.data(),
                       rows.upper.data(), rows.begin.data(), rows.index.data(),
                       rows.coefficient.data()));
  }

  void add_columns(const std::vector<LinearColumn>& columns,
                   const std::vector<std::vector<Relaxation::RowEntry>>& entries) {
    Packed packed;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      packed.open(columns[j].lower, columns[j].upper);
      if (j >= entries.size()) continue;
      for (const Relaxation::RowEntry& entry : entries[j]) packed.add(entry.row, entry.coefficient);
    }
    columns_ += packed.count();
    terms_ += packed.terms();
    if (!failed_ && packed.count() > 0)
      note(api_.addCols(highs_, packed.count(), costs_of(columns).data(), packed.lower.data(),
                        packed.upper.data(), packed.terms(), packed.begin.data(),
                        packed.index.data(), packed.coefficient.data()));
  }

  void add_rows(const std::vector<LinearRow>& rows) {
    const Packed packed = packed_rows(rows);
    rows_ += packed.count();
    terms_ += packed.terms();
    if (!failed_ && packed.count() > 0)
      note(api_.addRows(highs_, packed.count(), packed.lower.data(), packed.upper.data(),
                        packed.terms(), packed.begin.data(), packed.index.data(),
                        packed.coefficient.data()));
  }

  void set_bounds(int column, double lower, double upper) {
    if (!failed_) note(api_.changeColBounds(highs_, column, lower, upper));
  }

  void set_flag(const char* option, bool value) {
    if (!failed_) note(api_.setBoolOptionValue(highs_, option, value ? 1 : 0));
  }
  void set(const char* option, int value) {
    if (!failed_) note(api_.setIntOptionValue(highs_, option, value));
  }
  void set(const char* option, double value) {
    if (!failed_) note(api_.setDoubleOptionValue(highs_, option, value));
  }
  void set(const char* option, const char* value) {
    if (!failed_) note(api_.setStringOptionValue(highs_, option, value));
  }

  void set_start(const std::vector<double>& values) {
    if (!failed_ && !values.empty())
      note(api_.setSolution(highs_, values.data(), nullptr, nullptr, nullptr));
  }

  void set_callback(highs::Callback* callback, void* user_data, const std::vector<int>& types) {
    if (!failed_) note(api_.setCallback(highs_, callback, user_data));
    for (const int type : types)
      if (!failed_) note(api_.startCallback(highs_, type));
  }

  // The status of a run; 0 after an error. Presolve may leave open whether a model is infeasible or
  // unbounded: then once more without it.
  int run() {
    int status = run_once();
    if (status != highs::model_status::kUnboundedOrInfeasible) return status;
    set("presolve", "off");
    status = run_once();
    set("presolve", "choose");
    return status;
  }

  double number(const char* info, double otherwise) const {
    double value = otherwise;
    if (failed_ || api_.getDoubleInfoValue(highs_, info, &value) == highs::kError) return otherwise;
    return value;
  }
  int integer(const char* info) const {
    int value = 0;
    if (failed_ || api_.getIntInfoValue(highs_, info, &value) == highs::kError) return 0;
    return value;
  }
  std::int64_t count(const char* info) const {
    std::int64_t value = 0;
    if (failed_ || api_.getInt64InfoValue(highs_, info, &value) == highs::kError) return 0;
    return std::max<std::int64_t>(0, value);
  }

  struct Solution {
    std::vector<double> values = {};
    std::vector<double> row_duals = {};
  };
  Solution solution() {
    Solution solution{.values = std::vector<double>(columns_, 0.0),
                      .row_duals = std::vector<double>(rows_, 0.0)};
    std::vector<double> column_duals(columns_, 0.0), row_values(rows_, 0.0);
    if (!failed_)
      note(api_.getSolution(highs_, solution.values.data(), column_duals.data(), row_values.data(),
                            solution.row_duals.data()));
    return solution;
  }

 private:
  // Warnings (1) are not errors.
  void note(int status) { failed_ = failed_ || status == highs::kError; }

  int run_once() {
    if (!failed_) note(api_.run(highs_));
    return failed_ ? 0 : api_.getModelStatus(highs_);
  }

  const Api& api_;
  void* highs_;
  bool failed_ = false;
  int columns_ = 0;
  int rows_ = 0;
  int terms_ = 0;
};

// What the callback of HiGHS sees of a run.
struct HighsRun {
  const Api* api = nullptr;
  const Stop* stop = nullptr;
  const IntegerCallbacks* callbacks = nullptr;
  const LinearModel* model = nullptr;
  double units_per_call = 0;  // of the callback, which HiGHS makes at an iteration or a node
  IntegerProgress progress = {};

  template <typename T>
  const T* item(const highs::CallbackOut* out, const char* name) const {
    return static_cast<const T*>(api->getCallbackDataOutItem(out, name));
  }

  void report(const highs::CallbackOut* out) {
    if (const double* value = item<double>(out, "mip_primal_bound"))
      progress.incumbent = std::min(progress.incumbent, *value);
    if (const double* value = item<double>(out, "mip_dual_bound"))
      progress.bound = std::max(progress.bound, *value);
    if (const std::int64_t* value = item<std::int64_t>(out, "mip_node_count"))
      progress.nodes = *value;
    if (callbacks->progress) callbacks->progress(progress);
  }

  void tell_incumbent(const highs::CallbackOut* out) {
    const double* values = item<double>(out, "mip_solution");
    if (values == nullptr || !callbacks->incumbent) return;
    const Incumbent found = incumbent_from(*model, {values, values + model->columns.size()});
    if (found.known()) callbacks->incumbent(found.objective, found.values);
  }
};

void on_event(int type, const char*, const highs::CallbackOut* out, highs::CallbackIn* in,
              void* user_data) {
  using namespace highs::callback;
  HighsRun& run = *static_cast<HighsRun*>(user_data);
  const bool may_stop = type == kSimplexInterrupt || type == kIpmInterrupt || type == kMipInterrupt;
  if (may_stop) run.stop->count(run.units_per_call);
  if (may_stop && in != nullptr) in->user_interrupt = run.stop->requested() ? 1 : 0;
  if (run.callbacks == nullptr) return;  // a relaxation
  if (type == kMipImprovingSolution) run.tell_incumbent(out);
  if (type == kMipImprovingSolution || type == kMipLogging) run.report(out);
}

class HighsRelaxation final : public Relaxation {
 public:
  HighsRelaxation(const Api& api, const LinearModel& model) : api_(api), model_(api_) {
    model_.pass(model, Kinds::Continuous);
  }

  void add_columns(const std::vector<LinearColumn>& columns,
                   const std::vector<std::vector<RowEntry>>& entries) override {
    model_.add_columns(columns, entries);
  }
  void add_rows(const std::vector<LinearRow>& rows) override { model_.add_rows(rows); }
  void set_column_bounds(std::int32_t column, double lower, double upper) override {
    model_.set_bounds(column, lower, upper);
  }

  RelaxationAnswer solve(const Stop& stop) override {
    using namespace highs::model_status;
    RelaxationAnswer answer;
    if (stop.requested()) return answer;
    HighsRun run{.api = &api_, .stop = &stop, .units_per_call = model_.units_per_iteration()};
    model_.set_callback(on_event, &run, {highs::callback::kSimplexInterrupt});
    const int status = model_.run();
    answer.iterations = std::max(0, model_.integer("simplex_iteration_count"));
    if (status == kInfeasible) answer.status = LinearStatus::Infeasible;
    if (status == kUnbounded) answer.status = LinearStatus::Unbounded;
    if (status == kOptimal || status == kModelEmpty) read_optimum(answer);
    model_.set_callback(nullptr, nullptr, {});
    return answer;
  }

 private:
  void read_optimum(RelaxationAnswer& answer) {
    HighsModel::Solution solution = model_.solution();
    if (model_.failed()) return;
    answer.status = LinearStatus::Optimal;
    answer.objective = model_.number("objective_function_value", 0);
    answer.values = std::move(solution.values);
    answer.row_duals = std::move(solution.row_duals);
  }

  const Api api_;
  HighsModel model_;
};

void set_limits(HighsModel& model, const IntegerLimits& limits) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  // How many threads there are is fixed for the whole process by the first run, so "threads" is
  // left alone: asking for another number later is an error.
  if (limits.threads > 1) model.set("parallel", "choose");
  model.set("random_seed", static_cast<int>(limits.seed % kMost));
  model.set("mip_rel_gap", limits.relative_gap);
  model.set("mip_abs_gap", limits.absolute_gap);
  model.set("mip_feasibility_tolerance", kTolerance);
  if (!limits.heuristics) model.set("mip_heuristic_effort", 0.0);
  model.set("mip_max_nodes", static_cast<int>(std::min(limits.max_nodes, kMost)));
}

// What is known after a run, put together from the status of HiGHS and the solutions in hand.
// HiGHS has no cut-off for integer programs: its optimum at or above one means none is below.
struct Outcome {
  int status = 0;         // 0 after an error or when nothing ran
  bool known = false;     // a solution worth having is in hand
  bool rejected = false;  // the solution of HiGHS did not stand our check
};

LinearStatus status_from(const Outcome& outcome) {
  using namespace highs::model_status;
  if (outcome.status == kUnbounded) return LinearStatus::Unbounded;
  const bool optimal =
      (outcome.status == kOptimal || outcome.status == kModelEmpty) && !outcome.rejected;
  if (optimal) return outcome.known ? LinearStatus::Optimal : LinearStatus::Infeasible;
  if (outcome.known) return LinearStatus::Feasible;
  return outcome.status == kInfeasible ? LinearStatus::Infeasible : LinearStatus::Unknown;
}

double bound_of(const HighsModel& model, LinearStatus status, bool search, double objective) {
  if (status == LinearStatus::Unbounded) return -kInfinity;
  if (status == LinearStatus::Infeasible) return kInfinity;
  if (status == LinearStatus::Optimal && !search) return objective;
  return std::min(model.number("mip_dual_bound", -kInfinity), objective);
}

IntegerAnswer read_answer(HighsModel& model, int status, const LinearModel& stated,
                          const IntegerLimits& limits, Incumbent best) {
  const bool search =
      std::any_of(stated.columns.begin(), stated.columns.end(),
                  [](const LinearColumn& column) { return column.kind == ColumnKind::Integer; });
  Outcome outcome{.status = status};
  const bool has_solution = status == highs::model_status::kModelEmpty ||
                            model.integer("primal_solution_status") == highs::kSolutionFeasible;
  if (status != 0 && has_solution) {
    Incumbent found = incumbent_from(stated, model.solution().values);
    outcome.rejected = !found.known();
    if (found.objective < std::min(best.objective, limits.cutoff)) best = std::move(found);
  }
  outcome.known = best.known();

  IntegerAnswer answer;
  answer.status = status_from(outcome);
  answer.objective = best.objective;
  answer.values = best.values;
  answer.bound = bound_of(model, answer.status, search, answer.objective);
  answer.nodes = model.count("mip_node_count");
  answer.iterations = std::max(0, model.integer("simplex_iteration_count"));
  return answer;
}

class HighsBackend final : public LinearBackend {
 public:
  explicit HighsBackend(const Api& api) : api_(api) {}

  std::string_view name() const override { return "highs"; }
  std::string version() const override { return api_.version(); }

  std::unique_ptr<Relaxation> relax(const LinearModel& model) const override {
    return std::make_unique<HighsRelaxation>(api_, model);
  }

  IntegerAnswer solve(const LinearModel& stated, const IntegerLimits& limits,
                      const std::vector<double>& start, const Stop& stop,
                      const IntegerCallbacks& callbacks) const override {
    using namespace highs::callback;
    Incumbent known = incumbent_from(stated, start);
    HighsModel model(api_);
    set_limits(model, limits);
    model.pass(stated, Kinds::AsStated);
    model.set_start(known.values);
    HighsRun run{.api = &api_,
                 .stop = &stop,
                 .callbacks = &callbacks,
                 .model = &stated,
                 .units_per_call = model.units_per_iteration()};
    run.progress.incumbent = known.objective;
    model.set_callback(on_event, &run,
                       {kSimplexInterrupt, kMipImprovingSolution, kMipLogging, kMipInterrupt});
    const int status = stop.requested() ? 0 : model.run();
    return read_answer(model, status, stated, limits, std::move(known));
  }

 private:
  Api api_;
};

// The adapter declares HighsInt as int; builds with 64-bit indices are another interface.
bool has_small_indices(const Api& api) {
  void* highs = api.create();
  const int size = api.getSizeofHighsInt(highs);
  api.destroy(highs);
  return size == static_cast<int>(sizeof(int));
}

}  // namespace

Result<std::unique_ptr<LinearBackend>> open_highs(const std::vector<std::string>& directories) {
  const Result<highs::Api> api = highs::load_api(directories);
  if (!api.ok()) return api.error();
  if (!has_small_indices(*api))
    return Error{.code = ErrorCode::Unsupported,
                 .message =
                     "this HiGHS library is built with 64-bit indices; one with 32-bit "
                     "indices is needed"};
  return std::unique_ptr<LinearBackend>(std::make_unique<HighsBackend>(*api));
}

}  // namespace poet
