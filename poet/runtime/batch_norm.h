#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x, y, dx, dy (N, C, P); everything else (C). */
typedef struct poet_batch_norm_shape {
  int32_t batch;    /* N */
  int32_t channels; /* C */
  int32_t pixels;   /* P */
  float epsilon;    /* added to the variance */
  float momentum;   /* weight of the old running statistics is 1 - momentum */
  /* What running_variance collects. 1: the unbiased variance, divided by N P - 1 (PyTorch);
   * 0: the biased one, divided by N P (ONNX). */
  int32_t unbiased;
  /* Channels of each image that are left to other calls: C is a part of C + others, and x, y, dx
   * and dy begin at its first channel. 0: C are all. */
  int32_t others;
} poet_batch_norm_shape;

/* Sums over a channel are sums of rows (lane_sum.h) over P, added from +0 with n ascending. */

/* mean = sum x / (N P), variance = sum (x - mean)^2 / (N P), inverse_std = 1 / sqrt(variance +
 * epsilon), y = (x - mean) * (inverse_std * scale) + bias.
 * y may be the same buffer as x. */
void poet_batch_norm_forward_f32(const poet_batch_norm_shape* shape, const float* x,
                                 const float* scale, const float* bias, float* y, float* mean,
                                 float* inverse_std);

/* The gradients of poet_batch_norm_forward_f32 (Ioffe and Szegedy 2015, section 3):
 *   dbias = sum dy, dscale = inverse_std * sum dy * (x - mean),
 *   dx = scale * inverse_std * (dy - dbias / (N P) - (x - mean) * inverse_std * dscale / (N P)).
 * dx may be the same buffer as dy, or as x. */
void poet_batch_norm_gradient_f32(const poet_batch_norm_shape* shape, const float* x,
                                  const float* scale, const float* mean, const float* inverse_std,
                                  const float* dy, float* dx, float* dscale, float* dbias);

/* y = (x - running_mean) * (scale / sqrt(running_variance + epsilon)) + bias.
 * y may be the same buffer as x. */
void poet_batch_norm_inference_forward_f32(const poet_batch_norm_shape* shape, const float* x,
                                           const float* scale, const float* bias,
                                           const float* running_mean, const float* running_variance,
                                           float* y);

/* The gradients of poet_batch_norm_inference_forward_f32, the statistics being constants:
 *   dbias = sum dy, dscale = inverse_std * sum dy * (x - running_mean), dx = dy * (inverse_std *
 *   scale), with inverse_std = 1 / sqrt(running_variance + epsilon).
 * dx may be the same buffer as dy, or as x. */
void poet_batch_norm_inference_gradient_f32(const poet_batch_norm_shape* shape, const float* x,
                                            const float* scale, const float* running_mean,
                                            const float* running_variance, const float* dy,
                                            float* dx, float* dscale, float* dbias);

/* new = (1 - momentum) * old + momentum * that of the batch, for mean and variance, from what
 * poet_batch_norm_forward_f32 wrote. The variance is 1 / inverse_std^2 - epsilon, at least 0; where
 * it is unbiased and N P is 1, it stays as it is.
 * new_running_mean may be the same buffer as running_mean, new_running_variance as
 * running_variance. */
void poet_batch_norm_statistics_update_f32(const poet_batch_norm_shape* shape,
                                           const float* running_mean, const float* running_variance,
                                           const float* mean, const float* inverse_std,
                                           float* new_running_mean, float* new_running_variance);

#ifdef __cplusplus
}
#endif
