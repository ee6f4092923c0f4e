#pragma once

#include "poet/base/result.h"
#include "poet/exact/certificate.h"
#include "poet/exact/number.h"
#include "poet/exact/step.h"

namespace poet::exact {

// The bound that the multipliers of a walk prove, exactly (docs/model/bounds.md §1.3). Refuses, in
// one sentence that names the place, what does not speak of this step.
Result<Number> bound_of(const Step& step, const WalkPart& part);

}  // namespace poet::exact
