#pragma once

#include "poet/base/result.h"
#include "poet/problem/certificate.h"
#include "poet/verify/proof_step.h"

namespace poet {

// The bound that the multipliers of a walk prove (docs/formats/certificate.md), in the unit of the
// objective: no schedule of the class has less. Refuses, in one sentence that names the place, what
// does not speak of this problem.
Result<double> bound_of(const ProofStep& step, const WalkProof& proof);

}  // namespace poet
