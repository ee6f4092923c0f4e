/* The gradients of poet/runtime/reduce.h. */
#include "poet/runtime/float_inline.h"
#include "poet/runtime/reduce.h"
#include "poet/runtime/reduce_axes.h"

/* Sorts the loops by how far they move x, the farthest first: as x is dense, this is its layout. */
static void sort_by_layout(poet_axes* axes) {
  for (int32_t end = axes->rank; end > 1; --end) {
    for (int32_t axis = 1; axis < end; ++axis) {
      if (axes->steps[0][axis - 1] >= axes->steps[0][axis]) continue;
      const int32_t extent = axes->extents[axis];
      axes->extents[axis] = axes->extents[axis - 1];
      axes->extents[axis - 1] = extent;
      for (int32_t input = 0; input < POET_MAX_INPUTS; ++input) {
        const ptrdiff_t step = axes->steps[input][axis];
        axes->steps[input][axis] = axes->steps[input][axis - 1];
        axes->steps[input][axis - 1] = step;
      }
    }
  }
}

/* The loops over all of x: the inputs are x, and twice y's layout. An axis of one element may have
 * any stride, and is left out. */
static poet_axes axes_of_x(const poet_reduce_shape* shape) {
  int32_t y_strides[8];
  int32_t stride = 1;
  for (int32_t axis = shape->kept_rank - 1; axis >= 0; --axis) {
    y_strides[axis] = stride;
    stride *= shape->kept_extents[axis];
  }
  poet_axes axes;
  axes.rank = 0;
  poet_axes_append(&axes, shape->kept_rank, shape->kept_extents, shape->kept_strides, y_strides,
                   y_strides);
  poet_axes_append(&axes, shape->reduced_rank, shape->reduced_extents, shape->reduced_strides, NULL,
                   NULL);
  sort_by_layout(&axes);
  return axes;
}

/* dx = value of x, y and dy, element by element; x and y may be NULL. */
static void spread(const poet_reduce_shape* shape, const float* x, const float* y, const float* dy,
                   float* dx, poet_row_function* row) {
  const poet_inputs inputs = {{x, y, dy}, {4, 4, 4}};
  poet_fill_rows(axes_of_x(shape), &inputs, dx, 4, row);
}

static void copy_row(const poet_row* row) {
  const float* dy = row->inputs[2];
  float* dx = row->out;
  const ptrdiff_t step = row->steps[2];
  for (int32_t i = 0; i < row->count; ++i) dx[i] = dy[i * step];
}

void poet_reduce_sum_gradient_f32(const poet_reduce_shape* shape, const float* dy, float* dx) {
  spread(shape, NULL, NULL, dy, dx, copy_row);
}

void poet_reduce_mean_gradient_f32(const poet_reduce_shape* shape, const float* dy, float* dx) {
  spread(shape, NULL, NULL, dy, dx, copy_row);
  const poet_axes all = axes_of_x(shape);
  const poet_axes reduced = poet_reduced_axes(shape);
  const int32_t count = (int32_t)poet_axes_count(&all);
  const float n = (float)poet_axes_count(&reduced);
  for (int32_t i = 0; i < count; ++i) dx[i] /= n;
}

static void square_row(const poet_row* row) {
  const float* x = row->inputs[0];
  const float* dy = row->inputs[2];
  float* dx = row->out;
  const ptrdiff_t step = row->steps[2];
  for (int32_t i = 0; i < row->count; ++i) dx[i] = 2.0f * dy[i * step] * x[i];
}

void poet_reduce_sum_of_squares_gradient_f32(const poet_reduce_shape* shape, const float* x,
                                             const float* dy, float* dx) {
  spread(shape, x, NULL, dy, dx, square_row);
}

static void l2_row(const poet_row* row) {
  const float* x = row->inputs[0];
  const float* y = row->inputs[1];
  const float* dy = row->inputs[2];
  float* dx = row->out;
  const ptrdiff_t step = row->steps[2];
  for (int32_t i = 0; i < row->count; ++i)
    dx[i] = y[i * step] == 0.0f ? 0.0f : dy[i * step] / y[i * step] * x[i];
}

void poet_reduce_l2_gradient_f32(const poet_reduce_shape* shape, const float* x, const float* y,
                                 const float* dy, float* dx) {
  spread(shape, x, y, dy, dx, l2_row);
}

static void exp_row(const poet_row* row) {
  const float* x = row->inputs[0];
  const float* y = row->inputs[1];
  const float* dy = row->inputs[2];
  float* dx = row->out;
  const ptrdiff_t step = row->steps[2];
  for (int32_t i = 0; i < row->count; ++i)
    dx[i] = dy[i * step] * poet_exp_inline(x[i] - y[i * step]);
}

void poet_reduce_log_sum_exp_gradient_f32(const poet_reduce_shape* shape, const float* x,
                                          const float* y, const float* dy, float* dx) {
  spread(shape, x, y, dy, dx, exp_row);
}

/* One number of y and what it was made of: x and dx move over the reduced axes. */
typedef void poet_back_function(const poet_axes* reduced, const float* x, float y, float dy,
                                float* dx);

static void for_each_kept(const poet_reduce_shape* shape, const float* x, const float* y,
                          const float* dy, float* dx, poet_back_function* back) {
  const poet_axes kept = poet_kept_axes(shape);
  poet_axes reduced = poet_reduced_axes(shape);
  poet_axes_merge(&reduced);
  poet_place place = {0};
  do {
    back(&reduced, x + place.offsets[0], *y++, *dy++, dx + place.offsets[0]);
  } while (poet_next_place(&kept, kept.rank, &place));
}

static void give_to_first(const poet_axes* reduced, const float* x, float y, float dy, float* dx) {
  int given = 0;
  poet_place place = {0};
  do {
    const float element = x[place.offsets[0]];
    const int gets = !given && (element == y || element != element);
    dx[place.offsets[0]] = gets ? dy : 0.0f;
    given |= gets;
  } while (poet_next_place(reduced, reduced->rank, &place));
}

void poet_reduce_max_gradient_f32(const poet_reduce_shape* shape, const float* x, const float* y,
                                  const float* dy, float* dx) {
  for_each_kept(shape, x, y, dy, dx, give_to_first);
}

void poet_reduce_min_gradient_f32(const poet_reduce_shape* shape, const float* x, const float* y,
                                  const float* dy, float* dx) {
  for_each_kept(shape, x, y, dy, dx, give_to_first);
}

/* Each element's gradient is the product of the others: of all but the zeros where it is the only
 * zero, and nothing where there is another. */
static void give_others(const poet_axes* reduced, const float* x, float y, float dy, float* dx) {
  int32_t zeros = 0;
  float others = 1.0f;
  poet_place place = {0};
  do {
    const float element = x[place.offsets[0]];
    if (element == 0.0f)
      ++zeros;
    else
      others *= element;
  } while (poet_next_place(reduced, reduced->rank, &place));
  do {
    const float element = x[place.offsets[0]];
    float gradient = 0.0f;
    if (zeros == 0) gradient = dy * (y / element);
    if (zeros == 1 && element == 0.0f) gradient = dy * others;
    dx[place.offsets[0]] = gradient;
  } while (poet_next_place(reduced, reduced->rank, &place));
}

void poet_reduce_product_gradient_f32(const poet_reduce_shape* shape, const float* x,
                                      const float* y, const float* dy, float* dx) {
  for_each_kept(shape, x, y, dy, dx, give_others);
}
