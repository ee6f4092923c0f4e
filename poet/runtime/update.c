#include "poet/runtime/update.h"

#include <stddef.h>

#include "poet/runtime/float_inline.h"
#include "poet/runtime/float_math.h"

void poet_sgd_update_f32(const poet_sgd_shape* shape, const float* parameter, const float* gradient,
                         const poet_step_words* step, const float* clip, float* new_parameter) {
  const int32_t count = shape->count;
  const float decay = shape->weight_decay;
  const float rate = step->learning_rate;
  const float scale = clip ? *clip : 1.0f;
  for (int32_t i = 0; i < count; ++i) {
    const float p = parameter[i];
    const float g = gradient[i] * scale + decay * p;
    new_parameter[i] = p - rate * g;
  }
}

/* Element i of the gradient, clipped and with the decay of a parameter, if there is one. */
static float gradient_at(const float* gradient, const float* parameter, int32_t i, float scale,
                         float decay) {
  const float g = gradient[i] * scale;
  return parameter ? g + decay * parameter[i] : g;
}

void poet_velocity_update_f32(const poet_velocity_shape* shape, const float* velocity,
                              const float* gradient, const float* parameter,
                              const poet_step_words* step, const float* clip, float* new_velocity) {
  const int32_t count = shape->count;
  const float decay = shape->weight_decay;
  const float momentum = shape->momentum;
  const float taken = 1.0f - shape->dampening;
  const float scale = clip ? *clip : 1.0f;
  const int first = step->step == 1;
  for (int32_t i = 0; i < count; ++i) {
    const float g = gradient_at(gradient, parameter, i, scale, decay);
    new_velocity[i] = first ? g : momentum * velocity[i] + taken * g;
  }
}

void poet_nesterov_update_f32(const poet_nesterov_shape* shape, const float* parameter,
                              const float* velocity, const float* gradient,
                              const poet_step_words* step, const float* clip,
                              float* new_parameter) {
  const int32_t count = shape->count;
  const float decay = shape->weight_decay;
  const float momentum = shape->momentum;
  const float rate = step->learning_rate;
  const float scale = clip ? *clip : 1.0f;
  for (int32_t i = 0; i < count; ++i) {
    const float g = gradient_at(gradient, parameter, i, scale, decay);
    new_parameter[i] = parameter[i] - rate * (g + momentum * velocity[i]);
  }
}

void poet_first_moment_update_f32(const poet_moment_shape* shape, const float* m,
                                  const float* gradient, const float* parameter, const float* clip,
                                  float* new_m) {
  const int32_t count = shape->count;
  const float decay = shape->weight_decay;
  const float kept = shape->beta;
  const float taken = shape->one_minus_beta;
  const float scale = clip ? *clip : 1.0f;
  for (int32_t i = 0; i < count; ++i) {
    const float g = gradient_at(gradient, parameter, i, scale, decay);
    new_m[i] = kept * m[i] + taken * g;
  }
}

void poet_second_moment_update_f32(const poet_moment_shape* shape, const float* v,
                                   const float* gradient, const float* parameter, const float* clip,
                                   float* new_v) {
  const int32_t count = shape->count;
  const float decay = shape->weight_decay;
  const float kept = shape->beta;
  const float taken = shape->one_minus_beta;
  const float scale = clip ? *clip : 1.0f;
  for (int32_t i = 0; i < count; ++i) {
    const float g = gradient_at(gradient, parameter, i, scale, decay);
    new_v[i] = kept * v[i] + taken * (g * g);
  }
}

void poet_adam_update_f32(const poet_adam_shape* shape, const float* parameter, const float* m,
                          const float* v, const poet_step_words* step, float* new_parameter) {
  const int32_t count = shape->count;
  const float decay = 1.0f - step->learning_rate * shape->weight_decay;
  const float step_size = step->learning_rate / step->first_correction;
  const float root_correction = poet_sqrt_f32(step->second_correction);
  for (int32_t i = 0; i < count; ++i) {
    const float root = poet_sqrt_inline(v[i]) / root_correction + shape->epsilon;
    new_parameter[i] = parameter[i] * decay - step_size * (m[i] / root);
  }
}
