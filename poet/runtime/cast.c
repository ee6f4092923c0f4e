#include "poet/runtime/cast.h"

static int32_t whole32(float x) {
  if (x != x) return 0;
  if (x >= 2147483648.0f) return INT32_MAX;
  if (x < -2147483648.0f) return INT32_MIN;
  return (int32_t)x;
}

static int64_t whole64(float x) {
  if (x != x) return 0;
  if (x >= 9223372036854775808.0f) return INT64_MAX;
  if (x < -9223372036854775808.0f) return INT64_MIN;
  return (int64_t)x;
}

static uint8_t byte_of(float x) {
  if (!(x > 0.0f)) return 0;
  return x >= 255.0f ? 255 : (uint8_t)x;
}

static int32_t narrowed(int64_t x) {
  if (x > INT32_MAX) return INT32_MAX;
  return x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

#define POET_CAST(name, From, To, value)                                                \
  void poet_cast_forward_##name(const poet_cast_shape* shape, const From* xs, To* ys) { \
    const int32_t count = shape->count;                                                 \
    for (int32_t i = 0; i < count; ++i) {                                               \
      const From x = xs[i];                                                             \
      ys[i] = (value);                                                                  \
    }                                                                                   \
  }

POET_CAST(f32_to_i32, float, int32_t, whole32(x))
POET_CAST(f32_to_i64, float, int64_t, whole64(x))
POET_CAST(f32_to_u8, float, uint8_t, byte_of(x))
POET_CAST(f32_to_bool, float, uint8_t, x != 0.0f)
POET_CAST(i32_to_f32, int32_t, float, (float)x)
POET_CAST(i64_to_f32, int64_t, float, (float)x)
POET_CAST(u8_to_f32, uint8_t, float, (float)x)
POET_CAST(i32_to_i64, int32_t, int64_t, x)
POET_CAST(i64_to_i32, int64_t, int32_t, narrowed(x))
