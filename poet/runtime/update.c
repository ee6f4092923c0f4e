#include "poet/runtime/update.h"

#include <stddef.h>

#include "poet/runtime/float_math.h"

void poet_sgd_update_f32(const poet_sgd_shape* shape, const float* parameter, const float* gradient,
                         const poet_step* step, const float* clip, float* new_parameter) {
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

void poet_momentum_update_f32(const poet_momentum_shape* shape, const float* parameter,
                              const float* gradient, const float* velocity, const poet_step* step,
                              const float* clip, float* new_parameter, float* new_velocity) {
  const int32_t count = shape->count;
  const float decay = shape->weight_decay;
  const float momentum = shape->momentum;
  const float taken = 1.0f - shape->dampening;
  const float rate = step->learning_rate;
  const float scale = clip ? *clip : 1.0f;
  const int first = step->step == 1;
  for (int32_t i = 0; i < count; ++i) {
    const float p = parameter[i];
    const float g = gradient[i] * scale + decay * p;
    const float v = first ? g : momentum * velocity[i] + taken * g;
    new_velocity[i] = v;
    new_parameter[i] = p - rate * (shape->nesterov ? g + momentum * v : v);
  }
}

/* Adam's constants of one step. */
typedef struct adam_step {
  float step_size;       /* learning_rate / first_correction */
  float root_correction; /* sqrt(second_correction) */
} adam_step;

static adam_step adam_step_of(const poet_step* step) {
  const adam_step made = {step->learning_rate / step->first_correction,
                          poet_sqrt_f32(step->second_correction)};
  return made;
}

/* p after the decay, and g after it, give the new p. */
static float adam_parameter(const poet_adam_shape* shape, adam_step constants, float p, float g,
                            float* m, float* v) {
  *m = shape->beta1 * *m + shape->one_minus_beta1 * g;
  *v = shape->beta2 * *v + shape->one_minus_beta2 * (g * g);
  const float root = poet_sqrt_f32(*v) / constants.root_correction + shape->epsilon;
  return p - constants.step_size * (*m / root);
}

void poet_adam_update_f32(const poet_adam_shape* shape, const float* parameter,
                          const float* gradient, const float* m, const float* v,
                          const poet_step* step, const float* clip, float* new_parameter,
                          float* new_m, float* new_v) {
  const float scale = clip ? *clip : 1.0f;
  const adam_step constants = adam_step_of(step);
  for (int32_t i = 0; i < shape->count; ++i) {
    const float p = parameter[i];
    const float g = gradient[i] * scale + shape->weight_decay * p;
    float first = m[i];
    float second = v[i];
    new_parameter[i] = adam_parameter(shape, constants, p, g, &first, &second);
    new_m[i] = first;
    new_v[i] = second;
  }
}

void poet_adamw_update_f32(const poet_adam_shape* shape, const float* parameter,
                           const float* gradient, const float* m, const float* v,
                           const poet_step* step, const float* clip, float* new_parameter,
                           float* new_m, float* new_v) {
  const float scale = clip ? *clip : 1.0f;
  const float decay = 1.0f - step->learning_rate * shape->weight_decay;
  const adam_step constants = adam_step_of(step);
  for (int32_t i = 0; i < shape->count; ++i) {
    const float g = gradient[i] * scale;
    float first = m[i];
    float second = v[i];
    new_parameter[i] = adam_parameter(shape, constants, parameter[i] * decay, g, &first, &second);
    new_m[i] = first;
    new_v[i] = second;
  }
}
