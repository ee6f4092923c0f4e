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

/* The index-th weight of a row. Where one comes before it in the panel, most follow that one. */
static void place_weight(const poet_conv_shape* shape, const conv_sizes* sizes, int32_t index,
                         int has_previous, poet_panel_place* place) {
  static const int32_t kNoBegin[3] = {0, 0, 0};
  const int32_t kernel = (int32_t)sizes->kernel;
  const int32_t dilation = shape->dilation[2];
  const int32_t last = (shape->kernel[2] - 1) * dilation;
  if (has_previous && place[-1].at[2] != last) {
    *place = place[-1];
    place->at[2] += dilation;
    place->offset += dilation;
    return;
  }
  place_in(index % kernel, shape->kernel, shape->dilation, kNoBegin, shape->input, place);
  place->offset += index / kernel * sizes->input;
}

/* Some rows of the weights of a group, for the (image, output) pairs that are the rows of the
 * panel. dw begins with the first of them. */
static void add_outputs(const poet_conv_shape* shape, const conv_sizes* sizes, int32_t group_rows,
                        const poet_weight_block* block, const float* x, const float* dy,
                        poet_panel_places* places, poet_panel* panel, float* dw) {
  const int32_t columns = block->end_column - block->first_column;
  const poet_panel_rows rows = {group_rows, sizes->output, columns};
  for (int32_t first = 0; first < columns; first += POET_PANEL_COLUMNS) {
    panel->columns = columns - first < POET_PANEL_COLUMNS ? columns - first : POET_PANEL_COLUMNS;
    for (int32_t j = 0; j < panel->columns; ++j) {
      place_weight(shape, sizes, block->first_column + first + j, j > 0, &places->columns[j]);
      panel->target_offsets[j] = first + j;
    }
    poet_panel_fill_from_row_lines_f32(places, x, panel);
    poet_panel_product_f32(&rows, dy, panel, dw);
  }
}

/* Of each group the rows that are wanted. */
static void add_rows(const poet_conv_shape* shape, const conv_sizes* sizes,
                     const poet_weight_block* block, const float* x, const float* dy,
                     poet_panel_places* places, poet_panel* panel, float* dw) {
  const ptrdiff_t columns = block->end_column - block->first_column;
  int32_t row = block->first_row;
  while (row < block->end_row) {
    const int32_t g = row / sizes->group_rows;
    const int32_t group_end = (g + 1) * sizes->group_rows;
    const int32_t end = block->end_row < group_end ? block->end_row : group_end;
    add_outputs(shape, sizes, end - row, block, x + g * sizes->group_input,
                dy + row * sizes->output, places, panel, dw + (row - block->first_row) * columns);
    row = end;
  }
}

/* With fewer rows of a group, filling panels costs more than the products that they make faster. */
enum { LEAST_ROWS_FOR_PANELS = 2, WEIGHTS_AT_ONCE = 3 };

/* The outputs [begin, end) of a line that meet the input at a place of the kernel. */
typedef struct output_range {
  int32_t begin, end;
} output_range;

static output_range outputs_at(const poet_conv_shape* shape, int32_t d, int32_t kernel) {
  const int32_t stride = shape->stride[d];
  const int32_t start = kernel * shape->dilation[d] - shape->padding[d];
  const int32_t room = shape->input[d] - start;
  output_range range;
  range.begin = start < 0 ? (stride - 1 - start) / stride : 0;
  range.end = 0;
  if (room > 0) range.end = (room + stride - 1) / stride;
  if (range.end > shape->output[d]) range.end = shape->output[d];
  return range;
}

/* Neighbours along the width of a kernel, and what they meet. */
typedef struct weight_group {
  int32_t count;    /* 1 to WEIGHTS_AT_ONCE */
  ptrdiff_t offset; /* in x, of the first weight and output 0 of a line */
  ptrdiff_t apart;  /* in x, from one weight to the next */
  output_range wide[WEIGHTS_AT_ONCE];
  output_range common; /* of all */
  float sums[WEIGHTS_AT_ONCE];
} weight_group;

/* Of neighbouring lines of a kernel those weights, and the outputs that each line meets. */
typedef struct weight_lines {
  int32_t count; /* 1 to WEIGHTS_AT_ONCE */
  output_range high[WEIGHTS_AT_ONCE];
  weight_group groups[WEIGHTS_AT_ONCE];
} weight_lines;

/* One weight after the other. */
static void add_each(weight_group* group, const float* dy, const float* x, ptrdiff_t offset,
                     ptrdiff_t step) {
  for (int32_t t = 0; t < group->count; ++t) {
    float sum = group->sums[t];
    for (int32_t o = group->wide[t].begin; o < group->wide[t].end; ++o)
      sum += dy[o] * x[offset + t * group->apart + o * step];
    group->sums[t] = sum;
  }
}

/* Three weights. Before the outputs that all meet the first does not, behind them the last. */
static void add_three(weight_group* group, const float* dy, const float* x, ptrdiff_t offset,
                      ptrdiff_t step) {
  const ptrdiff_t one = group->apart, two = 2 * group->apart;
  const int32_t begin = group->common.begin, end = group->common.end;
  float s0 = group->sums[0], s1 = group->sums[1], s2 = group->sums[2];
  int32_t o = group->wide[2].begin;
  for (ptrdiff_t at = offset + o * step; o < begin; ++o, at += step) {
    if (o >= group->wide[1].begin) s1 += dy[o] * x[at + one];
    s2 += dy[o] * x[at + two];
  }
  const float* place = x + (offset + begin * step);
  for (o = begin; o < end; ++o, place += step) {
    const float factor = dy[o];
    s0 += factor * place[0];
    s1 += factor * place[one];
    s2 += factor * place[two];
  }
  for (ptrdiff_t at = offset + o * step; o < group->wide[0].end; ++o, at += step) {
    s0 += dy[o] * x[at];
    if (o < group->wide[1].end) s1 += dy[o] * x[at + one];
  }
  group->sums[0] = s0;
  group->sums[1] = s1;
  group->sums[2] = s2;
}

/* Three lines of three weights, of which each sum goes through the outputs as it would by itself:
 * nine sums stay in registers, and an output is read once for all. */
static void add_nine(weight_lines* lines, const float* dy, const float* x,
                     const ptrdiff_t offsets[WEIGHTS_AT_ONCE], ptrdiff_t step) {
  weight_group* const g = lines->groups;
  const output_range* const wide = g[0].wide; /* of all lines */
  const ptrdiff_t one = g[0].apart, two = 2 * g[0].apart;
  const ptrdiff_t to_b = offsets[1] - offsets[0], to_c = offsets[2] - offsets[0];
  const int32_t begin = g[0].common.begin, end = g[0].common.end;
  float a0 = g[0].sums[0], a1 = g[0].sums[1], a2 = g[0].sums[2];
  float b0 = g[1].sums[0], b1 = g[1].sums[1], b2 = g[1].sums[2];
  float c0 = g[2].sums[0], c1 = g[2].sums[1], c2 = g[2].sums[2];
  int32_t o = wide[2].begin;
  for (ptrdiff_t at = offsets[0] + o * step; o < begin; ++o, at += step) {
    const float factor = dy[o];
    if (o >= wide[1].begin) {
      a1 += factor * x[at + one];
      b1 += factor * x[at + to_b + one];
      c1 += factor * x[at + to_c + one];
    }
    a2 += factor * x[at + two];
    b2 += factor * x[at + to_b + two];
    c2 += factor * x[at + to_c + two];
  }
  const float* a = x + (offsets[0] + begin * step);
  const float* b = a + to_b;
  const float* c = a + to_c;
  for (o = begin; o < end; ++o, a += step, b += step, c += step) {
    const float factor = dy[o];
    a0 += factor * a[0];
    a1 += factor * a[one];
    a2 += factor * a[two];
    b0 += factor * b[0];
    b1 += factor * b[one];
    b2 += factor * b[two];
    c0 += factor * c[0];
    c1 += factor * c[one];
    c2 += factor * c[two];
  }
  for (ptrdiff_t at = offsets[0] + o * step; o < wide[0].end; ++o, at += step) {
    const float factor = dy[o];
    a0 += factor * x[at];
    b0 += factor * x[at + to_b];
    c0 += factor * x[at + to_c];
    if (o >= wide[1].end) continue;
    a1 += factor * x[at + one];
    b1 += factor * x[at + to_b + one];
    c1 += factor * x[at + to_c + one];
  }
  g[0].sums[0] = a0, g[0].sums[1] = a1, g[0].sums[2] = a2;
  g[1].sums[0] = b0, g[1].sums[1] = b1, g[1].sums[2] = b2;
  g[2].sums[0] = c0, g[2].sums[1] = c1, g[2].sums[2] = c2;
}

static int meets_in_common(const weight_group* group) {
  return group->count == WEIGHTS_AT_ONCE && group->common.begin < group->common.end;
}

/* A line of the outputs, for the lines of a kernel that meet it. */
static void add_lines(const poet_conv_shape* shape, weight_lines* lines, int32_t j, const float* dy,
                      const float* x, ptrdiff_t plane) {
  const ptrdiff_t step = shape->stride[2];
  const ptrdiff_t line = plane + (ptrdiff_t)j * shape->stride[1] * shape->input[2];
  ptrdiff_t offsets[WEIGHTS_AT_ONCE];
  int32_t met = 0;
  for (int32_t l = 0; l < lines->count; ++l) {
    offsets[l] = line + lines->groups[l].offset;
    met += lines->high[l].begin <= j && j < lines->high[l].end;
  }
  const int is_common = meets_in_common(&lines->groups[0]); /* so in every line */
  if (is_common && met == WEIGHTS_AT_ONCE) {
    add_nine(lines, dy, x, offsets, step);
    return;
  }
  for (int32_t l = 0; l < lines->count; ++l) {
    if (j < lines->high[l].begin || lines->high[l].end <= j) continue;
    if (is_common)
      add_three(&lines->groups[l], dy, x, offsets[l], step);
    else
      add_each(&lines->groups[l], dy, x, offsets[l], step);
  }
}

/* All outputs of a row of the weights, for lines at one depth of the kernel. */
static void add_outputs_of_lines(const poet_conv_shape* shape, const conv_sizes* sizes,
                                 int32_t deep, const float* x, const float* dy,
                                 weight_lines* lines) {
  const output_range deep_range = outputs_at(shape, 0, deep);
  const ptrdiff_t plane = (ptrdiff_t)shape->input[1] * shape->input[2];
  for (int32_t n = 0; n < shape->batch; ++n) {
    const float* const image_x = x + n * shape->in_channels * sizes->input;
    const float* const image_dy = dy + n * shape->out_channels * sizes->output;
    for (int32_t i = deep_range.begin; i < deep_range.end; ++i) {
      const int32_t from_deep =
          i * shape->stride[0] + deep * shape->dilation[0] - shape->padding[0];
      for (int32_t j = 0; j < shape->output[1]; ++j)
        add_lines(shape, lines, j,
                  image_dy + ((ptrdiff_t)i * shape->output[1] + j) * shape->output[2], image_x,
                  from_deep * plane);
    }
  }
}

static int32_t at_once(int32_t left) {
  return left >= WEIGHTS_AT_ONCE ? WEIGHTS_AT_ONCE : 1;
}

/* Weights of a line of the kernel, from one on, that begin with their sums. */
static void begin_group(const poet_conv_shape* shape, int32_t high, int32_t wide, const float* dw,
                        weight_group* group) {
  group->count = at_once(shape->kernel[2] - wide);
  group->apart = shape->dilation[2];
  group->offset = (ptrdiff_t)(high * shape->dilation[1] - shape->padding[1]) * shape->input[2] +
                  (wide * shape->dilation[2] - shape->padding[2]);
  for (int32_t t = 0; t < group->count; ++t) {
    group->wide[t] = outputs_at(shape, 2, wide + t);
    group->sums[t] = dw[t];
  }
  group->common.begin = group->wide[0].begin;
  group->common.end = group->wide[group->count - 1].end;
}

/* The weights of one row that belong to one channel of the input. */
static void add_kernel(const poet_conv_shape* shape, const conv_sizes* sizes, const float* x,
                       const float* dy, float* dw) {
  const int32_t width = shape->kernel[2];
  weight_lines lines;
  for (int32_t deep = 0; deep < shape->kernel[0]; ++deep) {
    for (int32_t high = 0; high < shape->kernel[1];
         high += lines.count, dw += lines.count * width) {
      lines.count = at_once(shape->kernel[1] - high);
      for (int32_t l = 0; l < lines.count; ++l) lines.high[l] = outputs_at(shape, 1, high + l);
      for (int32_t wide = 0; wide < width; wide += lines.groups[0].count) {
        for (int32_t l = 0; l < lines.count; ++l)
          begin_group(shape, high + l, wide, dw + l * width + wide, &lines.groups[l]);
        add_outputs_of_lines(shape, sizes, deep, x, dy, &lines);
        for (int32_t l = 0; l < lines.count; ++l)
          for (int32_t t = 0; t < lines.groups[l].count; ++t)
            dw[l * width + wide + t] = lines.groups[l].sums[t];
      }
    }
  }
}

static void add_rows_by_lines(const poet_conv_shape* shape, const conv_sizes* sizes,
                              int32_t first_row, int32_t end_row, const float* x, const float* dy,
                              float* dw) {
  for (int32_t row = first_row; row < end_row; ++row) {
    const float* const group_x = x + row / sizes->group_rows * sizes->group_input;
    for (int32_t c = 0; c < sizes->group_channels; ++c, dw += sizes->kernel)
      add_kernel(shape, sizes, group_x + c * sizes->input, dy + row * sizes->output, dw);
  }
}

/* Of a block of the weights; dw begins with `sum`, or with zeros. */
static void weight_gradient_block(const poet_weight_block* block, const poet_conv_shape* shape,
                                  const float* x, const float* dy, const float* sum, float* dw) {
  const conv_sizes sizes = sizes_of(shape);
  const int32_t begins[3] = {-shape->padding[0], -shape->padding[1], -shape->padding[2]};
  const int32_t output = (int32_t)sizes.output;
  const int32_t pairs = shape->batch * output;
  poet_panel_places places;
  poet_panel panel;
  ptrdiff_t left_offsets[POET_PANEL_DEPTH];
  for (int32_t d = 0; d < 3; ++d) places.extents[d] = shape->input[d];
  begin_with(
      (ptrdiff_t)(block->end_row - block->first_row) * (block->end_column - block->first_column),
      sum, dw);
  if (sizes.group_rows < LEAST_ROWS_FOR_PANELS) {
    add_rows_by_lines(shape, &sizes, block->first_row, block->end_row, x, dy, dw);
    return;
  }
  places.step = shape->stride[2];
  for (int32_t first = 0; first < pairs; first += POET_PANEL_DEPTH) {
    panel.depth = pairs - first < POET_PANEL_DEPTH ? pairs - first : POET_PANEL_DEPTH;
    for (int32_t k = 0; k < panel.depth;) {
      const int32_t image = (first + k) / output;
      const int32_t place = (first + k) % output;
      const int32_t left = shape->output[2] - place % shape->output[2]; /* of this line */
      const int32_t end = k + left < panel.depth ? k + left : panel.depth;
      ptrdiff_t factor = image * shape->out_channels * sizes.output + place;
      place_in(place, shape->output, shape->stride, begins, shape->input, &places.rows[k]);
      places.rows[k].offset += image * shape->in_channels * sizes.input;
      places.line_ends[k] = (unsigned char)end;
      for (; k < end; ++k) left_offsets[k] = factor++;
    }
    poet_panel_find_runs(left_offsets, &panel);
    add_rows(shape, &sizes, block, x, dy, &places, &panel, dw);
  }
}

void poet_conv_weight_gradient_block_f32(const poet_weight_block* block,
                                         const poet_conv_shape* shape, const float* x,
                                         const float* dy, float* dw) {
  weight_gradient_block(block, shape, x, dy, NULL, dw);
}

static poet_weight_block whole_weight(const poet_conv_shape* shape) {
  const poet_weight_block block = {
      0, shape->out_channels, 0,
      shape->in_channels / shape->groups * (int32_t)volume(shape->kernel)};
  return block;
}

void poet_conv_weight_gradient_f32(const poet_conv_shape* shape, const float* x, const float* dy,
                                   float* dw) {
  const poet_weight_block whole = whole_weight(shape);
  weight_gradient_block(&whole, shape, x, dy, NULL, dw);
}

void poet_conv_weight_gradient_continued_f32(const poet_conv_shape* shape, const float* x,
                                             const float* dy, const float* sum, float* dw) {
  const poet_weight_block whole = whole_weight(shape);
  weight_gradient_block(&whole, shape, x, dy, sum, dw);
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
