#pragma once

#include <map>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/kernels/evaluate.h"
#include "poet/model/model.h"

namespace poet::testing {

// A model's outputs by its own initial values, with the reference kernels.
Result<std::vector<TensorValue>> run_forward(const Model& model,
                                             const std::map<std::string, TensorView>& inputs);

}  // namespace poet::testing
