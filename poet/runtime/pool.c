#include "poet/runtime/pool.h"

#include <stddef.h>

/* The places of the input that one output meets, along one dimension: begin, begin + step ... */
typedef struct pool_range {
  int32_t begin, end, step;
  int32_t counted; /* by an average */
} pool_range;

typedef struct pool_window {
  pool_range ranges[3];
  size_t output; /* the place of y that it makes, within its plane */
} pool_window;

/* One plane of each tensor; a kernel uses those that it has. */
typedef struct pool_plane {
  const int32_t* input;
  const float* x;
  const float* dy;
  float* y;
  float* dx;
} pool_plane;

static int32_t ceil_divided(int32_t count, int32_t step) {
  return step == 1 ? count : (count + step - 1) / step;
}

static pool_range range_of(const poet_pool_shape* shape, int32_t d, int32_t output) {
  const int32_t step = shape->dilation[d];
  const int32_t start = output * shape->stride[d] - shape->padding_begin[d];
  const int32_t beyond = start + shape->window[d] * step;
  const int32_t padded = shape->input[d] + shape->padding_end[d];
  pool_range range = {start, beyond < shape->input[d] ? beyond : shape->input[d], step, 0};
  if (start < 0) range.begin = start + ceil_divided(-start, step) * step;
  if (shape->counts_padding)
    range.counted = ceil_divided((beyond < padded ? beyond : padded) - start, step);
  else
    range.counted = ceil_divided(range.end - range.begin, step);
  return range;
}

static size_t volume(const int32_t* extents) {
  return (size_t)extents[0] * (size_t)extents[1] * (size_t)extents[2];
}

/* Where a row of the plane begins. */
static size_t row_at(const pool_plane* plane, int32_t deep, int32_t high) {
  return ((size_t)deep * (size_t)plane->input[1] + (size_t)high) * (size_t)plane->input[2];
}

typedef void pool_visit(const pool_plane* plane, const pool_window* window);

static void visit_plane(const poet_pool_shape* shape, const pool_plane* plane, pool_visit* visit) {
  pool_window window;
  window.output = 0;
  for (int32_t deep = 0; deep < shape->output[0]; ++deep) {
    window.ranges[0] = range_of(shape, 0, deep);
    for (int32_t high = 0; high < shape->output[1]; ++high) {
      window.ranges[1] = range_of(shape, 1, high);
      for (int32_t wide = 0; wide < shape->output[2]; ++wide) {
        window.ranges[2] = range_of(shape, 2, wide);
        visit(plane, &window);
        ++window.output;
      }
    }
  }
}

static void set_zero(size_t count, float* values) {
  for (size_t i = 0; i < count; ++i) values[i] = 0.0f;
}

/* The first place of the largest value, or of a NaN. */
static size_t place_of_largest(const pool_plane* plane, const pool_window* window) {
  const pool_range deep = window->ranges[0];
  const pool_range high = window->ranges[1];
  const pool_range wide = window->ranges[2];
  size_t best = row_at(plane, deep.begin, high.begin) + (size_t)wide.begin;
  float largest = plane->x[best];
  for (int32_t d = deep.begin; d < deep.end; d += deep.step) {
    for (int32_t h = high.begin; h < high.end; h += high.step) {
      const size_t row = row_at(plane, d, h);
      for (int32_t w = wide.begin; w < wide.end; w += wide.step) {
        const float value = plane->x[row + (size_t)w];
        if (value > largest || (value != value && largest == largest)) {
          largest = value;
          best = row + (size_t)w;
        }
      }
    }
  }
  return best;
}

static void take_largest(const pool_plane* plane, const pool_window* window) {
  plane->y[window->output] = plane->x[place_of_largest(plane, window)];
}

static void give_to_largest(const pool_plane* plane, const pool_window* window) {
  plane->dx[place_of_largest(plane, window)] += plane->dy[window->output];
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

static float count_of(const pool_window* window) {
  return (float)window->ranges[0].counted * (float)window->ranges[1].counted *
         (float)window->ranges[2].counted;
}

static void take_average(const pool_plane* plane, const pool_window* window) {
  const pool_range deep = window->ranges[0];
  const pool_range high = window->ranges[1];
  const pool_range wide = window->ranges[2];
  float sum = 0.0f;
  for (int32_t d = deep.begin; d < deep.end; d += deep.step) {
    for (int32_t h = high.begin; h < high.end; h += high.step) {
      const float* const row = plane->x + row_at(plane, d, h);
      float row_sum = 0.0f;
      for (int32_t w = wide.begin; w < wide.end; w += wide.step) row_sum += row[w];
      sum += row_sum;
    }
  }
  plane->y[window->output] = sum / count_of(window);
}

static void give_shares(const pool_plane* plane, const pool_window* window) {
  const pool_range deep = window->ranges[0];
  const pool_range high = window->ranges[1];
  const pool_range wide = window->ranges[2];
  const float share = plane->dy[window->output] / count_of(window);
  for (int32_t d = deep.begin; d < deep.end; d += deep.step) {
    for (int32_t h = high.begin; h < high.end; h += high.step) {
      float* const row = plane->dx + row_at(plane, d, h);
      for (int32_t w = wide.begin; w < wide.end; w += wide.step) row[w] += share;
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
