#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/attributes.h"
#include "poet/graph/operator_table.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/shape.h"

namespace poet {

// A window that slides over pictures: what convolutions and pools have in common. Pictures are
// (N, C, spatial...), with 1 to 3 spatial dimensions.

// The dimensions after the first two.
Shape spatial_extents(const TensorType& picture);

// (N, C) and the extents.
Shape picture_shape(std::int64_t batch, std::int64_t channels, const Shape& extents);

// Nothing when `picture` has 1 to 3 spatial dimensions and every list of the window as many values
// in range; otherwise a sentence.
Failure check_window(const WindowAttributes& window, const TensorType& picture);

// How far a window reaches from its first to past its last value: dilation (kernel - 1) + 1.
std::int64_t reach(const WindowAttributes& window, std::size_t dimension);

// Nothing when kernels can count in 32 bits how far the window moves from any of `padded` values of
// a spatial dimension, those of its padding among them.
Failure check_moves(const WindowAttributes& window, std::size_t dimension, std::int64_t padded);

// In how many places the window fits into the padded picture; round_up as ONNX ceil_mode: a last
// window that reaches over the padding, if it begins before the padding at the end. Refuses a
// window that fits nowhere, and what 32-bit positions do not hold.
Result<Shape> window_places(const WindowAttributes& window, const Shape& picture);

// The three fields of a kernel's shape struct for one list of a window, "stride[0]" to "stride[2]",
// with `filler` in front where there are fewer spatial dimensions.
void add_spatial(KernelWords& words, std::string_view field,
                 const std::vector<std::int64_t>& values, std::int64_t filler);

}  // namespace poet
