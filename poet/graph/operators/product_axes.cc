#include <algorithm>

#include "poet/graph/operators/axes.h"

// Products of matrices: rows and columns, the matrices themselves, and the dimension that is
// summed.

namespace poet {

// The summed dimensions before the last two, then the inner one; rows and columns first.
Axes product_axes(const OperationTypes& types) {
  const MatMulAttributes& attributes = std::get<MatMulAttributes>(types.attributes);
  const Shape& a = types.inputs[0].shape;
  const Shape& b = types.inputs[1].shape;
  const Shape& y = types.outputs[0].shape;
  const std::size_t rank = std::max(a.size(), b.size());
  const Shape matrix(y.end() - 2, y.end());
  Axes axes;
  const auto add_output = [&](std::size_t which, std::size_t input, std::size_t own) {
    PartAxis axis = axis_of(types, matrix[which]);
    axis.inputs[input] = dimension(own);
    axis.outputs[0] = dimension(y.size() - 2 + which);
    if (types.inputs.size() == 3)
      axis.inputs[2] = broadcast_dimension(types.inputs[2].shape, which, 2);
    axes.push_back(std::move(axis));
  };
  add_output(0, 0, a.size() - (attributes.transpose_a ? 1 : 2));
  add_output(1, 1, b.size() - (attributes.transpose_b ? 2 : 1));
  // Matrices, each of its own or summed.
  const auto extent_of = [&](const Shape& shape, std::size_t d) {
    return shape.size() + d < rank ? 1 : shape[shape.size() + d - rank];
  };
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    const std::int64_t extent = std::max(extent_of(a, d), extent_of(b, d));
    if (extent == 1) continue;
    const std::optional<Follows> kept = broadcast_dimension(y, d, rank);
    PartAxis axis = axis_of(types, extent, kept ? AxisKind::Independent : AxisKind::Continued);
    axis.inputs[0] = broadcast_dimension(a, d, rank);
    axis.inputs[1] = broadcast_dimension(b, d, rank);
    axis.outputs[0] = kept;
    axes.push_back(std::move(axis));
  }
  const std::size_t a_inner = a.size() - (attributes.transpose_a ? 2 : 1);
  PartAxis inner = axis_of(types, a[a_inner], AxisKind::Continued);
  inner.inputs[0] = dimension(a_inner);
  inner.inputs[1] = dimension(b.size() - (attributes.transpose_b ? 1 : 2));
  axes.push_back(std::move(inner));
  return axes;
}

PartOperation product_part(const OperationTypes& types, const Axes& axes,
                           const std::vector<Range>& ranges) {
  MatMulAttributes product = std::get<MatMulAttributes>(types.attributes);
  if (product.sum_to) {
    product.sum_to = extents_of(part_region(types.outputs[0].shape, axes, ranges, false, 0));
    product.sum_to->resize(product.sum_to->size() - 2);
  }
  return on_all_inputs(types, std::move(product));
}

}  // namespace poet
