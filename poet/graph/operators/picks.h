#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "poet/graph/operator_table.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"

namespace poet {

// What the operators have in common that pick values of x by indices, y = pick(x, indices), and
// their gradients, which add each value of dy where it was picked, dx = add(indices, dy):
// gather.cc, gather_elements.cc, gather_nd.cc.

// Of x only what is picked is read.
std::int64_t picked_bytes(const OperationTypes& types);

// One addition for each value of dy.
std::int64_t picked_gradient_flop(const OperationTypes& types);

// The gradient of the row whose gradient `kind` is.
template <Operator kind>
std::vector<GradientPart> picked_gradient(const OperationTypes& types) {
  return {{.kind = kind,
           .attributes = types.attributes,
           .operands = {ForwardInput{1}, OutputGradient{0}},
           .of_inputs = {0}}};
}

// Where the indices are, and what they stay below: extent(types, x, indices).
template <auto extent>
std::optional<std::int64_t> picked_extent(const OperationTypes& types, std::size_t position) {
  if (position != 1) return std::nullopt;
  return extent(types, types.inputs[0], types.inputs[1]);
}
template <auto extent>
std::optional<std::int64_t> picked_gradient_extent(const OperationTypes& types,
                                                   std::size_t position) {
  if (position != 0) return std::nullopt;
  return extent(types, types.outputs[0], types.inputs[0]);
}

// What each of them says for itself, in one of its two rows.
struct PickRow {
  Stated<Operator> id;
  Stated<std::string_view> name;
  Stated<InputRoles> roles;
  Stated<KernelCall (*)(const OperationTypes& types)> kernel;
  Stated<Division (*)(const KernelCall& call)> divides;
  Stated<InParts> parts;
  Stated<InputDomain> domain;
};

// The row of y.
OperatorEntry pick_entry(const PickRow& row,
                         Result<std::vector<TensorType>> (*output_types)(const OperationTypes&),
                         std::vector<GradientPart> (*gradient)(const OperationTypes&),
                         const OnnxName& onnx);

// The row of dx.
OperatorEntry pick_gradient_entry(const PickRow& row);

// What the operators have in common whose indices have the dimensions of what they pick or place:
// gather_elements.cc, scatter.cc.

// Nothing when `indices` are whole numbers with the extents of x but along the axis.
Failure check_elements(const TensorType& x, const TensorType& indices, std::int64_t axis);

// poet_elements_shape (poet/runtime/gather_elements.h).
std::vector<KernelWord> elements_words(const TensorType& x, const TensorType& indices,
                                       std::int64_t axis);

// Along the dimensions before the axis. What each pointer is, in the call's order: 'x' has the
// extents of x, 'i' those of the indices, and are these, and 'p' is picked or placed.
Division elements_along_outer(const KernelCall& call, std::string_view inputs,
                              std::string_view outputs);

}  // namespace poet
