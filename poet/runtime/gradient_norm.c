#include "poet/runtime/gradient_norm.h"

#include "poet/runtime/float_math.h"
#include "poet/runtime/lane_sum.h"

void poet_accumulate_forward_f32(const poet_accumulate_shape* shape, const float* a, const float* b,
                                 float* y) {
  const int32_t count = shape->count;
  for (int32_t i = 0; i < count; ++i) y[i] = a[i] + b[i];
}

void poet_square_norm_forward_f32(const poet_square_norm_shape* shape, const float* x, float* y) {
  *y = poet_lane_dot_f32(shape->count, x, x);
}

static float sum_of(int32_t count, const float* const* partials) {
  float total = *partials[0];
  for (int32_t i = 1; i < count; ++i) total += *partials[i];
  return total;
}

void poet_partials_forward_f32(const poet_partials_shape* shape, const float* x0, const float* x1,
                               const float* x2, const float* x3, const float* x4, const float* x5,
                               const float* x6, const float* x7, float* y) {
  const float* const partials[8] = {x0, x1, x2, x3, x4, x5, x6, x7};
  *y = sum_of(shape->count, partials);
}

void poet_clip_scale_forward_f32(const poet_clip_shape* shape, const float* x0, const float* x1,
                                 const float* x2, const float* x3, const float* x4, const float* x5,
                                 const float* x6, const float* x7, float* clip) {
  const float* const partials[8] = {x0, x1, x2, x3, x4, x5, x6, x7};
  const float norm = poet_sqrt_f32(sum_of(shape->count, partials));
  const float scale = shape->limit / (norm + 1e-6f);
  *clip = scale > 1.0f ? 1.0f : scale;
}
