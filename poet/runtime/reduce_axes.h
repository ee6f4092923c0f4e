/* The two nests of loops of a reduction; their first input is x. For the sources of this room. */
#pragma once

#include "poet/runtime/axes.h"
#include "poet/runtime/reduce.h"

static inline poet_axes poet_kept_axes(const poet_reduce_shape* shape) {
  poet_axes axes;
  axes.rank = 0;
  poet_axes_append(&axes, shape->kept_rank, shape->kept_extents, shape->kept_strides,
                   shape->kept_strides, shape->kept_strides);
  return axes;
}

static inline poet_axes poet_reduced_axes(const poet_reduce_shape* shape) {
  poet_axes axes;
  axes.rank = 0;
  poet_axes_append(&axes, shape->reduced_rank, shape->reduced_extents, shape->reduced_strides,
                   shape->reduced_strides, shape->reduced_strides);
  return axes;
}
