#include "poet/runtime/strided_copy.h"

#include <string.h>

#include "poet/runtime/axes.h"

/* The size is written out so that each element is moved by one instruction. */
#define POET_MOVE_EACH(bytes)           \
  for (int32_t i = 0; i < count; ++i) { \
    memcpy(to, from, bytes);            \
    to += to_step * (bytes);            \
    from += from_step * (bytes);        \
  }

static void move_each(int32_t element_bytes, int32_t count, char* to, ptrdiff_t to_step,
                      const char* from, ptrdiff_t from_step) {
  switch (element_bytes) {
    case 1:
      POET_MOVE_EACH(1)
      break;
    case 2:
      POET_MOVE_EACH(2)
      break;
    case 4:
      POET_MOVE_EACH(4)
      break;
    default:
      POET_MOVE_EACH(8)
      break;
  }
}

static poet_axes axes_of(const poet_strided_copy_shape* shape) {
  poet_axes axes;
  axes.rank = 0;
  poet_axes_append(&axes, shape->rank, shape->extents, shape->x_strides, NULL, NULL);
  poet_axes_merge(&axes);
  return axes;
}

void poet_strided_copy_forward(const poet_strided_copy_shape* shape, const void* x, void* y) {
  const poet_axes axes = axes_of(shape);
  const int32_t bytes = shape->element_bytes;
  const int32_t count = axes.extents[axes.rank - 1];
  const ptrdiff_t step = axes.steps[0][axes.rank - 1];
  const size_t row_bytes = (size_t)count * (size_t)bytes;
  char* to = y;
  poet_place place = {0};
  do {
    const char* from = (const char*)x + (shape->x_offset + place.offsets[0]) * bytes;
    if (step == 1)
      memcpy(to, from, row_bytes);
    else
      move_each(bytes, count, to, 1, from, step);
    to += row_bytes;
  } while (poet_next_place(&axes, axes.rank - 1, &place));
}

void poet_strided_copy_gradient(const poet_strided_copy_shape* shape, const void* dy, void* dx) {
  const poet_axes axes = axes_of(shape);
  const int32_t bytes = shape->element_bytes;
  const int32_t count = axes.extents[axes.rank - 1];
  const ptrdiff_t step = axes.steps[0][axes.rank - 1];
  const size_t row_bytes = (size_t)count * (size_t)bytes;
  memset(dx, 0, (size_t)shape->x_count * (size_t)bytes);
  const char* from = dy;
  poet_place place = {0};
  do {
    char* to = (char*)dx + (shape->x_offset + place.offsets[0]) * bytes;
    if (step == 1)
      memcpy(to, from, row_bytes);
    else
      move_each(bytes, count, to, step, from, 1);
    from += row_bytes;
  } while (poet_next_place(&axes, axes.rank - 1, &place));
}
