#include "poet/graph/operators/picks.h"

#include <fmt/format.h>

#include "poet/graph/operators/families.h"

namespace poet {

std::int64_t picked_bytes(const OperationTypes& types) {
  return size_bytes(types.inputs[1]) + 2 * size_bytes(types.outputs[0]);
}

std::int64_t picked_gradient_flop(const OperationTypes& types) {
  return value_count(types.inputs[1].shape);
}

OperatorEntry pick_entry(const PickRow& row,
                         Result<std::vector<TensorType>> (*output_types)(const OperationTypes&),
                         std::vector<GradientPart> (*gradient)(const OperationTypes&),
                         const OnnxName& onnx) {
  return {.id = row.id,
          .name = row.name,
          .least_inputs = 2,
          .most_inputs = 2,
          .roles = row.roles,
          .output_types = output_types,
          .flop = no_flop,
          .moved_bytes = picked_bytes,
          .gradient = gradient,
          .kernel = row.kernel,
          .divides = row.divides,
          .parts = row.parts,
          .domain = row.domain,
          .onnx = onnx};
}

OperatorEntry pick_gradient_entry(const PickRow& row) {
  return {.id = row.id,
          .name = row.name,
          .least_inputs = 2,
          .most_inputs = 2,
          .roles = row.roles,
          .output_types = nullptr,
          .flop = picked_gradient_flop,
          .gradient = nullptr,
          .kernel = row.kernel,
          .divides = row.divides,
          .parts = row.parts,
          .domain = row.domain,
          .onnx = kNotInOnnx};
}

Failure check_elements(const TensorType& x, const TensorType& indices, std::int64_t axis) {
  if (indices.element != ElementType::Int32 && indices.element != ElementType::Int64)
    return bad_input("the indices must be int32 or int64, not " + to_text(indices));
  if (axis < 0 || axis >= rank_of(x))
    return bad_input(fmt::format("axis {} is out of range for {}", axis, to_text(x)));
  Shape fitting = x.shape;
  const auto at = static_cast<std::size_t>(axis);
  if (rank_of(indices) == rank_of(x)) fitting[at] = indices.shape[at];
  if (indices.shape != fitting)
    return bad_input(fmt::format("the indices {} must have the extents of {} but along axis {}",
                                 to_text(indices), to_text(x), axis));
  return std::nullopt;
}

std::vector<KernelWord> elements_words(const TensorType& x, const TensorType& indices,
                                       std::int64_t axis) {
  const auto at = x.shape.begin() + axis;
  return KernelWords()
      .integer("element_bytes", byte_size(x.element))
      .integer("index_bytes", byte_size(indices.element))
      .integer("outer", value_count({x.shape.begin(), at}))
      .integer("axis", *at)
      .integer("inner", value_count({at + 1, x.shape.end()}))
      .integer("count", indices.shape[static_cast<std::size_t>(axis)])
      .take();
}

Division elements_along_outer(const KernelCall& call, std::string_view inputs,
                              std::string_view outputs) {
  const std::int64_t inner = whole_in(call, "inner");
  const auto step = [&](char role) {
    const std::int64_t bytes = whole_in(call, role == 'i' ? "index_bytes" : "element_bytes");
    return bytes * inner * whole_in(call, role == 'x' ? "axis" : "count");
  };
  Division division{.along = "outer"};
  for (const char role : inputs) division.input_steps_bytes.push_back(step(role));
  for (const char role : outputs) division.output_steps_bytes.push_back(step(role));
  return division;
}

}  // namespace poet
