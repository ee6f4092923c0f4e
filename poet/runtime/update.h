/* The optimisers' updates of a parameter, with PyTorch's meaning of every constant.
 *
 * All tensors have `count` elements. `clip` is one number with which the gradient is multiplied
 * (poet/runtime/gradient_norm.h), or NULL for 1; g below is the gradient after that. The learning
 * rate and Adam's corrections come from the step. In place: each new_... may be the same buffer as
 * what it is new of. */
#pragma once

#include <stdint.h>

#include "poet/runtime/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_sgd_shape {
  int32_t count;
  float weight_decay;
} poet_sgd_shape;

/* g += weight_decay p; p -= learning_rate g */
void poet_sgd_update_f32(const poet_sgd_shape* shape, const float* parameter, const float* gradient,
                         const poet_step* step, const float* clip, float* new_parameter);

typedef struct poet_momentum_shape {
  int32_t count;
  float momentum;
  float dampening;
  float weight_decay;
  int32_t nesterov; /* 0 or 1 */
} poet_momentum_shape;

/* g += weight_decay p; v = g in step 1, afterwards momentum v + (1 - dampening) g;
 * p -= learning_rate (nesterov ? g + momentum v : v). Step 1 does not read v. */
void poet_momentum_update_f32(const poet_momentum_shape* shape, const float* parameter,
                              const float* gradient, const float* velocity, const poet_step* step,
                              const float* clip, float* new_parameter, float* new_velocity);

typedef struct poet_adam_shape {
  int32_t count;
  float beta1;
  float one_minus_beta1; /* from double precision: 1 - 0.999f is 5e-5 off */
  float beta2;
  float one_minus_beta2;
  float epsilon;
  float weight_decay;
} poet_adam_shape;

/* D. Kingma and J. Ba, "Adam" (ICLR 2015): g += weight_decay p; m = beta1 m + (1 - beta1) g;
 * v = beta2 v + (1 - beta2) g^2;
 * p -= learning_rate / first_correction m / (sqrt(v) / sqrt(second_correction) + epsilon).
 * m and v are 0 before step 1. */
void poet_adam_update_f32(const poet_adam_shape* shape, const float* parameter,
                          const float* gradient, const float* m, const float* v,
                          const poet_step* step, const float* clip, float* new_parameter,
                          float* new_m, float* new_v);

/* I. Loshchilov and F. Hutter, "Decoupled weight decay" (ICLR 2019): like Adam, but with
 * p *= 1 - learning_rate weight_decay in place of the change of g. */
void poet_adamw_update_f32(const poet_adam_shape* shape, const float* parameter,
                           const float* gradient, const float* m, const float* v,
                           const poet_step* step, const float* clip, float* new_parameter,
                           float* new_m, float* new_v);

#ifdef __cplusplus
}
#endif
