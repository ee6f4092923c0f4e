/* The gradients of poet/runtime/broadcast.h. In the terms u is dy. */
#include "poet/runtime/broadcast.h"
#include "poet/runtime/float_math.h"
#include "poet/runtime/fold_loop.h"

/* An operand that a gradient does not read is replaced by dy. */
static void sum_terms(const poet_broadcast_gradient_shape* shape, const float* dy, const float* a,
                      const float* b, float* d, const poet_fold* terms) {
  poet_axes kept;
  poet_axes summed;
  kept.rank = 0;
  summed.rank = 0;
  poet_axes_append(&kept, shape->kept_rank, shape->kept_extents, shape->dy_kept_strides,
                   a ? shape->a_kept_strides : shape->dy_kept_strides,
                   b ? shape->b_kept_strides : shape->dy_kept_strides);
  poet_axes_append(&summed, shape->summed_rank, shape->summed_extents, shape->dy_summed_strides,
                   a ? shape->a_summed_strides : shape->dy_summed_strides,
                   b ? shape->b_summed_strides : shape->dy_summed_strides);
  const poet_inputs inputs = {{dy, a ? a : dy, b ? b : dy}, {4, 4, 4}};
  poet_fold_rows(kept, summed, &inputs, d, terms);
}

POET_SUM(add_terms, float, u)

void poet_add_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy, float* d) {
  sum_terms(shape, dy, NULL, NULL, d, &add_terms);
}

POET_SUM(sub_b_terms, float, -u)

void poet_sub_b_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                             float* d) {
  sum_terms(shape, dy, NULL, NULL, d, &sub_b_terms);
}

POET_SUM(mul_terms, float, (u * b))

void poet_mul_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                           const float* b, float* d) {
  sum_terms(shape, dy, NULL, b, d, &mul_terms);
}

POET_SUM(div_a_terms, float, u / b)

void poet_div_a_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                             const float* b, float* d) {
  sum_terms(shape, dy, NULL, b, d, &div_a_terms);
}

POET_SUM(div_b_terms, float, -u*((a / b) / b))

void poet_div_b_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                             const float* a, const float* b, float* d) {
  sum_terms(shape, dy, a, b, d, &div_b_terms);
}

static float pow_a_term(float dy, float a, float b) {
  return b == 0.0f ? 0.0f : dy * (b * poet_pow_f32(a, b - 1.0f));
}

POET_SUM(pow_a_terms, float, pow_a_term(u, a, b))

void poet_pow_a_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                             const float* a, const float* b, float* d) {
  sum_terms(shape, dy, a, b, d, &pow_a_terms);
}

static float pow_b_term(float dy, float a, float b) {
  return a == 0.0f && b >= 0.0f ? 0.0f : dy * (poet_pow_f32(a, b) * poet_log_f32(a));
}

POET_SUM(pow_b_terms, float, pow_b_term(u, a, b))

void poet_pow_b_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                             const float* a, const float* b, float* d) {
  sum_terms(shape, dy, a, b, d, &pow_b_terms);
}

POET_SUM(max_terms, float, a > b ? u : (a == b ? 0.5f * u : 0.0f))

void poet_max_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                           const float* a, const float* b, float* d) {
  sum_terms(shape, dy, a, b, d, &max_terms);
}

POET_SUM(min_terms, float, a < b ? u : (a == b ? 0.5f * u : 0.0f))

void poet_min_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                           const float* a, const float* b, float* d) {
  sum_terms(shape, dy, a, b, d, &min_terms);
}
