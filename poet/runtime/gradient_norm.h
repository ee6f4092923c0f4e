/* What stands between gradients and updates: adding those of micro-batches, and limiting their norm
 * over all parameters, as PyTorch's clip_grad_norm_ does.
 *
 * Each gradient gives one number, its sum of squares. Up to 8 such numbers are added by one call,
 * sums of sums by further calls, and the last 8 give the factor that the updates multiply with. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_accumulate_shape {
  int32_t count;
} poet_accumulate_shape;

/* a, b and y (count), of which any may be the same buffer: y = a + b */
void poet_accumulate_forward_f32(const poet_accumulate_shape* shape, const float* a, const float* b,
                                 float* y);

typedef struct poet_square_norm_shape {
  int32_t count;
} poet_square_norm_shape;

/* x (count) -> y, one number: the sum of x^2, in the order of poet_lane_dot_f32
 * (poet/runtime/lane_sum.h). */
void poet_square_norm_forward_f32(const poet_square_norm_shape* shape, const float* x, float* y);

/* One number for each of up to 8 inputs; NULL for an absent one. */
typedef struct poet_partials_shape {
  int32_t count; /* inputs that are there: the first `count`, 1 to 8; the others are not read */
} poet_partials_shape;

/* y = x0 + x1 + ..., one after the other. */
void poet_partials_forward_f32(const poet_partials_shape* shape, const float* x0, const float* x1,
                               const float* x2, const float* x3, const float* x4, const float* x5,
                               const float* x6, const float* x7, float* y);

typedef struct poet_clip_shape {
  int32_t count; /* as above */
  float limit;   /* of the norm; more than 0 */
} poet_clip_shape;

/* clip = min(1, limit / (sqrt(x0 + x1 + ...) + 1e-6)) */
void poet_clip_scale_forward_f32(const poet_clip_shape* shape, const float* x0, const float* x1,
                                 const float* x2, const float* x3, const float* x4, const float* x5,
                                 const float* x6, const float* x7, float* clip);

#ifdef __cplusplus
}
#endif
