#include "poet/runtime/pool.h"

#include <stddef.h>

/* The places of the input that one output meets, along one dimension: begin, begin + step ... */
typedef struct pool_range {
  int32_t begin, end, step;
  int32_t counted; /* by an average */
} pool_range;

/* How windows lie along one dimension. In a variable of its own, which no write to a tensor
 * changes: compilers keep it in registers. */
typedef struct pool_axis {
  int32_t first, stride; /* where the first window begins, and from one to the next */
  int32_t step;          /* within a window */
  int32_t window, reach; /* places, and how far they reach */
  int32_t outputs, input;
  int32_t counted_input; /* with the padding behind it, where an average counts that; or 0 */
} pool_axis;

/* A line of outputs: those of one depth and height. */
typedef struct pool_line {
  pool_range deep, high;
  size_t output; /* the place of the first in y, within its plane */
} pool_line;

/* One plane of each tensor; a kernel uses those that it has. */
typedef struct pool_plane {
  const int32_t* input;
  const float* x;
  const float* dy;
  float* y;
  float* dx;
} pool_plane;

static pool_axis axis_of(const poet_pool_shape* shape, int32_t d) {
  const int32_t step = shape->dilation[d];
  const pool_axis axis = {
      -shape->padding_begin[d],
      shape->stride[d],
      step,
      shape->window[d],
      shape->window[d] * step,
      shape->output[d],
      shape->input[d],
      shape->counts_padding ? shape->input[d] + shape->padding_end[d] : 0,
  };
  return axis;
}

static int32_t ceil_divided(int32_t count, int32_t step) {
  return step == 1 ? count : (count + step - 1) / step;
}

/* Of the output whose window begins at `start`, in the padding or not. */
static inline pool_range range_from(const pool_axis* axis, int32_t start) {
  const int32_t beyond = start + axis->reach;
  pool_range range = {start, beyond, axis->step, axis->window};
  if (start >= 0 && beyond <= axis->input) return range;
  if (start < 0) range.begin = start + ceil_divided(-start, axis->step) * axis->step;
  if (beyond > axis->input) range.end = axis->input;
  range.counted = ceil_divided(
      axis->counted_input ? (beyond < axis->counted_input ? beyond : axis->counted_input) - start
                          : range.end - range.begin,
      axis->step);
  return range;
}

static size_t volume(const int32_t* extents) {
  return (size_t)extents[0] * (size_t)extents[1] * (size_t)extents[2];
}

/* Where a row of the plane begins. */
static size_t row_at(const pool_plane* plane, int32_t deep, int32_t high) {
  return ((size_t)deep * (size_t)plane->input[1] + (size_t)high) * (size_t)plane->input[2];
}

/* From one row, or plane, of a window to the next. */
static size_t row_step_of(const pool_plane* plane, pool_range high) {
  return (size_t)high.step * (size_t)plane->input[2];
}
static size_t plane_step_of(const pool_plane* plane, pool_range deep) {
  return (size_t)deep.step * (size_t)plane->input[1] * (size_t)plane->input[2];
}

typedef void pool_visit(const pool_axis* axis, const pool_plane* plane, const pool_line* line);

static void visit_plane(const poet_pool_shape* shape, const pool_plane* plane, pool_visit* visit) {
  const pool_axis deep = axis_of(shape, 0);
  const pool_axis high = axis_of(shape, 1);
  const pool_axis wide = axis_of(shape, 2);
  pool_line line;
  line.output = 0;
  for (int32_t i = 0; i < deep.outputs; ++i) {
    line.deep = range_from(&deep, deep.first + i * deep.stride);
    for (int32_t j = 0; j < high.outputs; ++j) {
      line.high = range_from(&high, high.first + j * high.stride);
      visit(&wide, plane, &line);
      line.output += (size_t)wide.outputs;
    }
  }
}

static void set_zero(size_t count, float* values) {
  for (size_t i = 0; i < count; ++i) values[i] = 0.0f;
}

/* The first place of the largest value, or of a NaN, from where the line begins. */
static inline size_t place_of_largest(const float* x, pool_range deep, pool_range high,
                                      pool_range wide, size_t plane_step, size_t row_step) {
  size_t best = (size_t)wide.begin;
  float largest = x[best];
  size_t plane = 0;
  for (int32_t d = deep.begin; d < deep.end; d += deep.step, plane += plane_step) {
    size_t row = plane;
    for (int32_t h = high.begin; h < high.end; h += high.step, row += row_step) {
      for (int32_t w = wide.begin; w < wide.end; w += wide.step) {
        const float value = x[row + (size_t)w];
        if (value > largest || (value != value && largest == largest)) {
          largest = value;
          best = row + (size_t)w;
        }
      }
    }
  }
  return best;
}

static void take_largest(const pool_axis* axis, const pool_plane* plane, const pool_line* line) {
  const pool_axis windows = *axis;
  const pool_range deep = line->deep, high = line->high;
  const size_t plane_step = plane_step_of(plane, deep), row_step = row_step_of(plane, high);
  const float* const x = plane->x + row_at(plane, deep.begin, high.begin);
  float* const y = plane->y + line->output;
  int32_t start = windows.first;
  for (int32_t o = 0; o < windows.outputs; ++o, start += windows.stride)
    y[o] = x[place_of_largest(x, deep, high, range_from(&windows, start), plane_step, row_step)];
}

static void give_to_largest(const pool_axis* axis, const pool_plane* plane, const pool_line* line) {
  const pool_axis windows = *axis;
  const pool_range deep = line->deep, high = line->high;
  const size_t plane_step = plane_step_of(plane, deep), row_step = row_step_of(plane, high);
  const size_t begin = row_at(plane, deep.begin, high.begin);
  const float* const x = plane->x + begin;
  const float* const dy = plane->dy + line->output;
  float* const dx = plane->dx + begin;
  int32_t start = windows.first;
  for (int32_t o = 0; o < windows.outputs; ++o, start += windows.stride)
    dx[place_of_largest(x, deep, high, range_from(&windows, start), plane_step, row_step)] += dy[o];
}

void poet_max_pool_forward_f32(const poet_pool_shape* shape, const float* x, float* y) {
  for (int32_t p = 0; p < shape->planes; ++p) {
    const pool_plane plane = {shape->input, x + (size_t)p * volume(shape->input), NULL,
                              y + (size_t)p * volume(shape->output), NULL};
    visit_plane(shape, &plane, take_largest);
  }
}

void poet_max_pool_gradient_f32(const poet_pool_shape* shape, const float* x, const float* dy,
                                float* dx) {
  set_zero((size_t)shape->planes * volume(shape->input), dx);
  for (int32_t p = 0; p < shape->planes; ++p) {
    const size_t first = (size_t)p * volume(shape->input);
    const pool_plane plane = {shape->input, x + first, dy + (size_t)p * volume(shape->output), NULL,
                              dx + first};
    visit_plane(shape, &plane, give_to_largest);
  }
}

/* Of the places of a line; times those of the width it is the count of a window. */
static float line_count(const pool_line* line) {
  return (float)line->deep.counted * (float)line->high.counted;
}

static void take_average(const pool_axis* axis, const pool_plane* plane, const pool_line* line) {
  const pool_axis windows = *axis;
  const pool_range deep = line->deep, high = line->high;
  const size_t plane_step = plane_step_of(plane, deep), row_step = row_step_of(plane, high);
  const float count = line_count(line);
  const float* const x = plane->x + row_at(plane, deep.begin, high.begin);
  float* const y = plane->y + line->output;
  int32_t start = windows.first;
  for (int32_t o = 0; o < windows.outputs; ++o, start += windows.stride) {
    const pool_range wide = range_from(&windows, start);
    const float* first_row = x;
    float sum = 0.0f;
    for (int32_t d = deep.begin; d < deep.end; d += deep.step, first_row += plane_step) {
      const float* row = first_row;
      for (int32_t h = high.begin; h < high.end; h += high.step, row += row_step) {
        float row_sum = 0.0f;
        for (int32_t w = wide.begin; w < wide.end; w += wide.step) row_sum += row[w];
        sum += row_sum;
      }
    }
    y[o] = sum / (count * (float)wide.counted);
  }
}

static void give_shares(const pool_axis* axis, const pool_plane* plane, const pool_line* line) {
  const pool_axis windows = *axis;
  const pool_range deep = line->deep, high = line->high;
  const size_t plane_step = plane_step_of(plane, deep), row_step = row_step_of(plane, high);
  const float count = line_count(line);
  const float* const dy = plane->dy + line->output;
  float* const dx = plane->dx + row_at(plane, deep.begin, high.begin);
  int32_t start = windows.first;
  for (int32_t o = 0; o < windows.outputs; ++o, start += windows.stride) {
    const pool_range wide = range_from(&windows, start);
    const float share = dy[o] / (count * (float)wide.counted);
    float* first_row = dx;
    for (int32_t d = deep.begin; d < deep.end; d += deep.step, first_row += plane_step) {
      float* row = first_row;
      for (int32_t h = high.begin; h < high.end; h += high.step, row += row_step) {
        for (int32_t w = wide.begin; w < wide.end; w += wide.step) row[w] += share;
      }
    }
  }
}

void poet_average_pool_forward_f32(const poet_pool_shape* shape, const float* x, float* y) {
  for (int32_t p = 0; p < shape->planes; ++p) {
    const pool_plane plane = {shape->input, x + (size_t)p * volume(shape->input), NULL,
                              y + (size_t)p * volume(shape->output), NULL};
    visit_plane(shape, &plane, take_average);
  }
}

void poet_average_pool_gradient_f32(const poet_pool_shape* shape, const float* dy, float* dx) {
  set_zero((size_t)shape->planes * volume(shape->input), dx);
  for (int32_t p = 0; p < shape->planes; ++p) {
    const pool_plane plane = {shape->input, NULL, dy + (size_t)p * volume(shape->output), NULL,
                              dx + (size_t)p * volume(shape->input)};
    visit_plane(shape, &plane, give_shares);
  }
}
