#include "poet/model/composer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace poet {

TensorId Composer::add(Operator kind, Attributes attributes, std::vector<TensorId> inputs) {
  const std::vector<TensorId> outputs = add_all(kind, std::move(attributes), std::move(inputs));
  return outputs.empty() ? TensorId{} : outputs.front();
}

TensorId Composer::scalar(float value) {
  return filled({}, value);
}

TensorId Composer::filled(const Shape& shape, float value) {
  return known(Constant{{ElementType::Float32, shape}, FilledWith{value}},
               fmt::format("{}", value));
}

const TensorType& Composer::type_of(TensorId tensor) {
  static const TensorType kScalar;
  return failed() ? kScalar : at(model().graph.tensors, tensor).type;
}

TensorId Composer::reshaped(TensorId x, Shape shape) {
  if (failed() || shape_of(x) == shape) return x;
  return add(Operator::Reshape, ShapeAttributes{std::move(shape)}, {x});
}

TensorId Composer::transposed(TensorId x, std::vector<std::int64_t> permutation) {
  if (std::is_sorted(permutation.begin(), permutation.end())) return x;
  return add(Operator::Transpose, TransposeAttributes{std::move(permutation)}, {x});
}

TensorId Composer::sliced(TensorId x, std::size_t axis, std::int64_t start, std::int64_t extent,
                          std::int64_t step) {
  if (failed()) return x;
  const Shape shape = shape_of(x);
  if (extent == shape[axis]) return x;
  SliceAttributes slice{.start = std::vector<std::int64_t>(shape.size(), 0),
                        .step = std::vector<std::int64_t>(shape.size(), 1),
                        .extent = shape};
  slice.start[axis] = start;
  slice.extent[axis] = extent;
  if (extent > 1) slice.step[axis] = step;
  return add(Operator::Slice, slice, {x});
}

TensorId Composer::repeated(TensorId x, std::size_t axis, std::int64_t times) {
  if (failed()) return x;
  Shape shape = shape_of(x);
  const auto behind = shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1;
  const std::int64_t places = value_count({shape.begin(), behind});
  const std::int64_t inner = value_count({behind, shape.end()});
  const TensorId apart = reshaped(x, {places, 1, inner});
  const TensorId expanded = add(Operator::Expand, ShapeAttributes{{places, times, inner}}, {apart});
  shape[axis] *= times;
  return failed() ? x : reshaped(expanded, shape);
}

}  // namespace poet
