#include "poet/runtime/pointwise_loss.h"

#include "poet/runtime/float_bits.h"
#include "poet/runtime/float_inline.h"
#include "poet/runtime/float_math.h"
#include "poet/runtime/lane_sum.h"

/* The factor of every element's derivative; for POET_LOSS_NONE each has its own. */
static float common_dloss(const poet_pointwise_loss_shape* shape, const float* dloss) {
  return shape->reduction == POET_LOSS_MEAN ? dloss[0] / (float)shape->count : dloss[0];
}

static float squared_error(float x, float target) {
  return (x - target) * (x - target);
}
static float squared_error_slope(float x, float target) {
  return 2.0f * (x - target);
}

static float cross_entropy(float x, float target) {
  return ((x > 0.0f ? x : 0.0f) - x * target) + poet_log1p_f32(poet_exp_inline(-poet_magnitude(x)));
}
static float cross_entropy_slope(float x, float target) {
  return poet_sigmoid_inline(x) - target;
}

/* The block of poet_lane_sum_f32, so that sums of blocks are the sum of all. */
enum { BLOCK = 256 };

#define POET_POINTWISE_LOSS(name, value, slope)                                               \
  void poet_##name##_forward_f32(const poet_pointwise_loss_shape* shape, const float* x,      \
                                 const float* target, float* loss) {                          \
    if (shape->reduction == POET_LOSS_NONE) {                                                 \
      for (int32_t i = 0; i < shape->count; ++i) loss[i] = value(x[i], target[i]);            \
      return;                                                                                 \
    }                                                                                         \
    float values[BLOCK];                                                                      \
    float total = 0.0f;                                                                       \
    for (int32_t begin = 0; begin < shape->count; begin += BLOCK) {                           \
      const int32_t width = shape->count - begin < BLOCK ? shape->count - begin : BLOCK;      \
      for (int32_t i = 0; i < width; ++i) values[i] = value(x[begin + i], target[begin + i]); \
      total += poet_lane_sum_f32(width, values);                                              \
    }                                                                                         \
    loss[0] = shape->reduction == POET_LOSS_MEAN ? total / (float)shape->count : total;       \
  }                                                                                           \
  void poet_##name##_gradient_f32(const poet_pointwise_loss_shape* shape, const float* x,     \
                                  const float* target, const float* dloss, float* dx) {       \
    const int32_t count = shape->count;                                                       \
    if (shape->reduction == POET_LOSS_NONE) {                                                 \
      for (int32_t i = 0; i < count; ++i) dx[i] = dloss[i] * slope(x[i], target[i]);          \
      return;                                                                                 \
    }                                                                                         \
    const float scale = common_dloss(shape, dloss);                                           \
    for (int32_t i = 0; i < count; ++i) dx[i] = scale * slope(x[i], target[i]);               \
  }

POET_POINTWISE_LOSS(squared_error, squared_error, squared_error_slope)
POET_POINTWISE_LOSS(binary_cross_entropy, cross_entropy, cross_entropy_slope)
