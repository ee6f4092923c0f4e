#include <stddef.h>

#include "poet/runtime/weight_update.h"

void poet_matmul_weight_update_f32(const poet_matmul_weight_update_shape* shape, const float* value,
                                   const float* a, const float* b, const float* other,
                                   const poet_step_words* step, float* new_value, void* workspace) {
  poet_matmul_shape slice = shape->gradient;
  const poet_updated_weight weight = {value, other, step, new_value};
  float* const gradient = workspace;
  for (int32_t row = 0; row < shape->gradient.rows; row += shape->slice_rows) {
    const int32_t left = shape->gradient.rows - row;
    slice.rows = left < shape->slice_rows ? left : shape->slice_rows;
    const poet_rows rows = {row, row + slice.rows};
    poet_matmul_forward_f32(&slice, a + (ptrdiff_t)row * slice.a_row_stride, b, NULL, gradient);
    poet_update_rows_f32(&shape->update, rows, slice.columns, &weight, gradient);
  }
}
