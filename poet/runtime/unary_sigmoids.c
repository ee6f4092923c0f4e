/* Functions of poet/runtime/unary.h that bend once or saturate. */
#include "poet/runtime/float_bits.h"
#include "poet/runtime/float_inline.h"
#include "poet/runtime/float_math.h"
#include "poet/runtime/unary_loop.h"

POET_UNARY_FORWARD(sigmoid, poet_sigmoid_inline(x))
POET_UNARY_GRADIENT(sigmoid, y, dy*(y*(1.0f - y)))

POET_UNARY_FORWARD(tanh, poet_tanh_inline(x))
POET_UNARY_GRADIENT(tanh, y, dy*(1.0f - y * y))

POET_UNARY_FORWARD(elu, x > 0.0f ? x : alpha * poet_expm1_f32(x))
POET_UNARY_GRADIENT(elu, x, x > 0.0f ? dy : dy * (alpha * poet_exp_inline(x)))

/* log(1 + exp(x)) without an exp that overflows */
static float softplus(float x) {
  return (x > 0.0f ? x : 0.0f) + poet_log1p_f32(poet_exp_inline(-poet_magnitude(x)));
}

POET_UNARY_FORWARD(softplus, softplus(x))
POET_UNARY_GRADIENT(softplus, x, dy* poet_sigmoid_inline(x))

static float silu_gradient(float x) {
  const float s = poet_sigmoid_inline(x);
  return s * (1.0f + x * (1.0f - s));
}

POET_UNARY_FORWARD(silu, x* poet_sigmoid_inline(x))
POET_UNARY_GRADIENT(silu, x, dy* silu_gradient(x))
