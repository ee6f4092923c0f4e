#include "poet/runtime/broadcast_sum.h"

#include <stddef.h>
#include <string.h>

#include "poet/runtime/broadcast.h"
#include "poet/runtime/fold_loop.h"

static size_t count_of(const poet_broadcast_sum_shape* shape) {
  size_t count = 1;
  for (int32_t axis = 0; axis < shape->kept_rank; ++axis)
    count *= (size_t)shape->kept_extents[axis];
  return count;
}

void poet_broadcast_sum_forward_f32(const poet_broadcast_sum_shape* shape, const float* dy,
                                    float* d) {
  poet_broadcast_gradient_shape sum = {.kept_rank = shape->kept_rank,
                                       .summed_rank = shape->summed_rank};
  memcpy(sum.kept_extents, shape->kept_extents, sizeof sum.kept_extents);
  memcpy(sum.summed_extents, shape->summed_extents, sizeof sum.summed_extents);
  memcpy(sum.dy_kept_strides, shape->dy_kept_strides, sizeof sum.dy_kept_strides);
  memcpy(sum.dy_summed_strides, shape->dy_summed_strides, sizeof sum.dy_summed_strides);
  poet_add_gradient_f32(&sum, dy, d);

  const size_t count = count_of(shape);
  for (size_t i = 0; i < count; ++i) d[i] = shape->alpha * d[i];
}

POET_SUM(plus, float, u)
POET_SUM(minus, float, -u)

void poet_broadcast_sum_continued_f32(const poet_broadcast_sum_shape* shape, const float* dy,
                                      const float* sum, float* d) {
  const size_t count = count_of(shape);
  const poet_inputs inputs = {{dy, dy, dy}, {4, 4, 4}};
  poet_axes kept;
  poet_axes summed;
  kept.rank = 0;
  summed.rank = 0;
  poet_axes_append(&kept, shape->kept_rank, shape->kept_extents, shape->dy_kept_strides,
                   shape->dy_kept_strides, shape->dy_kept_strides);
  poet_axes_append(&summed, shape->summed_rank, shape->summed_extents, shape->dy_summed_strides,
                   shape->dy_summed_strides, shape->dy_summed_strides);
  if (d != sum) memcpy(d, sum, count * sizeof(float));
  /* The first term is added too. */
  poet_fold fold = shape->alpha == -1.0f ? minus : plus;
  fold.first = fold.next;
  poet_fold_rows(kept, summed, &inputs, d, &fold);
  if (shape->alpha == 1.0f || shape->alpha == -1.0f) return;
  for (size_t i = 0; i < count; ++i) d[i] = shape->alpha * d[i];
}
