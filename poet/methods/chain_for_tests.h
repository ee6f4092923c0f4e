#pragma once

#include <cstdint>
#include <string>

#include "poet/problem/problem.h"

namespace poet::testing {

// A chain of `length` forward operations and as many backward ones: forward operation b makes xb
// from x(b-1), backward operation b makes gb from g(b+1), x(b-1) and xb. Every tensor has
// `size_bytes`, every operation takes 1 s and 1 J, a transfer 2 of each. Operation v is forward for
// v < length; tensor v is its output, and tensor `length` + b that of backward operation
// `length` - 1 - b.
inline Problem chain(std::int32_t length, std::int64_t size_bytes) {
  Problem problem;
  problem.name = "chain";
  problem.time_mode = TimeMode::Free;
  problem.ram_budget_bytes = std::int64_t{1} << 40;
  for (std::int32_t v = 0; v < 2 * length; ++v) {
    const bool backward = v >= length;
    const std::int32_t b = backward ? 2 * length - 1 - v : v;
    Tensor tensor{.name = (backward ? "g" : "x") + std::to_string(b), .size_bytes = size_bytes};
    tensor.page_in_j = tensor.page_out_j = tensor.page_in_s = tensor.page_out_s = 2;
    problem.tensors.push_back(tensor);
    Operation operation{.name = (backward ? "backward_" : "forward_") + std::to_string(b),
                        .outputs = {TensorId{v}},
                        .compute_j = 1,
                        .compute_s = 1,
                        .backward = backward};
    if (b > 0) operation.inputs.push_back(TensorId{b - 1});
    if (backward) operation.inputs.push_back(TensorId{b});
    if (backward && b + 1 < length) operation.inputs.push_back(TensorId{v - 1});
    problem.operations.push_back(operation);
  }
  return problem;
}

}  // namespace poet::testing
