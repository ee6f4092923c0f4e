/* Sine and cosine of poet/runtime/unary.h. */
#include "poet/runtime/float_math.h"
#include "poet/runtime/unary_loop.h"

POET_UNARY_FORWARD(sin, poet_sin_f32(x))
POET_UNARY_GRADIENT(sin, x, dy* poet_cos_f32(x))

POET_UNARY_FORWARD(cos, poet_cos_f32(x))
POET_UNARY_GRADIENT(cos, x, -(dy* poet_sin_f32(x)))
