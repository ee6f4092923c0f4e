#pragma once

#include <optional>

#include "poet/ask/plan_instance.h"

namespace poet {

// What follows from an answer by subtraction and division (docs/model/problem.md §2.5). A bound is
// in the unit of the objective; a gap speaks of the objective.
struct Figures {
  std::optional<double> lower_bound_j;  // objective energy; nothing is known when empty
  std::optional<double> lower_bound_s;  // objective time
  std::optional<double> overhead_j;     // the rest needs a schedule
  std::optional<double> overhead_s;
  std::optional<double> gap;           // (objective - bound) / objective; needs a bound too
  std::optional<double> overhead_gap;  // (objective - bound) / overhead
  // What the certificate proves of the bound; the rest is the word of the search.
  std::optional<double> certified_bound;         // needs a certificate that holds
  std::optional<double> certified_overhead_gap;  // as overhead_gap, of the certified bound
};
Figures figures_of(const PlanReport& report);

}  // namespace poet
