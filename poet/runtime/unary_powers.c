/* Powers and logarithms of poet/runtime/unary.h. */
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
