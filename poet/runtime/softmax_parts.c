#include "poet/runtime/softmax_parts.h"

#include <stddef.h>
#include <string.h>

#include "poet/runtime/float_inline.h"
#include "poet/runtime/float_math.h"

/* The neighbours in inner of one place of the axis. */
typedef struct row_place {
  size_t row;    /* of x */
  size_t column; /* of what has no axis */
} row_place;

static row_place place_of(const poet_softmax_shape* shape, int32_t outer, int32_t a) {
  const size_t inner = (size_t)shape->inner;
  const row_place place = {((size_t)outer * (size_t)shape->axis + (size_t)a) * inner,
                           (size_t)outer * inner};
  return place;
}

static size_t columns_of(const poet_softmax_shape* shape) {
  return (size_t)shape->outer * (size_t)shape->inner;
}

/* What a sum begins with. */
static void begin_with(const poet_softmax_shape* shape, const float* earlier, float* sum) {
  if (!earlier)
    for (size_t i = 0; i < columns_of(shape); ++i) sum[i] = 0.0f;
  else if (earlier != sum)
    memcpy(sum, earlier, columns_of(shape) * sizeof(float));
}

/* The places of a block in the order of sums, each a loop over its neighbours. */
#define EACH_PLACE(statement)                              \
  for (int32_t outer = 0; outer < shape->outer; ++outer) { \
    for (int32_t a = 0; a < shape->axis; ++a) {            \
      const row_place at = place_of(shape, outer, a);      \
      for (int32_t j = 0; j < shape->inner; ++j) {         \
        const size_t i = at.row + (size_t)j;               \
        const size_t c = at.column + (size_t)j;            \
        statement;                                         \
      }                                                    \
    }                                                      \
  }

void poet_softmax_largest_part_f32(const poet_softmax_shape* shape, const float* x,
                                   const float* earlier, float* largest) {
  if (earlier) begin_with(shape, earlier, largest);
  EACH_PLACE({
    const float before = !earlier && a == 0 ? x[i] : largest[c];
    largest[c] = x[i] > before ? x[i] : before;
  })
}

void poet_softmax_sum_part_f32(const poet_softmax_shape* shape, const float* x,
                               const float* largest, const float* earlier, float* sum) {
  begin_with(shape, earlier, sum);
  EACH_PLACE(sum[c] += poet_exp_inline(x[i] - largest[c]))
}

void poet_softmax_apply_f32(const poet_softmax_shape* shape, const float* x, const float* largest,
                            const float* sum, float* y) {
  EACH_PLACE(y[i] = poet_exp_inline(x[i] - largest[c]) / sum[c])
}

void poet_log_softmax_apply_f32(const poet_softmax_shape* shape, const float* x,
                                const float* largest, const float* sum, float* y) {
  EACH_PLACE(y[i] = (x[i] - largest[c]) - poet_log_f32(sum[c]))
}

void poet_softmax_gradient_sum_part_f32(const poet_softmax_shape* shape, const float* y,
                                        const float* dy, const float* earlier, float* sum) {
  begin_with(shape, earlier, sum);
  EACH_PLACE(sum[c] += y[i] * dy[i])
}

void poet_log_softmax_gradient_sum_part_f32(const poet_softmax_shape* shape, const float* dy,
                                            const float* earlier, float* sum) {
  begin_with(shape, earlier, sum);
  EACH_PLACE(sum[c] += dy[i])
}

void poet_softmax_gradient_apply_f32(const poet_softmax_shape* shape, const float* y,
                                     const float* dy, const float* sum, float* dx) {
  EACH_PLACE(dx[i] = y[i] * (dy[i] - sum[c]))
}

void poet_log_softmax_gradient_apply_f32(const poet_softmax_shape* shape, const float* y,
                                         const float* dy, const float* sum, float* dx) {
  EACH_PLACE(dx[i] = dy[i] - poet_exp_inline(y[i]) * sum[c])
}
