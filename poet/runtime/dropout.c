#include "poet/runtime/dropout.h"

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
