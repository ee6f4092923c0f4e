#include "poet/graph/operators/picked_words.h"

#include <fmt/format.h>

namespace poet {

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
