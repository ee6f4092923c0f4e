/* Powers and logarithms of poet/runtime/unary.h. */
#include "poet/runtime/float_bits.h"
#include "poet/runtime/float_inline.h"
#include "poet/runtime/float_math.h"
#include "poet/runtime/unary_loop.h"

POET_UNARY_FORWARD(exp, poet_exp_inline(x))
POET_UNARY_GRADIENT(exp, y, dy* y)

POET_UNARY_FORWARD(log, poet_log_f32(x))
POET_UNARY_GRADIENT(log, x, dy / x)

POET_UNARY_FORWARD(sqrt, poet_sqrt_inline(x))
POET_UNARY_GRADIENT(sqrt, y, dy / (2.0f * y))

POET_UNARY_FORWARD(reciprocal, 1.0f / x)
POET_UNARY_GRADIENT(reciprocal, y, -dy*(y* y))

/* log(|x| + sqrt(1 + x^2)), by log1p so that a small x keeps its digits. Of a large one the root is
 * |x| to the last bit, and its square may be infinite. */
static float asinh_of(float x) {
  const float a = poet_magnitude(x);
  const float square = a * a;
  const float rest = a > 8192.0f ? a - 1.0f : square / (1.0f + poet_sqrt_inline(1.0f + square));
  const float y = poet_log1p_f32(a + rest);
  return x < 0.0f ? -y : y;
}

POET_UNARY_FORWARD(asinh, asinh_of(x))
POET_UNARY_GRADIENT(asinh, x, dy / poet_sqrt_inline(1.0f + x * x))
