#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "poet/base/ids.h"
#include "poet/base/result.h"
#include "poet/graph/graph.h"
#include "poet/graph/tensor_type.h"
#include "poet/kernels/kernel_set.h"

namespace poet {

// A tensor with its values: dense, row-major, in the byte order of this machine.
struct TensorValue {
  TensorType type = {};
  std::vector<std::byte> bytes = {};  // size_bytes(type)

  bool operator==(const TensorValue&) const = default;
};

// The same without owning the values.
struct TensorView {
  TensorType type = {};
  std::span<const std::byte> bytes = {};
};

inline TensorView view_of(const TensorValue& value) {
  return {value.type, value.bytes};
}

// As many values as the shape has.
TensorValue float_tensor(const Shape& shape, const std::vector<float>& values);
TensorValue int64_tensor(const Shape& shape, const std::vector<std::int64_t>& values);

// Of a Float32 tensor.
std::vector<float> floats_of(const TensorValue& value);

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
