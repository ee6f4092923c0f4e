#include "poet/runtime/conv.h"

#include <stddef.h>
#include <string.h>

#include "poet/runtime/correlation.h"
#include "poet/runtime/lane_sum.h"
#include "poet/runtime/panel_fill.h"
#include "poet/runtime/panel_product.h"

typedef struct conv_sizes {
  ptrdiff_t input, output, kernel;                   /* places of one channel */
  int32_t group_channels, group_rows;                /* C / G, M / G */
  ptrdiff_t group_input, group_output, group_weight; /* elements of one group */
} conv_sizes;

static ptrdiff_t volume(const int32_t* extents) {
  return (ptrdiff_t)extents[0] * extents[1] * extents[2];
}

static conv_sizes sizes_of(const poet_conv_shape* shape) {
  conv_sizes sizes;
  sizes.input = volume(shape->input);
  sizes.output = volume(shape->output);
  sizes.kernel = volume(shape->kernel);
  sizes.group_channels = shape->in_channels / shape->groups;
  sizes.group_rows = shape->out_channels / shape->groups;
  sizes.group_input = sizes.group_channels * sizes.input;
  sizes.group_output = sizes.group_rows * sizes.output;
  sizes.group_weight = sizes.group_rows * sizes.group_channels * sizes.kernel;
  return sizes;
}

/* Elements from one place to the next, along dimension d. */
static ptrdiff_t stride_of(const int32_t* extents, int32_t d) {
  ptrdiff_t stride = 1;
  for (int32_t behind = 2; behind > d; --behind) stride *= extents[behind];
  return stride;
}

/* What y begins with: `sum`, which may be y itself, or zeros where there is none. */
static void begin_with(ptrdiff_t count, const float* sum, float* y) {
  if (!sum)
    for (ptrdiff_t i = 0; i < count; ++i) y[i] = 0.0f;
  else if (sum != y)
    memcpy(y, sum, (size_t)count * sizeof(float));
}

static void add_bias(int32_t images, int32_t rows, ptrdiff_t places, const float* bias, float* y) {
  for (int32_t image = 0; image < images; ++image) {
    for (int32_t row = 0; row < rows; ++row) {
      float* const plane = y + ((ptrdiff_t)image * rows + row) * places;
      for (ptrdiff_t i = 0; i < places; ++i) plane[i] += bias[row];
    }
  }
}

static poet_correlation forward_correlation(const poet_conv_shape* shape, const conv_sizes* sizes) {
  poet_correlation correlation;
  for (int32_t d = 0; d < 3; ++d) {
    const poet_correlation_axis axis = {
        .pixels = shape->output[d],
        .taps = shape->kernel[d],
        .source_extent = shape->input[d],
        .pixel_begin = -shape->padding[d],
        .pixel_step = shape->stride[d],
        .tap_begin = 0,
        .tap_step = shape->dilation[d],
        .target_begin = 0,
        .target_step = 1,
        .weight_begin = 0,
        .weight_step = 1,
        .source_stride = stride_of(shape->input, d),
        .target_stride = stride_of(shape->output, d),
        .weight_stride = stride_of(shape->kernel, d),
    };
    correlation.axes[d] = axis;
  }
  correlation.images = shape->batch;
  correlation.rows = sizes->group_rows;
  correlation.channels = sizes->group_channels;
  correlation.source_image_stride = shape->in_channels * sizes->input;
  correlation.source_channel_stride = sizes->input;
  correlation.target_image_stride = shape->out_channels * sizes->output;
  correlation.target_row_stride = sizes->output;
  correlation.weight_row_stride = sizes->group_channels * sizes->kernel;
  correlation.weight_channel_stride = sizes->kernel;
  return correlation;
}

void poet_conv_forward_f32(const poet_conv_shape* shape, const float* x, const float* w,
                           const float* bias, float* y) {
  poet_conv_continued_f32(shape, x, w, NULL, bias, y);
}

void poet_conv_continued_f32(const poet_conv_shape* shape, const float* x, const float* w,
                             const float* sum, const float* bias, float* y) {
  const conv_sizes sizes = sizes_of(shape);
  const poet_correlation correlation = forward_correlation(shape, &sizes);
  begin_with((ptrdiff_t)shape->batch * shape->out_channels * sizes.output, sum, y);
  for (int32_t g = 0; g < shape->groups; ++g) {
    poet_correlation_add_f32(&correlation, x + g * sizes.group_input, w + g * sizes.group_weight,
                             y + g * sizes.group_output);
  }
  if (bias) add_bias(shape->batch, shape->out_channels, sizes.output, bias, y);
}

/* The gradient by the input is made in phases, of inputs that are a stride apart: so many have one.
 */
static int32_t phases(const poet_conv_shape* shape, int32_t d) {
  return shape->stride[d] < shape->input[d] ? shape->stride[d] : shape->input[d];
}

/* One dimension of the inputs i from `first` on. All have the same phase (i + padding) % stride,
 * and meet only the places k of the kernel with k * dilation % stride == phase, at the outputs (i +
 * padding - k * dilation) / stride: again a correlation, with steps of one output. */
static poet_correlation_axis phase_axis(const poet_conv_shape* shape, int32_t d, int32_t first) {
  const int32_t stride = shape->stride[d];
  poet_correlation_axis axis = {.source_extent = shape->output[d],
                                .pixel_step = 1,
                                .target_step = stride,
                                .source_stride = stride_of(shape->output, d),
                                .target_stride = stride_of(shape->input, d),
                                .weight_stride = stride_of(shape->kernel, d)};
  int32_t phase = (first + shape->padding[d]) % stride;
  if (phase < 0) phase += stride;
  axis.target_begin = first;
  axis.pixels = (shape->input[d] - first + stride - 1) / stride;

  int32_t last = 0;
  for (int32_t k = 0; k < shape->kernel[d]; ++k) {
    if (k * shape->dilation[d] % stride != phase) continue;
    if (axis.taps == 0) axis.weight_begin = k;
    if (axis.taps == 1) axis.weight_step = k - last;
    last = k;
    ++axis.taps;
  }
  axis.tap_begin = (first + shape->padding[d] - axis.weight_begin * shape->dilation[d]) / stride;
  axis.tap_step = -axis.weight_step * shape->dilation[d] / stride;
  return axis;
}

static poet_correlation gradient_correlation(const poet_conv_shape* shape,
                                             const conv_sizes* sizes) {
  poet_correlation correlation;
  correlation.images = shape->batch;
  correlation.rows = sizes->group_channels;
  correlation.channels = sizes->group_rows;
  correlation.source_image_stride = shape->out_channels * sizes->output;
  correlation.source_channel_stride = sizes->output;
  correlation.target_image_stride = shape->in_channels * sizes->input;
  correlation.target_row_stride = sizes->input;
  correlation.weight_row_stride = sizes->kernel;
  correlation.weight_channel_stride = sizes->group_channels * sizes->kernel;
  return correlation;
}

static void add_phase(const poet_conv_shape* shape, const conv_sizes* sizes,
                      const poet_correlation* correlation, const float* dy, const float* w,
                      float* dx) {
  for (int32_t g = 0; g < shape->groups; ++g) {
    poet_correlation_add_f32(correlation, dy + g * sizes->group_output, w + g * sizes->group_weight,
                             dx + g * sizes->group_input);
  }
}

void poet_conv_input_gradient_f32(const poet_conv_shape* shape, const float* dy, const float* w,
                                  const float* bias, float* dx) {
  poet_conv_input_gradient_continued_f32(shape, dy, w, NULL, bias, dx);
}

void poet_conv_input_gradient_continued_f32(const poet_conv_shape* shape, const float* dy,
                                            const float* w, const float* sum, const float* bias,
                                            float* dx) {
  const conv_sizes sizes = sizes_of(shape);
  poet_correlation correlation = gradient_correlation(shape, &sizes);
  begin_with((ptrdiff_t)shape->batch * shape->in_channels * sizes.input, sum, dx);
  for (int32_t deep = 0; deep < phases(shape, 0); ++deep) {
    correlation.axes[0] = phase_axis(shape, 0, deep);
    for (int32_t high = 0; high < phases(shape, 1); ++high) {
      correlation.axes[1] = phase_axis(shape, 1, high);
      for (int32_t wide = 0; wide < phases(shape, 2); ++wide) {
        correlation.axes[2] = phase_axis(shape, 2, wide);
        add_phase(shape, &sizes, &correlation, dy, w, dx);
      }
    }
  }
  if (bias) add_bias(shape->batch, shape->in_channels, sizes.input, bias, dx);
}

/* The index-th place of a volume, in row-major order, with every index times a step. */
static void place_in(int32_t index, const int32_t* extents, const int32_t* steps,
                     const int32_t* begins, const int32_t* source_extents,
                     poet_panel_place* place) {
  place->offset = 0;
  for (int32_t d = 2; d >= 0; --d) {
    place->at[d] = begins[d] + index % extents[d] * steps[d];
    place->offset += place->at[d] * stride_of(source_extents, d);
    index /= extents[d];
  }
}

/* Some rows of the weights of a group, for the (image, output) pairs that are the rows of the
 * panel.
 */
static void add_outputs(const poet_conv_shape* shape, const conv_sizes* sizes, int32_t group_rows,
                        const float* x, const float* dy, poet_panel_places* places,
                        poet_panel* panel, float* dw) {
  static const int32_t kNoBegin[3] = {0, 0, 0};
  const int32_t kernel = (int32_t)sizes->kernel;
  const int32_t weights = sizes->group_channels * kernel;
  const poet_panel_rows rows = {group_rows, sizes->output, weights};
  for (int32_t first = 0; first < weights; first += POET_PANEL_COLUMNS) {
    panel->columns = weights - first < POET_PANEL_COLUMNS ? weights - first : POET_PANEL_COLUMNS;
    for (int32_t j = 0; j < panel->columns; ++j) {
      poet_panel_place* const place = &places->columns[j];
      place_in((first + j) % kernel, shape->kernel, shape->dilation, kNoBegin, shape->input, place);
      place->offset += (first + j) / kernel * sizes->input;
      panel->target_offsets[j] = first + j;
    }
    poet_panel_fill_f32(places, x, panel);
    poet_panel_product_f32(&rows, dy, panel, dw);
  }
}

/* Of each group the rows that are wanted. */
static void add_rows(const poet_conv_shape* shape, const conv_sizes* sizes, int32_t first_row,
                     int32_t end_row, const float* x, const float* dy, poet_panel_places* places,
                     poet_panel* panel, float* dw) {
  const ptrdiff_t row_weights = sizes->group_channels * sizes->kernel;
  int32_t row = first_row;
  while (row < end_row) {
    const int32_t g = row / sizes->group_rows;
    const int32_t group_end = (g + 1) * sizes->group_rows;
    const int32_t end = end_row < group_end ? end_row : group_end;
    add_outputs(shape, sizes, end - row, x + g * sizes->group_input, dy + row * sizes->output,
                places, panel, dw + (row - first_row) * row_weights);
    row = end;
  }
}

/* Of the rows [first_row, end_row) of the weights; dw begins with `sum`, or with zeros. */
static void weight_gradient_rows(int32_t first_row, int32_t end_row, const poet_conv_shape* shape,
                                 const float* x, const float* dy, const float* sum, float* dw) {
  const conv_sizes sizes = sizes_of(shape);
  const int32_t begins[3] = {-shape->padding[0], -shape->padding[1], -shape->padding[2]};
  const int32_t output = (int32_t)sizes.output;
  const int32_t pairs = shape->batch * output;
  poet_panel_places places;
  poet_panel panel;
  for (int32_t d = 0; d < 3; ++d) places.extents[d] = shape->input[d];
  begin_with((end_row - first_row) * sizes.group_channels * sizes.kernel, sum, dw);
  for (int32_t first = 0; first < pairs; first += POET_PANEL_DEPTH) {
    panel.depth = pairs - first < POET_PANEL_DEPTH ? pairs - first : POET_PANEL_DEPTH;
    for (int32_t k = 0; k < panel.depth; ++k) {
      const int32_t image = (first + k) / output;
      const int32_t place = (first + k) % output;
      place_in(place, shape->output, shape->stride, begins, shape->input, &places.rows[k]);
      places.rows[k].offset += image * shape->in_channels * sizes.input;
      panel.left_offsets[k] = image * shape->out_channels * sizes.output + place;
    }
    add_rows(shape, &sizes, first_row, end_row, x, dy, &places, &panel, dw);
  }
}

void poet_conv_weight_gradient_rows_f32(int32_t first_row, int32_t end_row,
                                        const poet_conv_shape* shape, const float* x,
                                        const float* dy, float* dw) {
  weight_gradient_rows(first_row, end_row, shape, x, dy, NULL, dw);
}

void poet_conv_weight_gradient_f32(const poet_conv_shape* shape, const float* x, const float* dy,
                                   float* dw) {
  weight_gradient_rows(0, shape->out_channels, shape, x, dy, NULL, dw);
}

void poet_conv_weight_gradient_continued_f32(const poet_conv_shape* shape, const float* x,
                                             const float* dy, const float* sum, float* dw) {
  weight_gradient_rows(0, shape->out_channels, shape, x, dy, sum, dw);
}

static void bias_gradient(const poet_conv_shape* shape, const float* dy, const float* sum,
                          float* db) {
  const int32_t places = (int32_t)volume(shape->output);
  for (int32_t m = 0; m < shape->out_channels; ++m) {
    float total = sum ? sum[m] : 0.0f;
    for (int32_t n = 0; n < shape->batch; ++n)
      total += poet_lane_sum_f32(places, dy + ((ptrdiff_t)n * shape->out_channels + m) * places);
    db[m] = total;
  }
}

void poet_conv_bias_gradient_f32(const poet_conv_shape* shape, const float* dy, float* db) {
  bias_gradient(shape, dy, NULL, db);
}

void poet_conv_bias_gradient_continued_f32(const poet_conv_shape* shape, const float* dy,
                                           const float* sum, float* db) {
  bias_gradient(shape, dy, sum, db);
}
