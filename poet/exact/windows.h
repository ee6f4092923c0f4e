#pragma once

#include "poet/base/result.h"
#include "poet/exact/certificate.h"
#include "poet/exact/number.h"
#include "poet/exact/step.h"
#include "poet/exact/window_rows.h"

namespace poet::exact {

// The bound that the tree of cases of a window part proves, exactly (docs/model/certificates.md
// §3). Refuses, in one sentence that names the place, what does not speak of this step or is no
// tree.
Result<Number> bound_of(const Step& step, const WindowPart& part);

// The mixed-integer rounding of `sum` (docs/model/certificates.md §3.2): columns marked in
// `complemented` are counted from their upper end, all is divided by `divisor` > 0, and rounded.
// Coefficients then go down to multiples of 2^-kCutBits.
Inequality rounded(const Inequality& sum, const std::vector<Column>& columns,
                   const std::vector<bool>& complemented, const Number& divisor);

}  // namespace poet::exact
