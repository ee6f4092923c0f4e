#include "poet/runtime/broadcast_sum.h"

#include <stddef.h>
#include <string.h>

#include "poet/runtime/broadcast.h"

void poet_broadcast_sum_forward_f32(const poet_broadcast_sum_shape* shape, const float* dy,
                                    float* d) {
  poet_broadcast_gradient_shape sum = {.kept_rank = shape->kept_rank,
                                       .summed_rank = shape->summed_rank};
  memcpy(sum.kept_extents, shape->kept_extents, sizeof sum.kept_extents);
  memcpy(sum.summed_extents, shape->summed_extents, sizeof sum.summed_extents);
  memcpy(sum.dy_kept_strides, shape->dy_kept_strides, sizeof sum.dy_kept_strides);
  memcpy(sum.dy_summed_strides, shape->dy_summed_strides, sizeof sum.dy_summed_strides);
  poet_add_gradient_f32(&sum, dy, d);

  size_t count = 1;
  for (int32_t axis = 0; axis < shape->kept_rank; ++axis)
    count *= (size_t)shape->kept_extents[axis];
  for (size_t i = 0; i < count; ++i) d[i] = shape->alpha * d[i];
}
