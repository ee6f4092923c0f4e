#include "poet/runtime/reduce.h"

#include <string.h>

#include "poet/runtime/float_bits.h"
#include "poet/runtime/float_inline.h"
#include "poet/runtime/float_math.h"
#include "poet/runtime/fold_loop.h"
#include "poet/runtime/reduce_axes.h"

static void reduce(const poet_reduce_shape* shape, const float* x, float* y,
                   const poet_fold* fold) {
  const poet_inputs inputs = {{x, x, x}, {4, 4, 4}};
  poet_fold_rows(poet_kept_axes(shape), poet_reduced_axes(shape), &inputs, y, fold);
}

static int32_t kept_count(const poet_reduce_shape* shape) {
  const poet_axes kept = poet_kept_axes(shape);
  return (int32_t)poet_axes_count(&kept);
}

POET_SUM(sum, float, u)

void poet_reduce_sum_forward_f32(const poet_reduce_shape* shape, const float* x, float* y) {
  reduce(shape, x, y, &sum);
}

void poet_reduce_mean_forward_f32(const poet_reduce_shape* shape, const float* x, float* y) {
  reduce(shape, x, y, &sum);
  const poet_axes reduced = poet_reduced_axes(shape);
  const float n = (float)poet_axes_count(&reduced);
  const int32_t count = kept_count(shape);
  for (int32_t i = 0; i < count; ++i) y[i] /= n;
}

void poet_reduce_sum_continued_f32(const poet_reduce_shape* shape, const float* x,
                                   const float* total, float* y) {
  if (y != total) memcpy(y, total, (size_t)kept_count(shape) * sizeof(float));
  /* The first element is added too. */
  poet_fold fold = sum;
  fold.first = fold.next;
  reduce(shape, x, y, &fold);
}

void poet_reduce_mean_continued_f32(const poet_reduce_mean_part_shape* shape, const float* x,
                                    const float* total, float* y) {
  poet_reduce_sum_continued_f32(&shape->part, x, total, y);
  const float n = (float)shape->count;
  const int32_t count = kept_count(&shape->part);
  for (int32_t i = 0; i < count; ++i) y[i] /= n;
}

/* A NaN, once taken, stays: nothing is greater or less. */
POET_FOLD(largest, float, u, u > total || u != u ? u : total)
POET_FOLD(smallest, float, u, u < total || u != u ? u : total)

void poet_reduce_max_forward_f32(const poet_reduce_shape* shape, const float* x, float* y) {
  reduce(shape, x, y, &largest);
}

void poet_reduce_min_forward_f32(const poet_reduce_shape* shape, const float* x, float* y) {
  reduce(shape, x, y, &smallest);
}

POET_FOLD(product, float, u, (u * total))

void poet_reduce_product_forward_f32(const poet_reduce_shape* shape, const float* x, float* y) {
  reduce(shape, x, y, &product);
}

POET_SUM(squares, float, (u * u))

void poet_reduce_sum_of_squares_forward_f32(const poet_reduce_shape* shape, const float* x,
                                            float* y) {
  reduce(shape, x, y, &squares);
}

void poet_reduce_l2_forward_f32(const poet_reduce_shape* shape, const float* x, float* y) {
  reduce(shape, x, y, &squares);
  const int32_t count = kept_count(shape);
  for (int32_t i = 0; i < count; ++i) y[i] = poet_sqrt_f32(y[i]);
}

/* The sum of exp(x - most) over the reduced axes. */
static float sum_of_exp(const poet_axes* reduced, const float* x, float most) {
  const int32_t count = reduced->extents[reduced->rank - 1];
  const ptrdiff_t step = reduced->steps[0][reduced->rank - 1];
  poet_place place = {0};
  float total = 0.0f;
  do {
    const float* row = x + place.offsets[0];
    for (int32_t i = 0; i < count; ++i) total += poet_exp_inline(row[i * step] - most);
  } while (poet_next_place(reduced, reduced->rank - 1, &place));
  return total;
}

void poet_reduce_log_sum_exp_forward_f32(const poet_reduce_shape* shape, const float* x, float* y) {
  reduce(shape, x, y, &largest);
  const poet_axes kept = poet_kept_axes(shape);
  poet_axes reduced = poet_reduced_axes(shape);
  poet_axes_merge(&reduced);
  poet_place place = {0};
  do {
    if (poet_magnitude(*y) < poet_infinity())
      *y += poet_log_f32(sum_of_exp(&reduced, x + place.offsets[0], *y));
    ++y;
  } while (poet_next_place(&kept, kept.rank, &place));
}
