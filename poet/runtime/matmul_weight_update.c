#include <stddef.h>

#include "poet/runtime/weight_update.h"

static int32_t least(int32_t a, int32_t b) {
  return a < b ? a : b;
}

void poet_matmul_weight_update_f32(const poet_matmul_weight_update_shape* shape, const float* value,
                                   const float* a, const float* b, const float* other,
                                   const poet_step_words* step, float* new_value, void* workspace) {
  const poet_matmul_shape* const whole = &shape->gradient;
  const poet_slices slices = poet_slices_of(whole->rows, whole->columns, shape->slice_rows, 0);
  const poet_updated_weight weight = {value, other, step, new_value};
  poet_matmul_shape slice = *whole;
  float* const gradient = workspace;
  for (int32_t row = 0; row < slices.rows; row += slices.slice_rows) {
    slice.rows = least(slices.slice_rows, slices.rows - row);
    for (int32_t column = 0; column < slices.columns; column += slices.slice_columns) {
      slice.columns = least(slices.slice_columns, slices.columns - column);
      poet_matmul_forward_f32(&slice, a + (ptrdiff_t)row * whole->a_row_stride,
                              b + (ptrdiff_t)column * whole->b_column_stride, NULL, gradient);
      poet_update_slice_f32(&shape->update, &slices, row, column, &weight, gradient);
    }
  }
}
