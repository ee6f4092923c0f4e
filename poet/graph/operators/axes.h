#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "poet/graph/part_axes.h"

namespace poet {

// Along what operations can be cut (poet/graph/part_axes.h): what their axes are made of, and the
// axes of each kind of operation.

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

// Losses of classes, whole (but for means, whose division comes last) and in parts, and softmax
// along its dimension in parts (class_axes.cc).
Axes class_axes(const OperationTypes& types);

// --- What a part's attributes are

// The values of an input or output of this shape that the part of `ranges` meets.
std::vector<Range> part_region(const Shape& shape, const Axes& axes,
                               const std::vector<Range>& ranges, bool of_input,
                               std::size_t position);

// Of a convolution or pool: the padding with which a part of the picture and a part of the places
// meet as the whole ones do.
WindowAttributes window_part(const OperationTypes& types, const Axes& axes,
                             const std::vector<Range>& ranges);

// Where a part begins in its rows.
RowPartAttributes row_part(const OperationTypes& types, const Axes& axes,
                           const std::vector<Range>& ranges);

// Whether a slice leaves values out between those that it takes.
bool has_gaps(const SliceAttributes& slice);

}  // namespace poet
