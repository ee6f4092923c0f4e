// Linear and integer programs by Gurobi, where it is installed (docs/model/numbers.md §1.1).
#include "poet/solve/backends.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "poet/solve/gurobi_api.h"
#include "poet/solve/incumbent.h"

namespace poet {
namespace {

using gurobi::Api;

constexpr double kUnitsPerWork = 1e9;  // Stop::count, for a unit of Gurobi's

// The tightest that Gurobi takes.
constexpr double kTolerance = 1e-9;

double gurobi_bound(double bound) {
  return std::clamp(bound, -gurobi::kInfinity, gurobi::kInfinity);
}

double from_gurobi(double value) {
  if (value >= gurobi::kInfinity) return kInfinity;
  if (value <= -gurobi::kInfinity) return -kInfinity;
  return value;
}

// One started environment. Making models from it is not safe from several threads at once: `making`
// is held meanwhile.
struct Session {
  Api api = {};
  gurobi::Env* env = nullptr;
  std::mutex making = {};

  explicit Session(const Api& functions) : api(functions) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (env) api.freeenv(env);
  }
};

// How integer columns are taken.
enum class Kinds { AsStated, Continuous };

// The constraints that state one LinearRow: none for a free row, two for a range, else one. Ranges
// are not stated as such, because Gurobi adds a column for each.
struct RowPlace {
  int first = 0;
  int count = 0;
};

struct Constraints {
  std::vector<int> begin = {};
  std::vector<int> columns = {};
  std::vector<double> coefficients = {};
  std::vector<char> senses = {};
  std::vector<double> sides = {};

  int count() const { return static_cast<int>(senses.size()); }

  void add(const LinearRow& row, char sense, double side) {
    begin.push_back(static_cast<int>(columns.size()));
    for (const LinearTerm& term : row.terms) {
      columns.push_back(term.column);
      coefficients.push_back(term.coefficient);
    }
    senses.push_back(sense);
    sides.push_back(side);
  }

  void add(const LinearRow& row) {
    if (row.lower == row.upper) return add(row, '=', row.lower);
    if (row.lower > -kInfinity) add(row, '>', row.lower);
    if (row.upper < kInfinity) add(row, '<', row.upper);
  }
};

// A model inside Gurobi. The first error of any call is kept, and nothing is called after it.
class GurobiModel {
 public:
  GurobiModel(Session& session, const LinearModel& model, Kinds kinds)
      : api_(session.api), kinds_(kinds) {
    {
      const std::lock_guard<std::mutex> lock(session.making);
      note(api_.newmodel(session.env, &model_, "poet", 0, nullptr, nullptr, nullptr, nullptr,
                         nullptr));
    }
    add_columns(model.columns, {});
    add_rows(model.rows);
  }
  GurobiModel(const GurobiModel&) = delete;
  GurobiModel& operator=(const GurobiModel&) = delete;
  ~GurobiModel() {
    if (model_) api_.freemodel(model_);
  }

  bool failed() const { return error_ != 0; }
  int columns() const { return columns_; }
  const std::vector<RowPlace>& rows() const { return rows_; }
  int constraints() const { return constraints_; }

  void add_columns(const std::vector<LinearColumn>& columns,
                   const std::vector<std::vector<Relaxation::RowEntry>>& entries) {
    if (failed() || columns.empty()) return;
    std::vector<int> begin, rows;
    std::vector<double> coefficients, cost, lower, upper;
    std::vector<char> kind;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      begin.push_back(static_cast<int>(rows.size()));
      if (j < entries.size()) place_entries(entries[j], rows, coefficients);
      cost.push_back(columns[j].cost);
      lower.push_back(gurobi_bound(columns[j].lower));
      upper.push_back(gurobi_bound(columns[j].upper));
      const bool integer = kinds_ == Kinds::AsStated && columns[j].kind == ColumnKind::Integer;
      kind.push_back(integer ? 'I' : 'C');
    }
    const int count = static_cast<int>(columns.size());
    note(api_.addvars(model_, count, static_cast<int>(rows.size()), begin.data(), rows.data(),
                      coefficients.data(), cost.data(), lower.data(), upper.data(), kind.data(),
                      nullptr));
    update();
    columns_ += count;
  }

  void add_rows(const std::vector<LinearRow>& rows) {
    if (failed() || rows.empty()) return;
    Constraints added;
    for (const LinearRow& row : rows) {
      const int before = added.count();
      added.add(row);
      rows_.push_back({constraints_ + before, added.count() - before});
    }
    if (added.count() > 0) {
      note(api_.addconstrs(model_, added.count(), static_cast<int>(added.columns.size()),
                           added.begin.data(), added.columns.data(), added.coefficients.data(),
                           added.senses.data(), added.sides.data(), nullptr));
      update();
    }
    constraints_ += added.count();
  }

  void set_bounds(int column, double lower, double upper) {
    if (!failed()) note(api_.setdblattrelement(model_, "LB", column, gurobi_bound(lower)));
    if (!failed()) note(api_.setdblattrelement(model_, "UB", column, gurobi_bound(upper)));
  }

  void set(const char* parameter, int value) {
    if (!failed()) note(api_.setintparam(api_.getenv(model_), parameter, value));
  }
  void set(const char* parameter, double value) {
    if (!failed()) note(api_.setdblparam(api_.getenv(model_), parameter, value));
  }

  // From here on the run ends when it has done so much, and tells how much that was: in Gurobi's
  // own measure, where a unit is about a second. Versions before 9.5 know neither.
  void limit_effort(const Stop& stop) {
    const double left = (stop.effort_limit - stop.counted()) / kUnitsPerWork;
    if (!failed() && std::isfinite(left))
      static_cast<void>(api_.setdblparam(api_.getenv(model_), "WorkLimit", std::max(0.0, left)));
  }
  void count_effort(const Stop& stop) { stop.count(kUnitsPerWork * number("Work", 0)); }

  void set_start(std::vector<double> values) {
    if (!failed() && !values.empty())
      note(api_.setdblattrarray(model_, "Start", 0, columns_, values.data()));
  }

  void set_callback(gurobi::Callback* callback, void* user_data) {
    if (!failed()) note(api_.setcallbackfunc(model_, callback, user_data));
  }

  // The status of a run; 0 after an error. Presolve may leave open whether a model is infeasible or
  // unbounded: then once more without the reductions that do.
  int optimize() {
    if (!failed()) note(api_.optimize(model_));
    if (integer("Status") != gurobi::status::kInfeasibleOrUnbounded) return integer("Status");
    set("DualReductions", 0);
    if (!failed()) note(api_.resetmodel(model_, 0));
    if (!failed()) note(api_.optimize(model_));
    return integer("Status");
  }

  int integer(const char* attribute) {
    int value = 0;
    if (!failed()) note(api_.getintattr(model_, attribute, &value));
    return failed() ? 0 : value;
  }

  // Attributes that a run may not have (a bound, a count): `otherwise` then, which is no error.
  double number(const char* attribute, double otherwise) {
    double value = otherwise;
    if (failed() || api_.getdblattr(model_, attribute, &value) != 0) return otherwise;
    return value;
  }

  std::vector<double> numbers(const char* attribute, int length) {
    std::vector<double> values(length, 0.0);
    if (!failed() && length > 0)
      note(api_.getdblattrarray(model_, attribute, 0, length, values.data()));
    return values;
  }

 private:
  void note(int error) {
    if (error_ == 0) error_ = error;
  }

  void update() {
    if (!failed()) note(api_.updatemodel(model_));
  }

  void place_entries(const std::vector<Relaxation::RowEntry>& entries, std::vector<int>& rows,
                     std::vector<double>& coefficients) const {
    for (const Relaxation::RowEntry& entry : entries) {
      const RowPlace place = rows_[entry.row];
      for (int i = 0; i < place.count; ++i) {
        rows.push_back(place.first + i);
        coefficients.push_back(entry.coefficient);
      }
    }
  }

  const Api& api_;
  Kinds kinds_;
  gurobi::Model* model_ = nullptr;
  int error_ = 0;
  int columns_ = 0;
  int constraints_ = 0;
  std::vector<RowPlace> rows_ = {};
};

// What Gurobi's callback sees of a run.
struct GurobiRun {
  const Api* api = nullptr;
  const Stop* stop = nullptr;
  const IntegerCallbacks* callbacks = nullptr;
  const LinearModel* model = nullptr;
  IntegerProgress progress = {};

  double get(void* data, int where, int what, double otherwise) const {
    double value = otherwise;
    return api->cbget(data, where, what, &value) == 0 ? from_gurobi(value) : otherwise;
  }

  void report(void* data) {
    using namespace gurobi::callback;
    progress.incumbent =
        std::min(progress.incumbent, get(data, kMip, kMipBest, progress.incumbent));
    progress.bound = std::max(progress.bound, get(data, kMip, kMipBound, progress.bound));
    progress.nodes = static_cast<std::int64_t>(get(data, kMip, kMipNodes, 0));
    if (callbacks->progress) callbacks->progress(progress);
  }

  void tell_incumbent(void* data) {
    using namespace gurobi::callback;
    std::vector<double> values(model->columns.size());
    if (api->cbget(data, kMipSolution, kMipSolutionValues, values.data()) != 0) return;
    const Incumbent found = incumbent_from(*model, std::move(values));
    if (!found.known() || found.objective >= progress.incumbent) return;
    progress.incumbent = found.objective;
    if (callbacks->incumbent) callbacks->incumbent(found.objective, found.values);
    if (callbacks->progress) callbacks->progress(progress);
  }
};

int on_event(gurobi::Model* model, void* data, int where, void* user_data) {
  GurobiRun& run = *static_cast<GurobiRun*>(user_data);
  if (run.stop->requested()) run.api->terminate(model);
  if (run.callbacks && where == gurobi::callback::kMip) run.report(data);
  if (run.callbacks && where == gurobi::callback::kMipSolution) run.tell_incumbent(data);
  return 0;
}

class GurobiRelaxation final : public Relaxation {
 public:
  GurobiRelaxation(std::shared_ptr<Session> session, const LinearModel& model)
      : session_(std::move(session)), model_(*session_, model, Kinds::Continuous) {
    model_.set("Threads", 1);
    model_.set("Method", 1);  // dual simplex, which goes on from the last basis
    model_.set("FeasibilityTol", kTolerance);
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
    RelaxationAnswer answer;
    if (stop.requested()) return answer;
    GurobiRun run{.api = &session_->api, .stop = &stop};
    model_.set_callback(on_event, &run);
    model_.limit_effort(stop);
    const int status = model_.optimize();
    model_.count_effort(stop);
    answer.iterations = static_cast<std::int64_t>(model_.number("IterCount", 0));
    if (status == gurobi::status::kInfeasible) answer.status = LinearStatus::Infeasible;
    if (status == gurobi::status::kUnbounded) answer.status = LinearStatus::Unbounded;
    if (status == gurobi::status::kOptimal) read_optimum(answer);
    model_.set_callback(nullptr, nullptr);
    return answer;
  }

 private:
  void read_optimum(RelaxationAnswer& answer) {
    answer.values = model_.numbers("X", model_.columns());
    answer.objective = model_.number("ObjVal", 0);
    const std::vector<double> duals = model_.numbers("Pi", model_.constraints());
    if (model_.failed()) {
      answer.values.clear();
      return;
    }
    for (const RowPlace place : model_.rows()) {
      answer.row_duals.push_back(0);
      for (int i = 0; i < place.count; ++i) answer.row_duals.back() += duals[place.first + i];
    }
    answer.status = LinearStatus::Optimal;
  }

  std::shared_ptr<Session> session_;
  GurobiModel model_;
};

void set_limits(GurobiModel& model, const IntegerLimits& limits) {
  constexpr std::uint64_t kSeeds = 2'000'000'000;
  model.set("Threads", std::max(1, limits.threads));
  model.set("Seed", static_cast<int>(limits.seed % kSeeds));
  model.set("MIPGap", limits.relative_gap);
  model.set("MIPGapAbs", limits.absolute_gap);
  if (!limits.heuristics) model.set("Heuristics", 0.0);
  model.set("IntFeasTol", kTolerance);
  model.set("FeasibilityTol", kTolerance);
  if (limits.max_nodes < std::numeric_limits<std::int64_t>::max())
    model.set("NodeLimit", static_cast<double>(limits.max_nodes));
  if (limits.cutoff < kInfinity) model.set("Cutoff", limits.cutoff);
}

// What is known after a run, put together from Gurobi's status and the solutions in hand.
struct Outcome {
  int status = 0;         // 0 after an error or when nothing ran
  bool known = false;     // a solution is in hand
  bool rejected = false;  // Gurobi's own solution did not stand our check
  bool cut_off = false;   // solutions at or above a cut-off were of no interest
};

LinearStatus status_from(const Outcome& outcome) {
  using namespace gurobi::status;
  if (outcome.status == kUnbounded) return LinearStatus::Unbounded;
  const bool none_better = outcome.status == kCutoff ||
                           (outcome.status == kOptimal && !outcome.rejected) ||
                           (outcome.status == kInfeasible && (outcome.cut_off || !outcome.known));
  if (none_better) return outcome.known ? LinearStatus::Optimal : LinearStatus::Infeasible;
  return outcome.known ? LinearStatus::Feasible : LinearStatus::Unknown;
}

double bound_of(GurobiModel& model, const Outcome& outcome, LinearStatus status, double objective) {
  if (status == LinearStatus::Unbounded) return -kInfinity;
  if (status == LinearStatus::Infeasible) return kInfinity;
  if (status == LinearStatus::Optimal && outcome.status != gurobi::status::kOptimal)
    return objective;
  // Gurobi states no bound for a linear program.
  const double otherwise =
      status == LinearStatus::Optimal && model.integer("IsMIP") == 0 ? objective : -kInfinity;
  return std::min(from_gurobi(model.number("ObjBound", otherwise)), objective);
}

IntegerAnswer read_answer(GurobiModel& model, int status, const LinearModel& stated,
                          const IntegerLimits& limits, Incumbent best) {
  Outcome outcome{.status = status, .cut_off = limits.cutoff < kInfinity};
  if (model.integer("SolCount") > 0) {
    Incumbent found = incumbent_from(stated, model.numbers("X", model.columns()));
    outcome.rejected = !found.known();
    if (found.objective < std::min(best.objective, limits.cutoff)) best = std::move(found);
  }
  outcome.known = best.known();
  if (model.failed()) outcome.status = 0;

  IntegerAnswer answer;
  answer.status = status_from(outcome);
  answer.objective = best.objective;
  answer.values = best.values;
  answer.bound = bound_of(model, outcome, answer.status, answer.objective);
  answer.nodes = static_cast<std::int64_t>(model.number("NodeCount", 0));
  answer.iterations = static_cast<std::int64_t>(model.number("IterCount", 0));
  return answer;
}

class GurobiBackend final : public LinearBackend {
 public:
  explicit GurobiBackend(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  std::string_view name() const override { return "gurobi"; }

  std::string version() const override {
    int major = 0, minor = 0, technical = 0;
    session_->api.version(&major, &minor, &technical);
    return fmt::format("{}.{}.{}", major, minor, technical);
  }

  std::unique_ptr<Relaxation> relax(const LinearModel& model) const override {
    return std::make_unique<GurobiRelaxation>(session_, model);
  }

  IntegerAnswer solve(const LinearModel& stated, const IntegerLimits& limits,
                      const std::vector<double>& start, const Stop& stop,
                      const IntegerCallbacks& callbacks) const override {
    Incumbent known = incumbent_from(stated, start);
    GurobiModel model(*session_, stated, Kinds::AsStated);
    set_limits(model, limits);
    model.set_start(known.values);
    GurobiRun run{.api = &session_->api, .stop = &stop, .callbacks = &callbacks, .model = &stated};
    run.progress.incumbent = known.objective;
    model.set_callback(on_event, &run);
    model.limit_effort(stop);
    const int status = stop.requested() ? 0 : model.optimize();
    model.count_effort(stop);
    return read_answer(model, status, stated, limits, std::move(known));
  }

 private:
  std::shared_ptr<Session> session_;
};

int make_env(Session& session) {
  const Api& api = session.api;
  if (api.emptyenv) return api.emptyenv(&session.env);
  int major = 0, minor = 0, technical = 0;
  api.version(&major, &minor, &technical);
  return api.emptyenvinternal(&session.env, major, minor, technical);
}

Error cannot_start(const Session& session, int code) {
  const char* said = session.env ? session.api.geterrormsg(session.env) : nullptr;
  const std::string what = code == gurobi::kErrorNoLicense
                               ? "Gurobi is installed but has no licence"
                               : fmt::format("Gurobi cannot be started (error {})", code);
  return {.code = ErrorCode::Unsupported, .message = said && *said ? what + ": " + said : what};
}

}  // namespace

Result<std::unique_ptr<LinearBackend>> open_gurobi(const std::vector<std::string>& directories) {
  const Result<Api> api = gurobi::load_api(directories);
  if (!api.ok()) return api.error();
  auto session = std::make_shared<Session>(*api);
  int code = make_env(*session);
  // Silence first: starting prints the licence.
  if (code == 0) code = session->api.setintparam(session->env, "OutputFlag", 0);
  if (code == 0) code = session->api.startenv(session->env);
  if (code != 0) return cannot_start(*session, code);
  return std::unique_ptr<LinearBackend>(std::make_unique<GurobiBackend>(std::move(session)));
}

}  // namespace poet
