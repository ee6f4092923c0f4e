#pragma once

#include <map>
#include <string>

#include "networks/network_golden.h"
#include "poet/base/result.h"
#include "poet/kernels/evaluate.h"

namespace poet::testing {

// What one training step of ours gives.
struct NetworkStep {
  double loss = 0;
  std::map<std::string, TensorValue> gradients = {};  // by the parameter's name
};

// Copies the golden's model into `folder`, writes its weights beside it, imports it from there, and
// executes its training step with the reference kernels.
Result<NetworkStep> take_step(const NetworkGolden& golden, const std::string& folder);

}  // namespace poet::testing
