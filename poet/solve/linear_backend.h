#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/solve/linear_model.h"

namespace poet {

// What came out of a linear or integer program. Running out of time is an answer, not an error.
enum class LinearStatus {
  Optimal,     // proved by the backend, within the tolerances asked for
  Feasible,    // stopped by a limit with a solution in hand; `bound` holds
  Infeasible,  // proved by the backend
  Unbounded,
  Unknown,  // stopped by a limit without a solution, or numerical trouble; `bound` holds
};

// The linear relaxation (integer columns taken as continuous).
struct RelaxationAnswer {
  LinearStatus status = LinearStatus::Unknown;
  double objective = 0;             // set when Optimal
  std::vector<double> values = {};  // one per column, when Optimal
  std::vector<double>
      row_duals;  // one per row, when Optimal: change of the objective per unit of right-hand side
  std::int64_t iterations = 0;  // simplex iterations, as counted by the backend
};

struct IntegerLimits {
  double relative_gap = 0;  // of the objective as the model states it
  double absolute_gap = 0;
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();
  std::uint64_t seed = 1;
  int threads = 1;
  // Whether the backend looks for solutions beside its search. In small programs that is most of
  // the time.
  bool heuristics = true;
  // Solutions at or above this are of no interest (an incumbent's objective); infinity when there
  // is none.
  double cutoff = kInfinity;
};

struct IntegerProgress {
  double incumbent = kInfinity;
  double bound = -kInfinity;
  std::int64_t nodes = 0;
};

struct IntegerAnswer {
  LinearStatus status = LinearStatus::Unknown;
  double objective = kInfinity;  // of `values`, as the backend says; kInfinity without a solution
  double bound =
      -kInfinity;  // no solution is better than this; with a cutoff: none below min(bound, cutoff)
  std::vector<double> values = {};  // empty without a solution
  std::int64_t nodes = 0;
  std::int64_t iterations = 0;
};

struct IntegerCallbacks {
  std::function<void(const IntegerProgress&)> progress;  // may be empty
  std::function<void(double, const std::vector<double>&)>
      incumbent;  // objective and values; may be empty
};

// Where the simplex method left each column and row: a start for a similar model.
enum class BasisStatus : std::uint8_t { AtLower, AtUpper, Basic };
struct Basis {
  std::vector<BasisStatus> columns = {};
  std::vector<BasisStatus> rows = {};

  bool operator==(const Basis&) const = default;
};

// A linear relaxation that is solved again and again while rows and columns are added: backends
// that can keep their basis. Deleting is by building anew.
class Relaxation {
 public:
  virtual ~Relaxation() = default;
  // `columns` and `rows` go behind those there are. Each new row may name any column. A new column
  // enters old rows through `entries`: (row, coefficient) pairs, one list per new column; may be
  // empty for none.
  struct RowEntry {
    std::int32_t row = 0;
    double coefficient = 0;
  };
  virtual void add_columns(const std::vector<LinearColumn>& columns,
                           const std::vector<std::vector<RowEntry>>& entries) = 0;
  virtual void add_rows(const std::vector<LinearRow>& rows) = 0;
  virtual void set_column_bounds(std::int32_t column, double lower, double upper) = 0;
  virtual RelaxationAnswer solve(const Stop& stop) = 0;
  // After an Optimal answer; empty where the backend does not tell.
  virtual Basis basis() const { return {}; }
  // A hint for the next solve: one status per column and row. It need not be a basis; where it is
  // not, the backend mends it.
  virtual void set_basis(const Basis&) {}
};

// A library that solves linear and integer programs. Stateless; answers are deterministic for the
// same input, seed and node limit. A backend's word is not evidence: callers round, rebuild and
// verify.
class LinearBackend {
 public:
  virtual ~LinearBackend() = default;
  virtual std::string_view name() const = 0;  // "cbc", "highs", "gurobi"
  virtual std::string version() const = 0;
  virtual std::unique_ptr<Relaxation> relax(const LinearModel& model) const = 0;
  // `start` is a full solution to begin with, or empty.
  virtual IntegerAnswer solve(const LinearModel& model, const IntegerLimits& limits,
                              const std::vector<double>& start, const Stop& stop,
                              const IntegerCallbacks& callbacks) const = 0;
};

// One row per backend the project knows, in the order in which the default is chosen.
struct BackendEntry {
  std::string_view name = {};
  std::string_view what = {};  // one line for help texts
  // The backend, or one sentence saying why it is not available here (library not found, no
  // licence). Libraries that are loaded at run time are looked for in `directories`, in that order,
  // and then where the system's loader looks.
  Result<std::unique_ptr<LinearBackend>> (*open)(const std::vector<std::string>& directories);
};
const std::vector<BackendEntry>& backend_table();

// The backend of that name; an Error for a name that is not in the table, or as BackendEntry::open
// says.
Result<std::unique_ptr<LinearBackend>> open_backend(
    std::string_view name, const std::vector<std::string>& directories = {});

}  // namespace poet
