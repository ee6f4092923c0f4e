#include "poet/runtime/softmax.h"

#include <stddef.h>

#include "poet/runtime/float_math.h"

/* Columns that are done side by side, so that memory is read along inner. */
enum { BLOCK = 16 };

/* One block: `columns` neighbours in inner, each with its axis. */
typedef struct softmax_block {
  int32_t axis;
  int32_t columns;
  size_t stride; /* from one place of the axis to the next */
} softmax_block;

static void find_largest(const softmax_block* block, const float* x, float* largest) {
  for (int32_t j = 0; j < block->columns; ++j) largest[j] = x[j];
  for (int32_t a = 1; a < block->axis; ++a) {
    const float* const row = x + (size_t)a * block->stride;
    for (int32_t j = 0; j < block->columns; ++j)
      largest[j] = row[j] > largest[j] ? row[j] : largest[j];
  }
}

static void softmax_forward(const softmax_block* block, const float* x, const float* unused,
                            float* y) {
  float largest[BLOCK];
  float sums[BLOCK] = {0};
  (void)unused;
  find_largest(block, x, largest);
  for (int32_t a = 0; a < block->axis; ++a) {
    const size_t row = (size_t)a * block->stride;
    for (int32_t j = 0; j < block->columns; ++j) {
      y[row + (size_t)j] = poet_exp_f32(x[row + (size_t)j] - largest[j]);
      sums[j] += y[row + (size_t)j];
    }
  }
  for (int32_t a = 0; a < block->axis; ++a) {
    float* const row = y + (size_t)a * block->stride;
    for (int32_t j = 0; j < block->columns; ++j) row[j] /= sums[j];
  }
}

static void softmax_gradient(const softmax_block* block, const float* y, const float* dy,
                             float* dx) {
  float sums[BLOCK] = {0};
  for (int32_t a = 0; a < block->axis; ++a) {
    const size_t row = (size_t)a * block->stride;
    for (int32_t j = 0; j < block->columns; ++j)
      sums[j] += y[row + (size_t)j] * dy[row + (size_t)j];
  }
  for (int32_t a = 0; a < block->axis; ++a) {
    const size_t row = (size_t)a * block->stride;
    for (int32_t j = 0; j < block->columns; ++j)
      dx[row + (size_t)j] = y[row + (size_t)j] * (dy[row + (size_t)j] - sums[j]);
  }
}

static void log_softmax_forward(const softmax_block* block, const float* x, const float* unused,
                                float* y) {
  float largest[BLOCK];
  float sums[BLOCK] = {0};
  (void)unused;
  find_largest(block, x, largest);
  for (int32_t a = 0; a < block->axis; ++a) {
    const float* const row = x + (size_t)a * block->stride;
    for (int32_t j = 0; j < block->columns; ++j) sums[j] += poet_exp_f32(row[j] - largest[j]);
  }
  for (int32_t j = 0; j < block->columns; ++j) sums[j] = poet_log_f32(sums[j]);
  for (int32_t a = 0; a < block->axis; ++a) {
    const size_t row = (size_t)a * block->stride;
    for (int32_t j = 0; j < block->columns; ++j)
      y[row + (size_t)j] = (x[row + (size_t)j] - largest[j]) - sums[j];
  }
}

static void log_softmax_gradient(const softmax_block* block, const float* y, const float* dy,
                                 float* dx) {
  float sums[BLOCK] = {0};
  for (int32_t a = 0; a < block->axis; ++a) {
    const float* const row = dy + (size_t)a * block->stride;
    for (int32_t j = 0; j < block->columns; ++j) sums[j] += row[j];
  }
  for (int32_t a = 0; a < block->axis; ++a) {
    const size_t row = (size_t)a * block->stride;
    for (int32_t j = 0; j < block->columns; ++j)
      dx[row + (size_t)j] = dy[row + (size_t)j] - poet_exp_f32(y[row + (size_t)j]) * sums[j];
  }
}

typedef void softmax_pass(const softmax_block* block, const float* first, const float* second,
                          float* result);

static void each_block(const poet_softmax_shape* shape, const float* first, const float* second,
                       float* result, softmax_pass* pass) {
  const size_t slab = (size_t)shape->axis * (size_t)shape->inner;
  softmax_block block = {shape->axis, 0, (size_t)shape->inner};
  for (int32_t outer = 0; outer < shape->outer; ++outer) {
    for (int32_t inner = 0; inner < shape->inner; inner += BLOCK) {
      const size_t at = (size_t)outer * slab + (size_t)inner;
      block.columns = shape->inner - inner < BLOCK ? shape->inner - inner : BLOCK;
      pass(&block, first + at, second ? second + at : NULL, result + at);
    }
  }
}

void poet_softmax_forward_f32(const poet_softmax_shape* shape, const float* x, float* y) {
  each_block(shape, x, NULL, y, softmax_forward);
}

void poet_softmax_gradient_f32(const poet_softmax_shape* shape, const float* y, const float* dy,
                               float* dx) {
  each_block(shape, y, dy, dx, softmax_gradient);
}

void poet_log_softmax_forward_f32(const poet_softmax_shape* shape, const float* x, float* y) {
  each_block(shape, x, NULL, y, log_softmax_forward);
}

void poet_log_softmax_gradient_f32(const poet_softmax_shape* shape, const float* y, const float* dy,
                                   float* dx) {
  each_block(shape, y, dy, dx, log_softmax_gradient);
}
