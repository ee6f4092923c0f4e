/* The loops of functions of two operands with broadcasting, into which each function puts its
 * expression of a and b. For the sources of this room. */
#pragma once

#include "poet/runtime/axes.h"
#include "poet/runtime/broadcast.h"

/* y (type R) = value of a and b (type T) along a row: loops of their own for operands that are both
 * dense, and for one that is repeated. */
#define POET_MAP_ROW(name, T, R, value)      \
  static void name(const poet_row* row) {    \
    const T* as = row->inputs[0];            \
    const T* bs = row->inputs[1];            \
    R* ys = row->out;                        \
    const ptrdiff_t a_step = row->steps[0];  \
    const ptrdiff_t b_step = row->steps[1];  \
    const int32_t count = row->count;        \
    if (a_step == 1 && b_step == 1) {        \
      for (int32_t i = 0; i < count; ++i) {  \
        const T a = as[i];                   \
        const T b = bs[i];                   \
        ys[i] = (value);                     \
      }                                      \
    } else if (a_step == 1 && b_step == 0) { \
      const T b = *bs;                       \
      for (int32_t i = 0; i < count; ++i) {  \
        const T a = as[i];                   \
        ys[i] = (value);                     \
      }                                      \
    } else if (a_step == 0 && b_step == 1) { \
      const T a = *as;                       \
      for (int32_t i = 0; i < count; ++i) {  \
        const T b = bs[i];                   \
        ys[i] = (value);                     \
      }                                      \
    } else {                                 \
      for (int32_t i = 0; i < count; ++i) {  \
        const T a = as[i * a_step];          \
        const T b = bs[i * b_step];          \
        ys[i] = (value);                     \
      }                                      \
    }                                        \
  }

static inline void poet_map_broadcast(const poet_broadcast_shape* shape, const void* a,
                                      const void* b, int32_t operand_bytes, void* y,
                                      int32_t result_bytes, poet_row_function* row) {
  poet_axes axes;
  axes.rank = 0;
  poet_axes_append(&axes, shape->rank, shape->extents, shape->a_strides, shape->b_strides, NULL);
  const poet_inputs inputs = {{a, b, NULL}, {operand_bytes, operand_bytes, 0}};
  poet_fill_rows(axes, &inputs, y, result_bytes, row);
}
