/* Reduces a tensor over any set of its axes, and takes gradients back.
 *
 * For every kept index k, y[k] is made of x[k . kept_strides + r . reduced_strides] over all
 * reduced indices r, in row-major order, one after the other, beginning with the first element. x
 * is dense: kept and reduced axes together reach each of its elements once. The gradients write dx
 * with x's strides, hence whole.
 *
 * In place: dx may be the same buffer as x; y may be no input, but for n = 1. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_reduce_shape {
  int32_t kept_rank;          /* 0 to 8; 0: y is one number */
  int32_t reduced_rank;       /* 0 to 8 */
  int32_t kept_extents[8];    /* of y, which is dense, row-major; 1 or more */
  int32_t reduced_extents[8]; /* 1 or more; n is their product */
  int32_t kept_strides[8];    /* of x, in elements */
  int32_t reduced_strides[8];
} poet_reduce_shape;

/* y = sum x; dx = dy */
void poet_reduce_sum_forward_f32(const poet_reduce_shape* shape, const float* x, float* y);
void poet_reduce_sum_gradient_f32(const poet_reduce_shape* shape, const float* dy, float* dx);

/* y = (sum x) / n; dx = dy / n */
void poet_reduce_mean_forward_f32(const poet_reduce_shape* shape, const float* x, float* y);
void poet_reduce_mean_gradient_f32(const poet_reduce_shape* shape, const float* dy, float* dx);

/* The same in parts: y goes on from `sum`, of y's shape, which is what earlier parts made of the
 * first of what is summed; a mean is y = (sum + x + x ...) / count, and is the last part. y may be
 * the same buffer as sum. */
typedef struct poet_reduce_mean_part_shape {
  poet_reduce_shape part;
  int32_t count; /* n of all parts */
} poet_reduce_mean_part_shape;

void poet_reduce_sum_continued_f32(const poet_reduce_shape* shape, const float* x, const float* sum,
                                   float* y);
void poet_reduce_mean_continued_f32(const poet_reduce_mean_part_shape* shape, const float* x,
                                    const float* sum, float* y);

/* y = max x, NaN if any is; dx = dy at the first x equal to y, otherwise 0 */
void poet_reduce_max_forward_f32(const poet_reduce_shape* shape, const float* x, float* y);
void poet_reduce_max_gradient_f32(const poet_reduce_shape* shape, const float* x, const float* y,
                                  const float* dy, float* dx);

/* y = min x, NaN if any is; dx = dy at the first x equal to y, otherwise 0 */
void poet_reduce_min_forward_f32(const poet_reduce_shape* shape, const float* x, float* y);
void poet_reduce_min_gradient_f32(const poet_reduce_shape* shape, const float* x, const float* y,
                                  const float* dy, float* dx);

/* y = product x; dx = dy y / x, and where x is 0, dy times the product of the others */
void poet_reduce_product_forward_f32(const poet_reduce_shape* shape, const float* x, float* y);
void poet_reduce_product_gradient_f32(const poet_reduce_shape* shape, const float* x,
                                      const float* y, const float* dy, float* dx);

/* y = sum x^2; dx = 2 dy x */
void poet_reduce_sum_of_squares_forward_f32(const poet_reduce_shape* shape, const float* x,
                                            float* y);
void poet_reduce_sum_of_squares_gradient_f32(const poet_reduce_shape* shape, const float* x,
                                             const float* dy, float* dx);

/* y = sqrt(sum x^2); dx = dy / y x, 0 where y is 0 */
void poet_reduce_l2_forward_f32(const poet_reduce_shape* shape, const float* x, float* y);
void poet_reduce_l2_gradient_f32(const poet_reduce_shape* shape, const float* x, const float* y,
                                 const float* dy, float* dx);

/* y = m + log(sum exp(x - m)), m = max x (y = m where that is infinite); dx = dy exp(x - y) */
void poet_reduce_log_sum_exp_forward_f32(const poet_reduce_shape* shape, const float* x, float* y);
void poet_reduce_log_sum_exp_gradient_f32(const poet_reduce_shape* shape, const float* x,
                                          const float* y, const float* dy, float* dx);

#ifdef __cplusplus
}
#endif
