#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/problem/window_names.h"
#include "poet/solve/event_model.h"
#include "poet/solve/event_set.h"
#include "poet/solve/linear_model.h"
#include "poet/solve/step.h"

namespace poet {

// Where the window model looks closely. Keys are stages; between two keys lies a window: the stages
// after the one up to and with the other. `crowded` are re-executions (t, k) whose own need of RAM
// counts as well; t and t - 1 must be keys, others say nothing.
struct WindowKeys {
  std::vector<std::int32_t> stages = {};  // ascending
  std::vector<Event> crowded = {};

  bool operator==(const WindowKeys&) const = default;
};

// A relaxation of the whole problem, over every event of the class and every order of
// re-executions: RAM is counted at the keys only, and within a window it matters whether an
// operation runs again or a tensor is read, not when or how often. What is absent at a key and
// needed in the window must come in it, whole, and what makes it needs its inputs there or coming:
// the knapsack behind a schedule, which the event model's relaxation pays for in fractions.
//
//   s[c,w]  chain c is in RAM at the key that begins window w
//   z[k,w]  operation k runs again in window w
//   y[c,w]  chain c is read from storage in window w
//   o[c]    chain c is stored;  r[c]  chain c is resident
struct WindowModel {
  LinearModel linear = {};
  WindowKeys keys = {};
  // Columns, per window and chain or operation.
  std::vector<std::vector<std::optional<std::int32_t>>> present = {};
  std::vector<std::vector<std::optional<std::int32_t>>> made = {};
  std::vector<std::vector<std::optional<std::int32_t>>> read = {};
  std::vector<std::optional<std::int32_t>> stored = {};
  std::vector<std::optional<std::int32_t>> resident = {};
  std::optional<std::int32_t> budget = {};  // RAM, in `byte_unit`s, where that is the objective
  double byte_unit = 1;
  double cost_unit = 1;
  double constant_cost = 0;  // beyond Step::once_cost and beyond the columns, in cost units
  // What certificates call the rows and columns, with EventObjective::Cost. A row is stated as its
  // scale times the inequality in bytes, seconds or ones.
  std::vector<WindowRowName> row_names = {};
  std::vector<double> row_scales = {};
  std::vector<WindowColumnName> column_names = {};

  // How many z there are.
  std::int64_t reexecutions() const;
  std::int32_t windows() const { return static_cast<std::int32_t>(keys.stages.size()) + 1; }
};

struct WindowModelOptions {
  double cost_unit = 1;          // the model states costs in units of this
  double most_cost = kInfinity;  // as in EventModelOptions
  // With EventObjective::RamBudget nothing but RAM costs, and the step's own budget is ignored.
  EventObjective objective = EventObjective::Cost;
  bool reachable_sums = false;  // rows on bytes are lowered (reachable_rows.h)
  bool margins = false;  // rows on budgets are widened, for a backend to solve (budget_margin.h)
};

WindowModel make_window_model(const Step& step, WindowKeys keys,
                              const WindowModelOptions& options = {});

}  // namespace poet
