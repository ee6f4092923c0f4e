#include "poet/runtime/dropout.h"

#include <stddef.h>

#include "poet/runtime/counter_random.h"
#include "poet/runtime/float_bits.h"

void poet_dropout_forward_f32(const poet_dropout_shape* shape, const float* x,
                              const poet_step_words* step, float* y) {
  const poet_philox_key key = {{step->seed_low, step->seed_high}};
  const uint32_t threshold = (uint32_t)(shape->probability * 4294967296.0f);
  const float scale = 1.0f / (1.0f - shape->probability);
  const int32_t count = shape->count;
  for (int32_t begin = 0; begin < count; begin += 4) {
    const poet_philox_block counter = {
        {(uint32_t)(shape->first + begin) / 4u, shape->operation, step->step, step->micro_batch}};
    const poet_philox_block random = poet_philox_4x32(counter, key);
    const int32_t width = count - begin < 4 ? count - begin : 4;
    for (int32_t i = 0; i < width; ++i) {
      /* No branch, which would be mispredicted as often as the probability says. */
      const uint32_t kept = random.word[i] < threshold ? 0u : 0xffffffffu;
      y[begin + i] = poet_float_of(poet_bits_of(x[begin + i] * scale) & kept);
    }
  }
}

void poet_dropout_gradient_f32(const poet_dropout_shape* shape, const float* dy,
                               const poet_step_words* step, float* dx) {
  poet_dropout_forward_f32(shape, dy, step, dx);
}

/* Where the index-th element of the piece stands in the whole. */
static uint32_t place_of(const poet_dropout_part_shape* shape, uint32_t index) {
  uint32_t place = (uint32_t)shape->first;
  for (int32_t d = shape->rank - 1; d >= 0; --d) {
    place += index % (uint32_t)shape->extents[d] * (uint32_t)shape->strides[d];
    index /= (uint32_t)shape->extents[d];
  }
  return place;
}

void poet_dropout_part_f32(const poet_dropout_part_shape* shape, const float* x,
                           const poet_step_words* step, float* y) {
  const poet_philox_key key = {{step->seed_low, step->seed_high}};
  const uint32_t threshold = (uint32_t)(shape->probability * 4294967296.0f);
  const float scale = 1.0f / (1.0f - shape->probability);
  const int32_t inner = shape->rank > 0 ? shape->extents[shape->rank - 1] : 1;
  const int32_t step_length = shape->rank > 0 ? shape->strides[shape->rank - 1] : 0;
  uint32_t rows = 1;
  for (int32_t d = 0; d + 1 < shape->rank; ++d) rows *= (uint32_t)shape->extents[d];
  for (uint32_t row = 0; row < rows; ++row) {
    const size_t first = (size_t)row * (size_t)inner;
    uint32_t place = place_of(shape, (uint32_t)first);
    poet_philox_block random = {{0}};
    for (int32_t i = 0; i < inner; ++i) {
      if (i == 0 || place % 4u < (uint32_t)step_length) {
        const poet_philox_block counter = {
            {place / 4u, shape->operation, step->step, step->micro_batch}};
        random = poet_philox_4x32(counter, key);
      }
      const uint32_t kept = random.word[place % 4u] < threshold ? 0u : 0xffffffffu;
      y[first + (size_t)i] = poet_float_of(poet_bits_of(x[first + (size_t)i] * scale) & kept);
      place += (uint32_t)step_length;
    }
  }
}
