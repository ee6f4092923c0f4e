// What a backend's tolerances may hide (docs/model/numbers.md §1.6).
#include "poet/solve/backend_margin.h"

#include <algorithm>
#include <cmath>

#include "poet/solve/search_state.h"

namespace poet {

double backend_margin(const LinearModel& model) {
  // Of an overhead of 1,000: what 500 columns hide within a dual tolerance of 1e-9. Of a column:
  // half of what a tolerance of 1e-9 for whole numbers hides. Both are half of
  // SolveOptions::rounding_ratio.
  constexpr double kHidden = 5e-10;
  double dearest = kOverheadUnits;
  for (const LinearColumn& column : model.columns)
    dearest = std::max(dearest, std::abs(column.cost));
  return kHidden * dearest;
}

}  // namespace poet
