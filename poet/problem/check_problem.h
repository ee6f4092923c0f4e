#pragma once

#include <optional>
#include <string>

#include "poet/base/ids.h"
#include "poet/problem/problem.h"

namespace poet {

// The first rule that a problem breaks (check_problem), and the piece that breaks it: a reader that
// knows where the pieces stand in a file can point there. Neither is set when it is the problem as
// a whole.
struct ProblemFault {
  std::string message;
  std::optional<OperationId> operation;
  std::optional<TensorId> tensor;
};

std::optional<ProblemFault> first_fault(const Problem& problem);

}  // namespace poet
