#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x, y, dx, dy (N, C, P); scale, bias, dscale, dbias (C); mean, inverse_std (N, G). A group is C /
 * G channels that follow each other. Instance normalisation is G == C. */
typedef struct poet_group_norm_shape {
  int32_t batch;    /* N */
  int32_t channels; /* C, a multiple of groups */
  int32_t pixels;   /* P */
  int32_t groups;   /* G */
  float epsilon;    /* added to the variance */
} poet_group_norm_shape;

/* Of each group, with E = C / G * P elements: mean = sum x / E, variance = sum (x - mean)^2 / E,
 * inverse_std = 1 / sqrt(variance + epsilon); y = (x - mean) * (inverse_std * scale) + bias.
 * Sums are sums of rows (lane_sum.h). scale and bias may be NULL, which stands for 1 and 0.
 * y may be the same buffer as x. */
void poet_group_norm_forward_f32(const poet_group_norm_shape* shape, const float* x,
                                 const float* scale, const float* bias, float* y, float* mean,
                                 float* inverse_std);

/* With normal = (x - mean) * inverse_std and g = dy * scale:
 *   dbias = sum over N, P of dy, dscale = sum over N of inverse_std * (sum over P of
 *   dy * (x - mean)),
 *   dx = inverse_std * (g - (sum of g) / E - normal * (sum of g * normal) / E).
 * Sums over P are sums of rows (lane_sum.h); those of the channels of a group, and of N, are added
 * from +0 in ascending order. scale may be NULL (1); dscale and dbias may be NULL.
 * dx may be the same buffer as dy, or as x. */
void poet_group_norm_gradient_f32(const poet_group_norm_shape* shape, const float* x,
                                  const float* scale, const float* mean, const float* inverse_std,
                                  const float* dy, float* dx, float* dscale, float* dbias);

#ifdef __cplusplus
}
#endif
