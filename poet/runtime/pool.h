#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Three spatial dimensions: depth, height, width; fewer have extents, stride and dilation 1 in
 * front. Global pooling is a window as large as the input, with an output of 1. */
typedef struct poet_pool_shape {
  int32_t planes; /* batch * channels */
  int32_t input[3];
  int32_t output[3];
  int32_t window[3];
  int32_t stride[3];
  int32_t dilation[3];
  int32_t padding_begin[3];
  int32_t padding_end[3]; /* read only where counts_padding is not 0 */
  int32_t counts_padding; /* 1: an average divides by the places in input or padding, 0: in input */
} poet_pool_shape;

/* x (planes, input), y (planes, output). An output place o and a place k of the window meet the
 * input place o * stride + k * dilation - padding_begin, in each dimension. Each window must meet
 * at least one place of the input; with rounding up, the last ones may reach over the padding, and
 * what lies beyond it never counts. Outputs overlap no inputs. */

/* y[o] = the largest x in the window; NaN if one of them is. */
void poet_max_pool_forward_f32(const poet_pool_shape* shape, const float* x, float* y);

/* dx[i] = sum of dy[o] over the windows in which x[i] is the largest value, and the first of
 * several equal ones in row-major order. Order: from +0, o row-major. */
void poet_max_pool_gradient_f32(const poet_pool_shape* shape, const float* x, const float* dy,
                                float* dx);

/* y[o] = (sum of x in the window) / count
 * Order: each row of the window from +0; the rows, from +0, top to bottom; one division. */
void poet_average_pool_forward_f32(const poet_pool_shape* shape, const float* x, float* y);

/* dx[i] = sum of dy[o] / count[o] over the windows that meet i. Order: from +0, o row-major. */
void poet_average_pool_gradient_f32(const poet_pool_shape* shape, const float* dy, float* dx);

#ifdef __cplusplus
}
#endif
