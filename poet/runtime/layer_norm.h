#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x, y, dx, dy (R, F); scale, bias, dscale, dbias (F); mean, inverse_std (R). */
typedef struct poet_layer_norm_shape {
  int32_t rows;     /* R */
  int32_t features; /* F */
  float epsilon;    /* added to the variance */
} poet_layer_norm_shape;

/* Of each row: mean = sum x / F, variance = sum (x - mean)^2 / F, inverse_std = 1 / sqrt(variance +
 * epsilon), y = (x - mean) * inverse_std * scale + bias.
 * Sums are sums of rows (lane_sum.h). scale and bias may be NULL, which stands for 1 and 0.
 * y may be the same buffer as x. */
void poet_layer_norm_forward_f32(const poet_layer_norm_shape* shape, const float* x,
                                 const float* scale, const float* bias, float* y, float* mean,
                                 float* inverse_std);

/* With normal = (x - mean) * inverse_std and g = dy * scale:
 *   dbias = sum over rows of dy, dscale = sum over rows of dy * normal,
 *   dx = inverse_std * (g - (sum of g) / F - normal * (sum of g * normal) / F).
 * Sums over rows from +0, rows ascending; sums over a row from +0 in lanes (lane_sum.h).
 * scale may be NULL (1); dscale and dbias may be NULL.
 * dx may be the same buffer as dy, or as x. */
void poet_layer_norm_gradient_f32(const poet_layer_norm_shape* shape, const float* x,
                                  const float* scale, const float* mean, const float* inverse_std,
                                  const float* dy, float* dx, float* dscale, float* dbias);

/* The same for some of the rows: dscale and dbias go on from dscale_sum and dbias_sum (F), what
 * earlier rows made of them; NULL stands for +0. dscale may be the same buffer as dscale_sum, dbias
 * as dbias_sum. */
void poet_layer_norm_gradient_continued_f32(const poet_layer_norm_shape* shape, const float* x,
                                            const float* scale, const float* mean,
                                            const float* inverse_std, const float* dy,
                                            const float* dscale_sum, const float* dbias_sum,
                                            float* dx, float* dscale, float* dbias);

#ifdef __cplusplus
}
#endif
