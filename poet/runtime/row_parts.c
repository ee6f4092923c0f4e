#include "poet/runtime/row_parts.h"

#include <stddef.h>
#include <string.h>

#include "poet/runtime/float_math.h"

enum { LANES = 8, BLOCK = 256 };

/* The floats of a state, by name. */
typedef struct row_state {
  float lanes[LANES];
  float row;
  float total;
} row_state;

static row_state load(const float* state, size_t index) {
  row_state loaded = {{0}, 0.0f, 0.0f};
  if (state) memcpy(&loaded, state + index * POET_ROW_STATE, sizeof loaded);
  return loaded;
}

static void store(const row_state* state, float* states, size_t index) {
  memcpy(states + index * POET_ROW_STATE, state, sizeof *state);
}

/* The order of lane_sum.h. */
static void end_block(row_state* state) {
  const float* const lanes = state->lanes;
  state->row += ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
                ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
  for (int32_t lane = 0; lane < LANES; ++lane) state->lanes[lane] = 0.0f;
}

static void end_row(row_state* state, int32_t extent) {
  if (extent % BLOCK != 0) end_block(state);
  state->total += state->row;
  state->row = 0.0f;
}

/* Terms of one block, the first of which stands at `place` of its row. */
static void add_terms(row_state* state, int32_t place, int32_t count, const float* terms) {
  int32_t i = 0;
  for (int32_t lane = place % LANES; lane > 0 && lane < LANES && i < count; ++lane)
    state->lanes[lane] += terms[i++];
  for (; i + LANES <= count; i += LANES)
    for (int32_t lane = 0; lane < LANES; ++lane) state->lanes[lane] += terms[i + lane];
  for (int32_t lane = 0; i < count; ++i, ++lane) state->lanes[lane] += terms[i];
  if (place % BLOCK + count == BLOCK) end_block(state);
}

/* How many of the places from `done` on belong to the block in which they begin. */
static int32_t piece_length(const poet_row_part_shape* shape, int32_t done) {
  const int32_t room = BLOCK - (shape->begin + done) % BLOCK;
  return shape->count - done < room ? shape->count - done : room;
}

static int ends_rows(const poet_row_part_shape* shape) {
  return shape->begin + shape->count == shape->extent;
}

/* One row's places of one image. */
static void add_row(const poet_row_part_shape* shape, const float* x, row_state* state) {
  for (int32_t done = 0; done < shape->count;) {
    const int32_t length = piece_length(shape, done);
    add_terms(state, shape->begin + done, length, x + done);
    done += length;
  }
  if (ends_rows(shape)) end_row(state, shape->extent);
}

static void add_spread(const poet_row_part_shape* shape, const float* x, float centre,
                       row_state* state) {
  float terms[BLOCK];
  for (int32_t done = 0; done < shape->count;) {
    const int32_t length = piece_length(shape, done);
    for (int32_t i = 0; i < length; ++i) {
      const float deviation = x[done + i] - centre;
      terms[i] = deviation * deviation;
    }
    add_terms(state, shape->begin + done, length, terms);
    done += length;
  }
  if (ends_rows(shape)) end_row(state, shape->extent);
}

static void add_gradients(const poet_row_part_shape* shape, const float* x, const float* scale,
                          float mean, const float* dy, row_state* gradient, row_state* deviation) {
  float scaled[BLOCK], terms[BLOCK];
  for (int32_t done = 0; done < shape->count;) {
    const int32_t length = piece_length(shape, done);
    for (int32_t i = 0; i < length; ++i)
      scaled[i] = scale ? dy[done + i] * scale[done + i] : dy[done + i];
    for (int32_t i = 0; i < length; ++i) terms[i] = (x[done + i] - mean) * scaled[i];
    add_terms(gradient, shape->begin + done, length, scaled);
    add_terms(deviation, shape->begin + done, length, terms);
    done += length;
  }
  if (!ends_rows(shape)) return;
  end_row(gradient, shape->extent);
  end_row(deviation, shape->extent);
}

static size_t row_at(const poet_row_part_shape* shape, int32_t image, int32_t row) {
  return ((size_t)image * (size_t)shape->rows + (size_t)row) * (size_t)shape->count;
}

void poet_row_sum_part_f32(const poet_row_part_shape* shape, const float* x, const float* state,
                           float* new_state) {
  for (int32_t r = 0; r < shape->rows; ++r) {
    row_state sum = load(state, (size_t)r);
    for (int32_t n = 0; n < shape->images; ++n) add_row(shape, x + row_at(shape, n, r), &sum);
    store(&sum, new_state, (size_t)r);
  }
}

void poet_row_spread_part_f32(const poet_row_part_shape* shape, const float* x, const float* centre,
                              const float* state, float* new_state) {
  for (int32_t r = 0; r < shape->rows; ++r) {
    row_state sum = load(state, (size_t)r);
    for (int32_t n = 0; n < shape->images; ++n)
      add_spread(shape, x + row_at(shape, n, r), centre[r], &sum);
    store(&sum, new_state, (size_t)r);
  }
}

void poet_row_gradient_sums_part_f32(const poet_row_part_shape* shape, const float* x,
                                     const float* scale, const float* mean, const float* dy,
                                     const float* state, float* new_state) {
  for (int32_t r = 0; r < shape->rows; ++r) {
    row_state gradient = load(state, 2 * (size_t)r);
    row_state deviation = load(state, 2 * (size_t)r + 1);
    for (int32_t n = 0; n < shape->images; ++n) {
      const size_t first = row_at(shape, n, r);
      add_gradients(shape, x + first, scale, mean[r], dy + first, &gradient, &deviation);
    }
    store(&gradient, new_state, 2 * (size_t)r);
    store(&deviation, new_state, 2 * (size_t)r + 1);
  }
}

static float total_of(const float* state, int32_t row) {
  return load(state, (size_t)row).total;
}

static float count_of(const poet_row_state_shape* shape) {
  return (float)shape->images * (float)shape->extent;
}

void poet_row_total_f32(const poet_row_state_shape* shape, const float* state, float* total) {
  for (int32_t r = 0; r < shape->rows; ++r) total[r] = total_of(state, r);
}

void poet_row_mean_f32(const poet_row_state_shape* shape, const float* state, float* mean) {
  for (int32_t r = 0; r < shape->rows; ++r) mean[r] = total_of(state, r) / count_of(shape);
}

void poet_row_inverse_std_f32(const poet_row_state_shape* shape, const float* state,
                              float* inverse_std) {
  for (int32_t r = 0; r < shape->rows; ++r) {
    const float variance = total_of(state, r) / count_of(shape);
    inverse_std[r] = 1.0f / poet_sqrt_f32(variance + shape->epsilon);
  }
}
