#include "poet/runtime/weight_update.h"

static int32_t least(int32_t a, int32_t b) {
  return a < b ? a : b;
}

void poet_conv_weight_update_f32(const poet_conv_weight_update_shape* shape, const float* value,
                                 const float* x, const float* dy, const float* other,
                                 const poet_step_words* step, float* new_value, void* workspace) {
  const poet_conv_shape* const conv = &shape->gradient;
  const poet_updated_weight weight = {value, other, step, new_value};
  const int32_t columns =
      conv->in_channels / conv->groups * conv->kernel[0] * conv->kernel[1] * conv->kernel[2];
  /* A group of one row makes its gradient without panels. */
  const int has_no_panels = conv->out_channels == conv->groups;
  const poet_slices slices =
      poet_slices_of(conv->out_channels, columns, shape->slice_rows, has_no_panels);
  float* const gradient = workspace;
  for (int32_t row = 0; row < slices.rows; row += slices.slice_rows) {
    for (int32_t column = 0; column < columns; column += slices.slice_columns) {
      const poet_weight_block block = {row, least(row + slices.slice_rows, slices.rows), column,
                                       least(column + slices.slice_columns, columns)};
      poet_conv_weight_gradient_block_f32(&block, conv, x, dy, gradient);
      poet_update_slice_f32(&shape->update, &slices, row, column, &weight, gradient);
    }
  }
}
