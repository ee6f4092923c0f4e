#pragma once

#include <vector>

#include "poet/base/result.h"
#include "poet/problem/certificate.h"
#include "poet/verify/proof_step.h"
#include "poet/verify/window_rows.h"

namespace poet {

// The mixed-integer rounding of `sum` <= : the columns marked in `complemented` are counted from
// their upper end, 1, then all is divided by `divisor`, and with f the fraction of the right-hand
// side a whole column's coefficient a becomes floor(a) + max(0, frac(a) - f) / (1 - f), another's
// min(0, a) / (1 - f). Right-hand sides are raised by what doubles may have lost on the way. An
// Error where there is nothing to round.
Result<ProofInequality> rounded(const ProofInequality& sum, const std::vector<ProofColumn>& columns,
                                const std::vector<bool>& complemented, double divisor);

// The sum of inequalities, each with its weight; right-hand side raised likewise. One term per
// column, ascending.
struct WeightedInequality {
  const ProofInequality* inequality = nullptr;
  double weight = 0;
};
ProofInequality sum_of(const std::vector<WeightedInequality>& parts, std::size_t columns);

// The bound that a window model's tree of cases proves (docs/formats/certificate.md), in the unit
// of the objective: no schedule of the class has less. Refuses, in one sentence that names the
// place, what does not speak of this problem or is no tree.
Result<double> bound_of(const ProofStep& step, const WindowProof& proof);

}  // namespace poet
