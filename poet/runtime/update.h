/* The optimisers' updates, with PyTorch's meaning of every constant. Each function makes one new
 * value: states of the optimiser first, then the parameter from the new states.
 *
 * All tensors have `count` elements. `clip` is one number with which the gradient is multiplied
 * (poet/runtime/gradient_norm.h), or NULL for 1; g below is the gradient after that. A state's
 * function reads the parameter for weight decay only: NULL where that is 0. The learning rate and
 * Adam's corrections come from the step. In place: new_... may be the same buffer as what it is new
 * of. */
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
                         const poet_step_words* step, const float* clip, float* new_parameter);

typedef struct poet_velocity_shape {
  int32_t count;
  float momentum;
  float dampening;
  float weight_decay;
} poet_velocity_shape;

/* g += weight_decay p; v = g in step 1, afterwards momentum v + (1 - dampening) g. Step 1 does not
 * read v. Classical momentum then takes a step of SGD along the new v. */
void poet_velocity_update_f32(const poet_velocity_shape* shape, const float* velocity,
                              const float* gradient, const float* parameter,
                              const poet_step_words* step, const float* clip, float* new_velocity);

typedef struct poet_nesterov_shape {
  int32_t count;
  float momentum;
  float weight_decay;
} poet_nesterov_shape;

/* Nesterov's step, with the new velocity v: g += weight_decay p;
 * p -= learning_rate (g + momentum v). */
void poet_nesterov_update_f32(const poet_nesterov_shape* shape, const float* parameter,
                              const float* velocity, const float* gradient,
                              const poet_step_words* step, const float* clip, float* new_parameter);

/* D. Kingma and J. Ba, "Adam" (ICLR 2015), in three parts; m and v are 0 before step 1. */

typedef struct poet_moment_shape {
  int32_t count;
  float beta;
  float one_minus_beta; /* from double precision: 1 - 0.999f is 5e-5 off */
  float weight_decay;   /* Adam's; 0 for AdamW, whose parameter decays by itself */
} poet_moment_shape;

/* g += weight_decay p; m = beta m + (1 - beta) g */
void poet_first_moment_update_f32(const poet_moment_shape* shape, const float* m,
                                  const float* gradient, const float* parameter, const float* clip,
                                  float* new_m);

/* g += weight_decay p; v = beta v + (1 - beta) g^2 */
void poet_second_moment_update_f32(const poet_moment_shape* shape, const float* v,
                                   const float* gradient, const float* parameter, const float* clip,
                                   float* new_v);

typedef struct poet_adam_shape {
  int32_t count;
  float epsilon;
  float weight_decay; /* AdamW's; 0 for Adam, whose gradient has it */
} poet_adam_shape;

/* With the new m and v: p *= 1 - learning_rate weight_decay (I. Loshchilov and F. Hutter,
 * "Decoupled weight decay", ICLR 2019);
 * p -= learning_rate / first_correction m / (sqrt(v) / sqrt(second_correction) + epsilon). */
void poet_adam_update_f32(const poet_adam_shape* shape, const float* parameter, const float* m,
                          const float* v, const poet_step_words* step, float* new_parameter);

#ifdef __cplusplus
}
#endif
