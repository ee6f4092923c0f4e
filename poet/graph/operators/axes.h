#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "poet/graph/operator.h"
#include "poet/graph/part_axes.h"

namespace poet {

// Along what operations can be cut (poet/graph/part_axes.h): what their axes are made of, and the
// axes and parts of each kind of operation, which the rows of operators name.

using Axes = std::vector<PartAxis>;

// An axis that nothing follows yet.
PartAxis axis_of(const OperationTypes& types, std::int64_t extent,
                 AxisKind kind = AxisKind::Independent);

// Dimension d, value by value.
Follows dimension(std::size_t d);

// The dimension of an operand that is broadcast along dimension d of a shape of `rank`; none where
// it has one value there.
std::optional<Follows> broadcast_dimension(const Shape& operand, std::size_t d, std::size_t rank);

// element_axes.cc
Axes pointwise_axes(const OperationTypes& types);
Axes broadcast_axes(const OperationTypes& types);
Axes broadcast_sum_axes(const OperationTypes& types);
Axes operand_gradient_axes(const OperationTypes& types);
Axes reduce_axes(const OperationTypes& types);
Axes reduce_gradient_axes(const OperationTypes& types);
Axes value_loss_axes(const OperationTypes& types);

// product_axes.cc
Axes product_axes(const OperationTypes& types);

// window_axes.cc
Axes conv_axes(const OperationTypes& types);
Axes conv_bias_axes(const OperationTypes& types);
Axes pool_axes(const OperationTypes& types);
Axes pool_gradient_axes(const OperationTypes& types);

// row_axes.cc
Axes channel_axes(const OperationTypes& types);
Axes inference_norm_axes(const OperationTypes& types);
Axes layer_norm_axes(const OperationTypes& types);
Axes layer_norm_gradient_axes(const OperationTypes& types);
Axes group_norm_axes(const OperationTypes& types);
Axes group_norm_gradient_axes(const OperationTypes& types);
Axes axes_beside(const OperationTypes& types, std::int64_t together);
Axes softmax_axes(const OperationTypes& types);
Axes row_part_axes(const OperationTypes& types);
Axes row_result_axes(const OperationTypes& types);

// move_axes.cc
Axes reshape_axes(const OperationTypes& types);
Axes transpose_axes(const OperationTypes& types);
Axes slice_axes(const OperationTypes& types);
Axes pad_axes(const OperationTypes& types);
Axes concat_axes(const OperationTypes& types);
Axes gather_axes(const OperationTypes& types);
Axes row_update_axes(const OperationTypes& types);
Axes decode_axes(const OperationTypes& types);

// Losses of classes, whole (but for means, whose division comes last) and in parts, and softmax
// along its dimension in parts (class_axes.cc).
Axes class_axes(const OperationTypes& types);

// --- What a part is

// The values of an input or output of this shape that the part of `ranges` meets.
std::vector<Range> part_region(const Shape& shape, const Axes& axes,
                               const std::vector<Range>& ranges, bool of_input,
                               std::size_t position);

// Whether a part is less than the whole.
bool is_cut_anywhere(const Axes& axes, const std::vector<Range>& ranges);

Shape extents_of(const std::vector<Range>& ranges);

// The same operation with other attributes.
PartOperation on_all_inputs(const OperationTypes& types, Attributes attributes);

// Of products: with a part of the matrices that are not summed.
PartOperation product_part(const OperationTypes& types, const Axes& axes,
                           const std::vector<Range>& ranges);

// Of convolutions and pools: with the padding with which a part of the picture and a part of the
// places meet as the whole ones do.
PartOperation conv_part(const OperationTypes& types, const Axes& axes,
                        const std::vector<Range>& ranges);
PartOperation pool_part(const OperationTypes& types, const Axes& axes,
                        const std::vector<Range>& ranges);

// Of operations on rows and on classes: where a part begins in its row, or among the classes.
PartOperation group_norm_part(const OperationTypes& types, const Axes& axes,
                              const std::vector<Range>& ranges);
PartOperation row_part(const OperationTypes& types, const Axes& axes,
                       const std::vector<Range>& ranges);
PartOperation class_part(const OperationTypes& types, const Axes& axes,
                         const std::vector<Range>& ranges);

// Of operations that say the shape of their output.
PartOperation shaped_part(const OperationTypes& types, const Axes& axes,
                          const std::vector<Range>& ranges);

PartOperation slice_part(const OperationTypes& types, const Axes& axes,
                         const std::vector<Range>& ranges);
PartOperation slice_gradient_part(const OperationTypes& types, const Axes& axes,
                                  const std::vector<Range>& ranges);
PartOperation pad_part(const OperationTypes& types, const Axes& axes,
                       const std::vector<Range>& ranges);  // and of its gradient
PartOperation concat_part(const OperationTypes& types, const Axes& axes,
                          const std::vector<Range>& ranges);
PartOperation gather_part(const OperationTypes& types, const Axes& axes,
                          const std::vector<Range>& ranges);  // and of its gradient
PartOperation decode_part(const OperationTypes& types, const Axes& axes,
                          const std::vector<Range>& ranges);
PartOperation dropout_part(const OperationTypes& types, const Axes& axes,
                           const std::vector<Range>& ranges);  // and of its gradient

}  // namespace poet
