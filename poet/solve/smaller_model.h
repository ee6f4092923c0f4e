#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/base/stop.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/linear_model.h"

namespace poet {

// A model without what does not need a solver: columns that bounds or single rows fix, and rows
// that cannot bind. Every step is one that leaves all solutions as they are, so that no doubt about
// a backend's preprocessing arises.
struct SmallerModel {
  LinearModel linear = {};
  double constant_cost = 0;  // of the columns that were fixed
  bool infeasible = false;   // seen without a solver
  // Per column of the whole model: its place in the smaller one, or its value.
  std::vector<std::optional<std::int32_t>> places = {};
  std::vector<double> fixed = {};

  // A solution of the whole model from one of the smaller.
  std::vector<double> whole(const std::vector<double>& values) const;
};

// Solves the smaller model; objective, bound and values are those of the whole. `limits.cutoff` and
// what the callbacks see are without constant_cost.
IntegerAnswer solve_smaller(const SmallerModel& model, const LinearBackend& backend,
                            const IntegerLimits& limits, const Stop& stop,
                            const IntegerCallbacks& callbacks);

// A model of which no column is left has a solution without values.
inline bool has_values(const IntegerAnswer& answer) {
  return answer.status == LinearStatus::Optimal || answer.status == LinearStatus::Feasible;
}

SmallerModel make_smaller(const LinearModel& model);
// The model as it is, in the same form.
SmallerModel unchanged(const LinearModel& model);

}  // namespace poet
