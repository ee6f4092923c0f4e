#include "poet/runtime/group_norm.h"

#include <stddef.h>

#include "poet/runtime/float_math.h"
#include "poet/runtime/lane_sum.h"

/* scale and bias are 1 and 0 where there are none. */
static float entry(const float* values, int32_t index, float otherwise) {
  return values ? values[index] : otherwise;
}

static int32_t group_channels(const poet_group_norm_shape* shape) {
  return shape->channels / shape->groups;
}

static int32_t group_elements(const poet_group_norm_shape* shape) {
  return group_channels(shape) * shape->pixels;
}

/* y of one group, whose first channel is `channel` */
static void normalise(const poet_group_norm_shape* shape, int32_t channel, const float* x,
                      float mean, float inverse_std, const float* scale, const float* bias,
                      float* y) {
  for (int32_t c = 0; c < group_channels(shape); ++c) {
    const size_t first = (size_t)c * (size_t)shape->pixels;
    const float factor = inverse_std * entry(scale, channel + c, 1.0f);
    const float added = entry(bias, channel + c, 0.0f);
    for (size_t p = first; p < first + (size_t)shape->pixels; ++p)
      y[p] = (x[p] - mean) * factor + added;
  }
}

void poet_group_norm_forward_f32(const poet_group_norm_shape* shape, const float* x,
                                 const float* scale, const float* bias, float* y, float* mean,
                                 float* inverse_std) {
  const int32_t count = group_elements(shape);
  for (int32_t i = 0; i < shape->batch * shape->groups; ++i) {
    const size_t first = (size_t)i * (size_t)count;
    mean[i] = poet_lane_sum_f32(count, x + first) / (float)count;
    const float variance = poet_lane_deviation_f32(count, x + first, mean[i]) / (float)count;
    inverse_std[i] = 1.0f / poet_sqrt_f32(variance + shape->epsilon);
    normalise(shape, i % shape->groups * group_channels(shape), x + first, mean[i], inverse_std[i],
              scale, bias, y + first);
  }
}

/* sum of g, and of g * (x - mean), with g = dy * scale */
typedef struct group_sums {
  float gradient;
  float deviation;
} group_sums;

/* Sums over one group, whose first channel is `channel`; adds those of each channel to the
 * gradients by scale and bias, of which either may be missing. */
static group_sums sum_group(const poet_group_norm_shape* shape, int32_t channel, const float* x,
                            const float* scale, float mean, float inverse_std, const float* dy,
                            float* dscale, float* dbias) {
  group_sums sums = {0.0f, 0.0f};
  for (int32_t c = 0; c < group_channels(shape); ++c) {
    const size_t first = (size_t)c * (size_t)shape->pixels;
    const float gradient = poet_lane_sum_f32(shape->pixels, dy + first);
    const float deviation = poet_lane_deviation_dot_f32(shape->pixels, x + first, mean, dy + first);
    if (dscale) dscale[channel + c] += inverse_std * deviation;
    if (dbias) dbias[channel + c] += gradient;
    sums.gradient += entry(scale, channel + c, 1.0f) * gradient;
    sums.deviation += entry(scale, channel + c, 1.0f) * deviation;
  }
  return sums;
}

/* dx of one group, whose first channel is `channel` */
static void differentiate(const poet_group_norm_shape* shape, int32_t channel, const float* x,
                          const float* scale, float mean, float inverse_std, const group_sums* sums,
                          const float* dy, float* dx) {
  const float count = (float)group_elements(shape);
  const float shift = sums->gradient / count;
  const float slope = inverse_std * (inverse_std * sums->deviation / count);
  for (int32_t c = 0; c < group_channels(shape); ++c) {
    const size_t first = (size_t)c * (size_t)shape->pixels;
    const float weight = entry(scale, channel + c, 1.0f);
    for (size_t p = first; p < first + (size_t)shape->pixels; ++p)
      dx[p] = inverse_std * ((dy[p] * weight - shift) - (x[p] - mean) * slope);
  }
}

void poet_group_norm_gradient_f32(const poet_group_norm_shape* shape, const float* x,
                                  const float* scale, const float* mean, const float* inverse_std,
                                  const float* dy, float* dx, float* dscale, float* dbias) {
  for (int32_t c = 0; c < shape->channels && dscale; ++c) dscale[c] = 0.0f;
  for (int32_t c = 0; c < shape->channels && dbias; ++c) dbias[c] = 0.0f;
  for (int32_t i = 0; i < shape->batch * shape->groups; ++i) {
    const size_t first = (size_t)i * (size_t)group_elements(shape);
    const int32_t channel = i % shape->groups * group_channels(shape);
    const group_sums sums = sum_group(shape, channel, x + first, scale, mean[i], inverse_std[i],
                                      dy + first, dscale, dbias);
    differentiate(shape, channel, x + first, scale, mean[i], inverse_std[i], &sums, dy + first,
                  dx + first);
  }
}
