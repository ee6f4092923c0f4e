#include "poet/runtime/pad.h"

#include <stddef.h>
#include <string.h>

/* The place in x, along an axis of `extent` elements, of what stands at `at`, counted from x's
 * begin; -1 for the constant. */
static int32_t source_of(int32_t mode, int32_t at, int32_t extent) {
  if (at >= 0 && at < extent) return at;
  if (mode == POET_PAD_EDGE) return at < 0 ? 0 : extent - 1;
  if (mode == POET_PAD_REFLECT) return at < 0 ? -at : 2 * (extent - 1) - at;
  return -1;
}

/* The rows of y, in order: y's index along all axes but the last, and the place in x of the row
 * from which this one is made, -1 for the constant. */
typedef struct pad_row {
  int32_t index[8];
  ptrdiff_t source;
} pad_row;

static int32_t extent_of_y(const poet_pad_shape* shape, int32_t axis) {
  return shape->before[axis] + shape->x_extents[axis] + shape->after[axis];
}

static void find_source(const poet_pad_shape* shape, pad_row* row) {
  row->source = 0;
  for (int32_t axis = 0; axis < shape->rank - 1; ++axis) {
    const int32_t at =
        source_of(shape->mode, row->index[axis] - shape->before[axis], shape->x_extents[axis]);
    if (at < 0) {
      row->source = -1;
      return;
    }
    row->source = row->source * shape->x_extents[axis] + at;
  }
  row->source *= shape->x_extents[shape->rank - 1];
}

static int next_row(const poet_pad_shape* shape, pad_row* row) {
  for (int32_t axis = shape->rank - 2; axis >= 0; --axis) {
    if (++row->index[axis] < extent_of_y(shape, axis)) return 1;
    row->index[axis] = 0;
  }
  return 0;
}

void poet_pad_forward_f32(const poet_pad_shape* shape, const float* x, float* y) {
  const int32_t last = shape->rank - 1;
  const int32_t width = extent_of_y(shape, last);
  pad_row row = {{0}, 0};
  do {
    find_source(shape, &row);
    for (int32_t i = 0; i < width; ++i) {
      const int32_t at =
          row.source < 0 ? -1
                         : source_of(shape->mode, i - shape->before[last], shape->x_extents[last]);
      y[i] = at < 0 ? shape->value : x[row.source + at];
    }
    y += width;
  } while (next_row(shape, &row));
}

void poet_pad_gradient_f32(const poet_pad_shape* shape, const float* dy, float* dx) {
  const int32_t last = shape->rank - 1;
  const int32_t width = extent_of_y(shape, last);
  size_t count = 1;
  for (int32_t axis = 0; axis < shape->rank; ++axis) count *= (size_t)shape->x_extents[axis];
  memset(dx, 0, count * sizeof(float));
  pad_row row = {{0}, 0};
  do {
    find_source(shape, &row);
    for (int32_t i = 0; row.source >= 0 && i < width; ++i) {
      const int32_t at = source_of(shape->mode, i - shape->before[last], shape->x_extents[last]);
      if (at >= 0) dx[row.source + at] += dy[i];
    }
    dy += width;
  } while (next_row(shape, &row));
}
