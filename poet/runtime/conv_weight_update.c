#include "poet/runtime/weight_update.h"

void poet_conv_weight_update_f32(const poet_conv_weight_update_shape* shape, const float* value,
                                 const float* x, const float* dy, const float* other,
                                 const poet_step_words* step, float* new_value, void* workspace) {
  const poet_conv_shape* const conv = &shape->gradient;
  const poet_updated_weight weight = {value, other, step, new_value};
  const int32_t row_length =
      conv->in_channels / conv->groups * conv->kernel[0] * conv->kernel[1] * conv->kernel[2];
  float* const gradient = workspace;
  for (int32_t row = 0; row < conv->out_channels; row += shape->slice_rows) {
    const int32_t left = conv->out_channels - row;
    const poet_rows rows = {row, row + (left < shape->slice_rows ? left : shape->slice_rows)};
    poet_conv_weight_gradient_rows_f32(rows.begin, rows.end, conv, x, dy, gradient);
    poet_update_rows_f32(&shape->update, rows, row_length, &weight, gradient);
  }
}
