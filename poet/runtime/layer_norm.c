#include "poet/runtime/layer_norm.h"

#include <stddef.h>

#include "poet/runtime/float_math.h"
#include "poet/runtime/lane_sum.h"

/* scale and bias are 1 and 0 where there are none. */
static float entry(const float* values, int32_t index, float otherwise) {
  return values ? values[index] : otherwise;
}

void poet_layer_norm_forward_f32(const poet_layer_norm_shape* shape, const float* x,
                                 const float* scale, const float* bias, float* y, float* mean,
                                 float* inverse_std) {
  const int32_t features = shape->features;
  for (int32_t r = 0; r < shape->rows; ++r) {
    const float* const from = x + (size_t)r * (size_t)features;
    float* const to = y + (size_t)r * (size_t)features;
    const float centre = poet_lane_sum_f32(features, from) / (float)features;
    const float variance = poet_lane_deviation_f32(features, from, centre) / (float)features;
    const float factor = 1.0f / poet_sqrt_f32(variance + shape->epsilon);
    mean[r] = centre;
    inverse_std[r] = factor;
    for (int32_t f = 0; f < features; ++f)
      to[f] = (from[f] - centre) * factor * entry(scale, f, 1.0f) + entry(bias, f, 0.0f);
  }
}

/* Adds one row to the gradients by scale and bias, of which either may be missing. */
static void add_row(int32_t features, const float* x, float mean, float inverse_std,
                    const float* dy, float* dscale, float* dbias) {
  if (dscale)
    for (int32_t f = 0; f < features; ++f) dscale[f] += dy[f] * ((x[f] - mean) * inverse_std);
  if (dbias)
    for (int32_t f = 0; f < features; ++f) dbias[f] += dy[f];
}

enum { BLOCK = 256 };

/* sum of g, and of g * (x - mean), with g = dy * scale; in blocks, as lane_sum.h adds them */
typedef struct row_sums {
  float gradient;
  float deviation;
} row_sums;

static row_sums sums_of(int32_t features, const float* x, float mean, const float* scale,
                        const float* dy) {
  float scaled[BLOCK];
  row_sums sums = {0.0f, 0.0f};
  for (int32_t begin = 0; begin < features; begin += BLOCK) {
    const int32_t length = features - begin < BLOCK ? features - begin : BLOCK;
    for (int32_t f = 0; f < length; ++f) scaled[f] = dy[begin + f] * entry(scale, begin + f, 1.0f);
    sums.gradient += poet_lane_sum_f32(length, scaled);
    sums.deviation += poet_lane_deviation_dot_f32(length, x + begin, mean, scaled);
  }
  return sums;
}

void poet_layer_norm_gradient_f32(const poet_layer_norm_shape* shape, const float* x,
                                  const float* scale, const float* mean, const float* inverse_std,
                                  const float* dy, float* dx, float* dscale, float* dbias) {
  poet_layer_norm_gradient_continued_f32(shape, x, scale, mean, inverse_std, dy, NULL, NULL, dx,
                                         dscale, dbias);
}

void poet_layer_norm_gradient_continued_f32(const poet_layer_norm_shape* shape, const float* x,
                                            const float* scale, const float* mean,
                                            const float* inverse_std, const float* dy,
                                            const float* dscale_sum, const float* dbias_sum,
                                            float* dx, float* dscale, float* dbias) {
  const int32_t features = shape->features;
  for (int32_t f = 0; f < features && dscale; ++f) dscale[f] = entry(dscale_sum, f, 0.0f);
  for (int32_t f = 0; f < features && dbias; ++f) dbias[f] = entry(dbias_sum, f, 0.0f);
  for (int32_t r = 0; r < shape->rows; ++r) {
    const size_t first = (size_t)r * (size_t)features;
    const float* const x_row = x + first;
    const float* const dy_row = dy + first;
    float* const dx_row = dx + first;
    const float centre = mean[r];
    const float factor = inverse_std[r];
    add_row(features, x_row, centre, factor, dy_row, dscale, dbias);
    const row_sums sums = sums_of(features, x_row, centre, scale, dy_row);
    const float shift = sums.gradient / (float)features;
    const float slope = factor * (factor * sums.deviation / (float)features);
    for (int32_t f = 0; f < features; ++f) {
      const float g = dy_row[f] * entry(scale, f, 1.0f);
      dx_row[f] = factor * ((g - shift) - (x_row[f] - centre) * slope);
    }
  }
}
