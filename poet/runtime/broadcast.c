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
