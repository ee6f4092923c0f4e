#include "poet/runtime/compare.h"

#include "poet/runtime/map_loop.h"

#define POET_COMPARE(name, type, T, value)                                                     \
  POET_MAP_ROW(name##_row_##type, T, uint8_t, value)                                           \
  void poet_##name##_forward_##type(const poet_broadcast_shape* shape, const T* a, const T* b, \
                                    uint8_t* y) {                                              \
    poet_map_broadcast(shape, a, b, (int32_t)sizeof(T), y, 1, name##_row_##type);              \
  }

POET_COMPARE(equal, f32, float, a == b)
POET_COMPARE(equal, i64, int64_t, a == b)
POET_COMPARE(less, f32, float, a < b)
POET_COMPARE(less, i64, int64_t, a < b)
POET_COMPARE(less_or_equal, f32, float, a <= b)
POET_COMPARE(less_or_equal, i64, int64_t, a <= b)
POET_COMPARE(greater, f32, float, a > b)
POET_COMPARE(greater, i64, int64_t, a > b)
POET_COMPARE(greater_or_equal, f32, float, a >= b)
POET_COMPARE(greater_or_equal, i64, int64_t, a >= b)
POET_COMPARE(and, u8, uint8_t, a != 0 && b != 0)
POET_COMPARE(or, u8, uint8_t, a != 0 || b != 0)

void poet_not_forward_u8(const poet_not_shape* shape, const uint8_t* x, uint8_t* y) {
  const int32_t count = shape->count;
  for (int32_t i = 0; i < count; ++i) y[i] = x[i] == 0;
}
