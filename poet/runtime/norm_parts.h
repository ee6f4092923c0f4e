/* Layer norms along their features in parts, and batch norms over rows of pictures and images in
 * parts: what is made of each piece once the sums of rows (row_parts.h) are there. The bits are
 * those of layer_norm.h and batch_norm.h. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x, y, dx, dy (N, R, P): a piece of every row, or of every channel. A layer norm has one image.
 * What is divided by is images * extent of the whole. */
typedef struct poet_norm_part_shape {
  int32_t images; /* N */
  int32_t rows;   /* R */
  int32_t count;  /* P */
  int32_t whole_images;
  int32_t whole_extent;
} poet_norm_part_shape;

/* y = (x - mean) * inverse_std * scale + bias; mean, inverse_std (R); scale, bias (P) or NULL,
 * which stands for 1 and 0. y may be the same buffer as x. */
void poet_layer_norm_apply_f32(const poet_norm_part_shape* shape, const float* x, const float* mean,
                               const float* inverse_std, const float* scale, const float* bias,
                               float* y);

/* Of the states (R, 2, 10) of poet_row_gradient_sums_part_f32: shift = (sum of g) / F and
 * slope = inverse_std * (inverse_std * (sum of g * (x - mean)) / F). */
void poet_layer_norm_gradient_factors_f32(const poet_norm_part_shape* shape, const float* state,
                                          const float* inverse_std, float* shift, float* slope);

/* dx = inverse_std * ((dy * scale - shift) - (x - mean) * slope); scale (P) or NULL for 1.
 * dx may be the same buffer as dy, or as x. */
void poet_layer_norm_gradient_apply_f32(const poet_norm_part_shape* shape, const float* x,
                                        const float* scale, const float* mean,
                                        const float* inverse_std, const float* dy,
                                        const float* shift, const float* slope, float* dx);

/* dscale = dscale_sum + sum over rows of dy * ((x - mean) * inverse_std), and dbias = dbias_sum +
 * sum over rows of dy, all (P), one row after the other; the sums are what earlier rows made, or
 * NULL for +0. dscale may be the same buffer as dscale_sum, dbias as dbias_sum. */
void poet_layer_norm_scale_gradient_f32(const poet_norm_part_shape* shape, const float* x,
                                        const float* mean, const float* inverse_std,
                                        const float* dy, const float* dscale_sum,
                                        const float* dbias_sum, float* dscale, float* dbias);

/* y = (x - mean) * (inverse_std * scale) + bias; all but x and y (R). y may be the same buffer as
 * x.
 */
void poet_batch_norm_apply_f32(const poet_norm_part_shape* shape, const float* x, const float* mean,
                               const float* inverse_std, const float* scale, const float* bias,
                               float* y);

/* Of the states (R, 2, 10) of poet_row_gradient_sums_part_f32: dscale = inverse_std * (sum of
 * dy * (x - mean)) and dbias = sum of dy. */
void poet_batch_norm_gradient_factors_f32(const poet_norm_part_shape* shape, const float* state,
                                          const float* inverse_std, float* dscale, float* dbias);

/* dx = scale * inverse_std * (dy - dbias / count - (x - mean) * inverse_std * dscale / count).
 * dx may be the same buffer as dy, or as x. */
void poet_batch_norm_gradient_apply_f32(const poet_norm_part_shape* shape, const float* x,
                                        const float* scale, const float* mean,
                                        const float* inverse_std, const float* dy,
                                        const float* dscale, const float* dbias, float* dx);

#ifdef __cplusplus
}
#endif
