#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything is (outer, axis, inner); sums are over the axis, from +0, ascending. */
typedef struct poet_softmax_shape {
  int32_t outer;
  int32_t axis;
  int32_t inner;
} poet_softmax_shape;

/* y = exp(x - max) / sum of exp(x - max). y may be the same buffer as x. */
void poet_softmax_forward_f32(const poet_softmax_shape* shape, const float* x, float* y);

/* dx = y * (dy - sum of y * dy). dx may be the same buffer as dy, or as y. */
void poet_softmax_gradient_f32(const poet_softmax_shape* shape, const float* y, const float* dy,
                               float* dx);

/* y = (x - max) - log(sum of exp(x - max)). y may be the same buffer as x. */
void poet_log_softmax_forward_f32(const poet_softmax_shape* shape, const float* x, float* y);

/* dx = dy - exp(y) * sum of dy. dx may be the same buffer as dy, or as y. */
void poet_log_softmax_gradient_f32(const poet_softmax_shape* shape, const float* y, const float* dy,
                                   float* dx);

#ifdef __cplusplus
}
#endif
