/* Softmax, its logarithm and the cross-entropy with the dimension of the classes in parts, one
 * block of it after the other. The largest score comes first, then the sum of exponentials, then
 * what is made of each block with these. The bits are those of softmax.h and class_loss.h. */
#pragma once

#include <stdint.h>

#include "poet/runtime/softmax.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x, y, dy, dx are blocks (outer, axis, inner); largest and sums (outer, inner). What is passed as
 * `earlier` is what the blocks before made, or NULL for the first; the output may be the same
 * buffer as it. */

/* largest of x; a NaN that comes first stays */
void poet_softmax_largest_part_f32(const poet_softmax_shape* shape, const float* x,
                                   const float* earlier, float* largest);

/* sum of exp(x - largest), from +0 */
void poet_softmax_sum_part_f32(const poet_softmax_shape* shape, const float* x,
                               const float* largest, const float* earlier, float* sum);

/* y = exp(x - largest) / sum. y may be the same buffer as x. */
void poet_softmax_apply_f32(const poet_softmax_shape* shape, const float* x, const float* largest,
                            const float* sum, float* y);

/* y = (x - largest) - log(sum). y may be the same buffer as x. */
void poet_log_softmax_apply_f32(const poet_softmax_shape* shape, const float* x,
                                const float* largest, const float* sum, float* y);

/* sum of y * dy, and of dy, from +0 */
void poet_softmax_gradient_sum_part_f32(const poet_softmax_shape* shape, const float* y,
                                        const float* dy, const float* earlier, float* sum);
void poet_log_softmax_gradient_sum_part_f32(const poet_softmax_shape* shape, const float* dy,
                                            const float* earlier, float* sum);

/* dx = y * (dy - sum), and dx = dy - exp(y) * sum. dx may be the same buffer as dy, or as y. */
void poet_softmax_gradient_apply_f32(const poet_softmax_shape* shape, const float* y,
                                     const float* dy, const float* sum, float* dx);
void poet_log_softmax_gradient_apply_f32(const poet_softmax_shape* shape, const float* y,
                                         const float* dy, const float* sum, float* dx);

#ifdef __cplusplus
}
#endif
