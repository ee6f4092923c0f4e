#pragma once

#include <map>
#include <vector>

#include "poet/base/ids.h"
#include "poet/base/result.h"
#include "poet/graph/graph.h"
#include "poet/kernels/kernel_set.h"
#include "poet/kernels/tensor_value.h"

namespace poet {

// The values of `wanted`, in that order, made by the graph's operations from the values of `given`.
// Only what they need is executed, in the graph's order, each operation once and into memory of its
// own: an update leaves the old value as it is. A tensor that is made leaves memory after its last
// use. A made tensor may be given too, and is not made then.
//
// With plain_kernels() this is the plainest execution there is: others are compared with it.
// Refuses a graph that check_graph() refuses, a needed tensor without a value, and a value of
// another type or size than its tensor.
Result<std::vector<TensorValue>> evaluate(const Graph& graph,
                                          const std::map<TensorId, TensorView>& given,
                                          const std::vector<TensorId>& wanted,
                                          const KernelSet& kernels = plain_kernels());

}  // namespace poet
