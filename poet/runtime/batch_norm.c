#include "poet/runtime/batch_norm.h"

#include <stddef.h>

#include "poet/runtime/float_math.h"
#include "poet/runtime/lane_sum.h"

/* Where the P elements of an image's channel begin. */
static size_t row_at(const poet_batch_norm_shape* shape, int32_t image, int32_t channel) {
  const size_t channels = (size_t)shape->channels + (size_t)shape->others;
  return ((size_t)image * channels + (size_t)channel) * (size_t)shape->pixels;
}

static float count_of(const poet_batch_norm_shape* shape) {
  return (float)shape->batch * (float)shape->pixels;
}

static float mean_of(const poet_batch_norm_shape* shape, int32_t channel, const float* x) {
  float sum = 0.0f;
  for (int32_t n = 0; n < shape->batch; ++n)
    sum += poet_lane_sum_f32(shape->pixels, x + row_at(shape, n, channel));
  return sum / count_of(shape);
}

static float variance_of(const poet_batch_norm_shape* shape, int32_t channel, const float* x,
                         float mean) {
  float sum = 0.0f;
  for (int32_t n = 0; n < shape->batch; ++n)
    sum += poet_lane_deviation_f32(shape->pixels, x + row_at(shape, n, channel), mean);
  return sum / count_of(shape);
}

static float inverse_root(float variance, float epsilon) {
  return 1.0f / poet_sqrt_f32(variance + epsilon);
}

/* y = (x - centre) * factor + added, for one channel */
static void shift_and_scale(const poet_batch_norm_shape* shape, int32_t channel, const float* x,
                            float centre, float factor, float added, float* y) {
  for (int32_t n = 0; n < shape->batch; ++n) {
    const size_t first = row_at(shape, n, channel);
    for (size_t p = 0; p < (size_t)shape->pixels; ++p)
      y[first + p] = (x[first + p] - centre) * factor + added;
  }
}

void poet_batch_norm_forward_f32(const poet_batch_norm_shape* shape, const float* x,
                                 const float* scale, const float* bias, float* y, float* mean,
                                 float* inverse_std) {
  for (int32_t c = 0; c < shape->channels; ++c) {
    mean[c] = mean_of(shape, c, x);
    inverse_std[c] = inverse_root(variance_of(shape, c, x, mean[c]), shape->epsilon);
    shift_and_scale(shape, c, x, mean[c], inverse_std[c] * scale[c], bias[c], y);
  }
}

void poet_batch_norm_inference_forward_f32(const poet_batch_norm_shape* shape, const float* x,
                                           const float* scale, const float* bias,
                                           const float* running_mean, const float* running_variance,
                                           float* y) {
  for (int32_t c = 0; c < shape->channels; ++c) {
    const float inverse_std = inverse_root(running_variance[c], shape->epsilon);
    shift_and_scale(shape, c, x, running_mean[c], inverse_std * scale[c], bias[c], y);
  }
}

typedef struct channel_sums {
  float gradient;  /* of dy */
  float deviation; /* of dy * (x - mean) */
} channel_sums;

static channel_sums sums_of(const poet_batch_norm_shape* shape, int32_t channel, const float* x,
                            float mean, const float* dy) {
  channel_sums sums = {0.0f, 0.0f};
  for (int32_t n = 0; n < shape->batch; ++n) {
    const size_t first = row_at(shape, n, channel);
    sums.gradient += poet_lane_sum_f32(shape->pixels, dy + first);
    sums.deviation += poet_lane_deviation_dot_f32(shape->pixels, x + first, mean, dy + first);
  }
  return sums;
}

void poet_batch_norm_gradient_f32(const poet_batch_norm_shape* shape, const float* x,
                                  const float* scale, const float* mean, const float* inverse_std,
                                  const float* dy, float* dx, float* dscale, float* dbias) {
  for (int32_t c = 0; c < shape->channels; ++c) {
    const channel_sums sums = sums_of(shape, c, x, mean[c], dy);
    dbias[c] = sums.gradient;
    dscale[c] = inverse_std[c] * sums.deviation;
    const float factor = scale[c] * inverse_std[c];
    const float centre = dbias[c] / count_of(shape);
    const float slope = inverse_std[c] * (dscale[c] / count_of(shape));
    for (int32_t n = 0; n < shape->batch; ++n) {
      const size_t first = row_at(shape, n, c);
      for (size_t p = first; p < first + (size_t)shape->pixels; ++p)
        dx[p] = factor * ((dy[p] - centre) - (x[p] - mean[c]) * slope);
    }
  }
}

void poet_batch_norm_inference_gradient_f32(const poet_batch_norm_shape* shape, const float* x,
                                            const float* scale, const float* running_mean,
                                            const float* running_variance, const float* dy,
                                            float* dx, float* dscale, float* dbias) {
  for (int32_t c = 0; c < shape->channels; ++c) {
    const float inverse_std = inverse_root(running_variance[c], shape->epsilon);
    const channel_sums sums = sums_of(shape, c, x, running_mean[c], dy);
    dbias[c] = sums.gradient;
    dscale[c] = inverse_std * sums.deviation;
    const float factor = inverse_std * scale[c];
    for (int32_t n = 0; n < shape->batch; ++n) {
      const size_t first = row_at(shape, n, c);
      for (size_t p = first; p < first + (size_t)shape->pixels; ++p) dx[p] = dy[p] * factor;
    }
  }
}

/* The variance of the batch, as the running one collects it. */
static float collected_variance(const poet_batch_norm_shape* shape, float inverse_std) {
  const float count = count_of(shape);
  const float biased = 1.0f / (inverse_std * inverse_std) - shape->epsilon;
  const float variance = biased > 0.0f ? biased : 0.0f;
  return shape->unbiased && count > 1.0f ? variance * (count / (count - 1.0f)) : variance;
}

void poet_batch_norm_statistics_update_f32(const poet_batch_norm_shape* shape,
                                           const float* running_mean, const float* running_variance,
                                           const float* mean, const float* inverse_std,
                                           float* new_running_mean, float* new_running_variance) {
  const float kept = 1.0f - shape->momentum;
  for (int32_t c = 0; c < shape->channels; ++c) {
    const float variance = collected_variance(shape, inverse_std[c]);
    new_running_mean[c] = kept * running_mean[c] + shape->momentum * mean[c];
    new_running_variance[c] = kept * running_variance[c] + shape->momentum * variance;
  }
}
