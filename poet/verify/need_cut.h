#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/problem/certificate.h"
#include "poet/verify/proof_step.h"

namespace poet {

// One term of a cover inequality from later needs: weight * (comings of the tensor in the stages
// after the cut's and up to `until`).
struct NeedTerm {
  std::int32_t tensor = 0;
  std::int32_t until = 0;
  double weight = 0;
};

// The terms of the inequality "sum >= 1" that a cut's definition gives. `name` is what a message
// calls it.
Result<std::vector<NeedTerm>> terms_of(const ProofStep& step, const NeedCut& cut,
                                       const std::string& name);

}  // namespace poet
