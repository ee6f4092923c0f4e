#include "poet/runtime/norm_parts.h"

#include <stddef.h>

#include "poet/runtime/row_parts.h"

/* scale and bias are 1 and 0 where there are none. */
static float entry(const float* values, int32_t index, float otherwise) {
  return values ? values[index] : otherwise;
}

static size_t row_at(const poet_norm_part_shape* shape, int32_t image, int32_t row) {
  return ((size_t)image * (size_t)shape->rows + (size_t)row) * (size_t)shape->count;
}

static float count_of(const poet_norm_part_shape* shape) {
  return (float)shape->whole_images * (float)shape->whole_extent;
}

/* The sum of the first state of a row, or of the second. */
static float total_of(const float* state, int32_t row, int32_t which) {
  return state[(2 * (size_t)row + (size_t)which + 1) * POET_ROW_STATE - 1];
}

void poet_layer_norm_apply_f32(const poet_norm_part_shape* shape, const float* x, const float* mean,
                               const float* inverse_std, const float* scale, const float* bias,
                               float* y) {
  for (int32_t r = 0; r < shape->rows; ++r) {
    const float* const from = x + row_at(shape, 0, r);
    float* const to = y + row_at(shape, 0, r);
    const float centre = mean[r];
    const float factor = inverse_std[r];
    for (int32_t f = 0; f < shape->count; ++f)
      to[f] = (from[f] - centre) * factor * entry(scale, f, 1.0f) + entry(bias, f, 0.0f);
  }
}

void poet_layer_norm_gradient_factors_f32(const poet_norm_part_shape* shape, const float* state,
                                          const float* inverse_std, float* shift, float* slope) {
  const float features = count_of(shape);
  for (int32_t r = 0; r < shape->rows; ++r) {
    const float factor = inverse_std[r];
    shift[r] = total_of(state, r, 0) / features;
    slope[r] = factor * (factor * total_of(state, r, 1) / features);
  }
}

void poet_layer_norm_gradient_apply_f32(const poet_norm_part_shape* shape, const float* x,
                                        const float* scale, const float* mean,
                                        const float* inverse_std, const float* dy,
                                        const float* shift, const float* slope, float* dx) {
  for (int32_t r = 0; r < shape->rows; ++r) {
    const size_t first = row_at(shape, 0, r);
    const float* const x_row = x + first;
    const float* const dy_row = dy + first;
    float* const dx_row = dx + first;
    const float centre = mean[r];
    const float factor = inverse_std[r];
    const float row_shift = shift[r];
    const float row_slope = slope[r];
    for (int32_t f = 0; f < shape->count; ++f) {
      const float g = dy_row[f] * entry(scale, f, 1.0f);
      dx_row[f] = factor * ((g - row_shift) - (x_row[f] - centre) * row_slope);
    }
  }
}

void poet_layer_norm_scale_gradient_f32(const poet_norm_part_shape* shape, const float* x,
                                        const float* mean, const float* inverse_std,
                                        const float* dy, const float* dscale_sum,
                                        const float* dbias_sum, float* dscale, float* dbias) {
  const int32_t count = shape->count;
  for (int32_t f = 0; f < count; ++f) dscale[f] = entry(dscale_sum, f, 0.0f);
  for (int32_t f = 0; f < count; ++f) dbias[f] = entry(dbias_sum, f, 0.0f);
  for (int32_t r = 0; r < shape->rows; ++r) {
    const float* const x_row = x + row_at(shape, 0, r);
    const float* const dy_row = dy + row_at(shape, 0, r);
    const float centre = mean[r];
    const float factor = inverse_std[r];
    for (int32_t f = 0; f < count; ++f) dscale[f] += dy_row[f] * ((x_row[f] - centre) * factor);
    for (int32_t f = 0; f < count; ++f) dbias[f] += dy_row[f];
  }
}

void poet_batch_norm_apply_f32(const poet_norm_part_shape* shape, const float* x, const float* mean,
                               const float* inverse_std, const float* scale, const float* bias,
                               float* y) {
  for (int32_t n = 0; n < shape->images; ++n) {
    for (int32_t c = 0; c < shape->rows; ++c) {
      const float* const from = x + row_at(shape, n, c);
      float* const to = y + row_at(shape, n, c);
      const float centre = mean[c];
      const float factor = inverse_std[c] * scale[c];
      const float added = bias[c];
      for (int32_t p = 0; p < shape->count; ++p) to[p] = (from[p] - centre) * factor + added;
    }
  }
}

void poet_batch_norm_gradient_factors_f32(const poet_norm_part_shape* shape, const float* state,
                                          const float* inverse_std, float* dscale, float* dbias) {
  for (int32_t c = 0; c < shape->rows; ++c) {
    dbias[c] = total_of(state, c, 0);
    dscale[c] = inverse_std[c] * total_of(state, c, 1);
  }
}

void poet_batch_norm_gradient_apply_f32(const poet_norm_part_shape* shape, const float* x,
                                        const float* scale, const float* mean,
                                        const float* inverse_std, const float* dy,
                                        const float* dscale, const float* dbias, float* dx) {
  for (int32_t c = 0; c < shape->rows; ++c) {
    const float factor = scale[c] * inverse_std[c];
    const float centre = mean[c];
    const float shift = dbias[c] / count_of(shape);
    const float slope = inverse_std[c] * (dscale[c] / count_of(shape));
    for (int32_t n = 0; n < shape->images; ++n) {
      const size_t first = row_at(shape, n, c);
      for (size_t p = first; p < first + (size_t)shape->count; ++p)
        dx[p] = factor * ((dy[p] - shift) - (x[p] - centre) * slope);
    }
  }
}
