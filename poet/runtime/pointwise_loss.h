/* Losses that compare numbers one by one with targets.
 *
 * x and target (count); loss and dloss (count) where nothing is reduced, otherwise one number: a
 * sum in the order of poet_lane_sum_f32 (poet/runtime/lane_sum.h), which the mean divides by count.
 * In place: dx may be the same buffer as x or target. */
#pragma once

#include <stdint.h>

#include "poet/runtime/loss_reduction.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_pointwise_loss_shape {
  int32_t count;
  int32_t reduction; /* enum poet_loss_reduction */
} poet_pointwise_loss_shape;

/* loss = (x - target)^2; dx = 2 dloss (x - target) */
void poet_squared_error_forward_f32(const poet_pointwise_loss_shape* shape, const float* x,
                                    const float* target, float* loss);
void poet_squared_error_gradient_f32(const poet_pointwise_loss_shape* shape, const float* x,
                                     const float* target, const float* dloss, float* dx);

/* Of logits x and probabilities target: loss = -target log s - (1 - target) log(1 - s) with
 * s = sigmoid(x), computed as max(x, 0) - x target + log(1 + exp(-|x|)); dx = dloss (s - target) */
void poet_binary_cross_entropy_forward_f32(const poet_pointwise_loss_shape* shape, const float* x,
                                           const float* target, float* loss);
void poet_binary_cross_entropy_gradient_f32(const poet_pointwise_loss_shape* shape, const float* x,
                                            const float* target, const float* dloss, float* dx);

#ifdef __cplusplus
}
#endif
