#pragma once

#include <string>
#include <vector>

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/model/weight_values.h"

namespace poet {

// For whoever computes with the values that a network of a question begins with, and does not only
// plan: looks at those that were published, once names and shapes are known to be the network's.
// Refuses what check_values() refuses of them, and adapters that were learnt beside other weights
// than the network would have. The notes say what a user should know of the beginning.
Result<std::vector<std::string>> check_beginning(const Question& question, NonFinite non_finite);

}  // namespace poet
