#include "poet/runtime/strided_copy.h"

#include <string.h>

#include "poet/runtime/axes.h"

/* The size is written out so that each element is moved by one instruction. */
#define POET_FOR_SIZE(element_bytes, MOVE) \
  switch (element_bytes) {                 \
    case 1:                                \
      MOVE(1)                              \
      break;                               \
    case 2:                                \
      MOVE(2)                              \
      break;                               \
    case 4:                                \
      MOVE(4)                              \
      break;                               \
    default:                               \
      MOVE(8)                              \
      break;                               \
  }

#define POET_MOVE_EACH(bytes)           \
  for (int32_t i = 0; i < count; ++i) { \
    memcpy(to, from, bytes);            \
    to += to_step * (bytes);            \
    from += from_step * (bytes);        \
  }

static void move_each(int32_t element_bytes, int32_t count, char* to, ptrdiff_t to_step,
                      const char* from, ptrdiff_t from_step) {
  POET_FOR_SIZE(element_bytes, POET_MOVE_EACH)
}

/* Rows of y that are written side by side where x is read across: their elements are neighbours in
 * x, and the first-level cache of most machines holds eight lines that are a power of two apart. */
enum { BAND = 8 };

#define POET_MOVE_BAND(bytes)          \
  for (int32_t j = 0; j < count; ++j)  \
    for (int32_t i = 0; i < rows; ++i) \
      memcpy(to + ((ptrdiff_t)i * count + j) * (bytes), from + (i + j * step) * (bytes), bytes);

static void move_band(int32_t element_bytes, int32_t rows, int32_t count, char* to,
                      const char* from, ptrdiff_t step) {
  POET_FOR_SIZE(element_bytes, POET_MOVE_BAND)
}

static poet_axes axes_of(const poet_strided_copy_shape* shape) {
  poet_axes axes;
  axes.rank = 0;
  poet_axes_append(&axes, shape->rank, shape->extents, shape->x_strides, NULL, NULL);
  poet_axes_merge(&axes);
  return axes;
}

/* The two innermost loops transpose: the outer of them moves x by one element. */
static int is_transposition(const poet_axes* axes) {
  return axes->rank >= 2 && axes->steps[0][axes->rank - 2] == 1;
}

/* y's last two axes at once, in bands of rows. */
static void transpose(const poet_axes* axes, int32_t bytes, char* to, const char* from) {
  const int32_t rows = axes->extents[axes->rank - 2];
  const int32_t count = axes->extents[axes->rank - 1];
  const ptrdiff_t step = axes->steps[0][axes->rank - 1];
  for (int32_t begin = 0; begin < rows; begin += BAND) {
    const int32_t band = rows - begin < BAND ? rows - begin : BAND;
    move_band(bytes, band, count, to, from, step);
    to += (ptrdiff_t)band * count * bytes;
    from += (ptrdiff_t)band * bytes;
  }
}

static void copy_row(const poet_axes* axes, int32_t bytes, char* to, const char* from) {
  const int32_t count = axes->extents[axes->rank - 1];
  const ptrdiff_t step = axes->steps[0][axes->rank - 1];
  if (step == 1)
    memcpy(to, from, (size_t)count * (size_t)bytes);
  else
    move_each(bytes, count, to, 1, from, step);
}

void poet_strided_copy_forward(const poet_strided_copy_shape* shape, const void* x, void* y) {
  const poet_axes axes = axes_of(shape);
  const int32_t bytes = shape->element_bytes;
  const int32_t inner_loops = is_transposition(&axes) ? 2 : 1;
  ptrdiff_t piece_bytes = bytes;
  for (int32_t axis = axes.rank - inner_loops; axis < axes.rank; ++axis)
    piece_bytes *= axes.extents[axis];
  char* to = y;
  poet_place place = {0};
  do {
    const char* from = (const char*)x + (shape->x_offset + place.offsets[0]) * bytes;
    if (inner_loops == 2)
      transpose(&axes, bytes, to, from);
    else
      copy_row(&axes, bytes, to, from);
    to += piece_bytes;
  } while (poet_next_place(&axes, axes.rank - inner_loops, &place));
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
