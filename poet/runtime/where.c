#include "poet/runtime/where.h"

#include "poet/runtime/fold_loop.h"

static void choose(const poet_row* row) {
  const uint8_t* condition = row->inputs[0];
  const float* a = row->inputs[1];
  const float* b = row->inputs[2];
  float* y = row->out;
  const ptrdiff_t condition_step = row->steps[0];
  const ptrdiff_t a_step = row->steps[1];
  const ptrdiff_t b_step = row->steps[2];
  for (int32_t i = 0; i < row->count; ++i)
    y[i] = condition[i * condition_step] ? a[i * a_step] : b[i * b_step];
}

void poet_where_forward_f32(const poet_where_shape* shape, const uint8_t* condition, const float* a,
                            const float* b, float* y) {
  poet_axes axes;
  axes.rank = 0;
  poet_axes_append(&axes, shape->rank, shape->extents, shape->condition_strides, shape->a_strides,
                   shape->b_strides);
  const poet_inputs inputs = {{condition, a, b}, {1, 4, 4}};
  poet_fill_rows(axes, &inputs, y, 4, choose);
}

/* In the terms u is dy and a the condition. */
static void sum_chosen(const poet_broadcast_gradient_shape* shape, const float* dy,
                       const uint8_t* condition, float* d, const poet_fold* terms) {
  poet_axes kept;
  poet_axes summed;
  kept.rank = 0;
  summed.rank = 0;
  poet_axes_append(&kept, shape->kept_rank, shape->kept_extents, shape->dy_kept_strides,
                   shape->a_kept_strides, shape->dy_kept_strides);
  poet_axes_append(&summed, shape->summed_rank, shape->summed_extents, shape->dy_summed_strides,
                   shape->a_summed_strides, shape->dy_summed_strides);
  const poet_inputs inputs = {{dy, condition, dy}, {4, 1, 4}};
  poet_fold_rows(kept, summed, &inputs, d, terms);
}

POET_SUM(a_terms, uint8_t, a ? u : 0.0f)

void poet_where_a_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                               const uint8_t* condition, float* d) {
  sum_chosen(shape, dy, condition, d, &a_terms);
}

POET_SUM(b_terms, uint8_t, a ? 0.0f : u)

void poet_where_b_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                               const uint8_t* condition, float* d) {
  sum_chosen(shape, dy, condition, d, &b_terms);
}
