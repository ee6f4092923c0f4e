/* The loops of poet/runtime/unary.h, into which each function puts its expression: of x, alpha and
 * beta for a forward pass; of `source` (the name given: x or y), dy, alpha and beta for a gradient.
 */
#pragma once

#include "poet/runtime/unary.h"

#define POET_UNARY_FORWARD(name, value)                                                       \
  void poet_##name##_forward_f32(const poet_unary_shape* shape, const float* xs, float* ys) { \
    const int32_t count = shape->count;                                                       \
    const float alpha = shape->alpha;                                                         \
    const float beta = shape->beta;                                                           \
    (void)alpha;                                                                              \
    (void)beta;                                                                               \
    for (int32_t i = 0; i < count; ++i) {                                                     \
      const float x = xs[i];                                                                  \
      ys[i] = (value);                                                                        \
    }                                                                                         \
  }

#define POET_UNARY_GRADIENT(name, source, value)                                       \
  void poet_##name##_gradient_f32(const poet_unary_shape* shape, const float* sources, \
                                  const float* dys, float* dxs) {                      \
    const int32_t count = shape->count;                                                \
    const float alpha = shape->alpha;                                                  \
    const float beta = shape->beta;                                                    \
    (void)alpha;                                                                       \
    (void)beta;                                                                        \
    for (int32_t i = 0; i < count; ++i) {                                              \
      const float source = sources[i];                                                 \
      const float dy = dys[i];                                                         \
      dxs[i] = (value);                                                                \
    }                                                                                  \
  }
