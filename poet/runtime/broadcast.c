#include "poet/runtime/broadcast.h"

#include "poet/runtime/float_math.h"
#include "poet/runtime/map_loop.h"

#define POET_BROADCAST_FORWARD(name, value)                                         \
  POET_MAP_ROW(name##_row, float, float, value)                                     \
  void poet_##name##_forward_f32(const poet_broadcast_shape* shape, const float* a, \
                                 const float* b, float* y) {                        \
    poet_map_broadcast(shape, a, b, 4, y, 4, name##_row);                           \
  }

POET_BROADCAST_FORWARD(add, a + b)
POET_BROADCAST_FORWARD(sub, a - b)
POET_BROADCAST_FORWARD(mul, a* b)
POET_BROADCAST_FORWARD(div, a / b)
POET_BROADCAST_FORWARD(pow, poet_pow_f32(a, b))
POET_BROADCAST_FORWARD(max, a > b || a != a ? a : b)
POET_BROADCAST_FORWARD(min, a < b || a != a ? a : b)

/* Without a sign, where wrapping is defined. */
#define POET_BROADCAST_WHOLE(name, op)                                                  \
  POET_MAP_ROW(name##_row_i64, int64_t, int64_t, (int64_t)((uint64_t)a op(uint64_t) b)) \
  void poet_##name##_forward_i64(const poet_broadcast_shape* shape, const int64_t* a,   \
                                 const int64_t* b, int64_t* y) {                        \
    poet_map_broadcast(shape, a, b, 8, y, 8, name##_row_i64);                           \
  }

POET_BROADCAST_WHOLE(add, +)
POET_BROADCAST_WHOLE(sub, -)
POET_BROADCAST_WHOLE(mul, *)
