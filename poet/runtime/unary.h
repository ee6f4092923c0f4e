/* Functions of one number, element by element: x (count) -> y (count), and their gradients.
 *
 * A gradient reads the output y where that is enough, so that x may be gone by then, and x
 * otherwise. In place: y may be the same buffer as x; dx may be the same buffer as any input. Each
 * function stands in the file of its kind: unary_piecewise.c, unary_steps.c,
 * unary_sigmoids.c, unary_gelu.c, unary_powers.c, unary_waves.c. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* alpha and beta are the two constants that some of the functions have. */
typedef struct poet_unary_shape {
  int32_t count;
  float alpha;
  float beta;
} poet_unary_shape;

/* y = max(x, 0); dx = y > 0 ? dy : 0. A NaN passes through. */
void poet_relu_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_relu_gradient_f32(const poet_unary_shape* shape, const float* y, const float* dy,
                            float* dx);

/* y = x > 0 ? x : alpha x; dx = x > 0 ? dy : alpha dy */
void poet_leaky_relu_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_leaky_relu_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                                  float* dx);

/* y = min(max(x, alpha), beta); dx = alpha <= x <= beta ? dy : 0. A NaN passes through. */
void poet_clip_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_clip_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                            float* dx);

/* y = x > 0 ? x : alpha (exp(x) - 1); dx = x > 0 ? dy : dy alpha exp(x) */
void poet_elu_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_elu_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                           float* dx);

/* y = |x|; dx = dy sign(x), 0 at 0 */
void poet_abs_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_abs_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                           float* dx);

/* y = x without what is behind the point: rounded to the nearest whole number, halves to the even
 * one; down; up. y has the sign of x, also where it is 0. Sign: -1, 0 or 1. A NaN passes through.
 * Flat but for its steps, so the gradient is 0 and has no function. */
void poet_round_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_floor_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_ceil_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_sign_forward_f32(const poet_unary_shape* shape, const float* x, float* y);

/* y = -x; dx = -dy */
void poet_neg_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_neg_gradient_f32(const poet_unary_shape* shape, const float* dy, float* dx);

/* y = 1 / (1 + exp(-x)); dx = dy y (1 - y) */
void poet_sigmoid_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_sigmoid_gradient_f32(const poet_unary_shape* shape, const float* y, const float* dy,
                               float* dx);

/* y = tanh(x); dx = dy (1 - y^2) */
void poet_tanh_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_tanh_gradient_f32(const poet_unary_shape* shape, const float* y, const float* dy,
                            float* dx);

/* y = asinh(x); dx = dy / sqrt(1 + x^2) */
void poet_asinh_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_asinh_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                             float* dx);

/* y = log(1 + exp(x)); dx = dy sigmoid(x) */
void poet_softplus_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_softplus_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                                float* dx);

/* y = x s with s = sigmoid(x); dx = dy s (1 + x (1 - s)) */
void poet_silu_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_silu_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                            float* dx);

/* y = min(max(u, 0), 1) with u = alpha x + beta; dx = 0 < u < 1 ? alpha dy : 0 */
void poet_hard_sigmoid_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_hard_sigmoid_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                                    float* dx);

/* y = x min(max(u, 0), 1) with u = alpha x + beta; dx = dy times 0 for u <= 0, 1 for u >= 1,
 * otherwise u + alpha x */
void poet_hard_swish_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_hard_swish_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                                  float* dx);

/* y = x / 2 (1 + erf(x / sqrt 2)); dx = dy (y / x + x exp(-x^2 / 2) / sqrt(2 pi)) */
void poet_gelu_erf_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_gelu_erf_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                                float* dx);

/* y = x / 2 (1 + t) with t = tanh(u), u = sqrt(2 / pi) (x + 0.044715 x^3);
 * dx = dy ((1 + t) / 2 + x / 2 (1 - t^2) du/dx) */
void poet_gelu_tanh_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_gelu_tanh_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                                 float* dx);

/* y = erf(x); dx = dy 2 / sqrt(pi) exp(-x^2) */
void poet_erf_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_erf_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                           float* dx);

/* y = exp(x); dx = dy y */
void poet_exp_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_exp_gradient_f32(const poet_unary_shape* shape, const float* y, const float* dy,
                           float* dx);

/* y = log(x); dx = dy / x */
void poet_log_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_log_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                           float* dx);

/* y = sqrt(x); dx = dy / (2 y) */
void poet_sqrt_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_sqrt_gradient_f32(const poet_unary_shape* shape, const float* y, const float* dy,
                            float* dx);

/* y = 1 / x; dx = -dy y^2 */
void poet_reciprocal_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_reciprocal_gradient_f32(const poet_unary_shape* shape, const float* y, const float* dy,
                                  float* dx);

/* y = sin(x); dx = dy cos(x) */
void poet_sin_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_sin_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                           float* dx);

/* y = cos(x); dx = -dy sin(x) */
void poet_cos_forward_f32(const poet_unary_shape* shape, const float* x, float* y);
void poet_cos_gradient_f32(const poet_unary_shape* shape, const float* x, const float* dy,
                           float* dx);

#ifdef __cplusplus
}
#endif
