/* The Gaussian error functions of poet/runtime/unary.h. */
#include "poet/runtime/float_inline.h"
#include "poet/runtime/unary_loop.h"

#define ONE_OVER_SQRT_2 0.707106781f
#define ONE_OVER_SQRT_2_PI 0.398942280f
#define TWO_OVER_SQRT_PI 1.12837917f
#define SQRT_2_OVER_PI 0.797884561f
#define CUBIC 0.044715f

POET_UNARY_FORWARD(erf, poet_erf_inline(x))
POET_UNARY_GRADIENT(erf, x, dy*(TWO_OVER_SQRT_PI* poet_exp_inline(-(x* x))))

/* The normal distribution's probability of a value below x. */
static float probability_below(float x) {
  return 0.5f * (1.0f + poet_erf_inline(x * ONE_OVER_SQRT_2));
}

static float gelu_erf_gradient(float x) {
  return probability_below(x) + x * (ONE_OVER_SQRT_2_PI * poet_exp_inline(-0.5f * (x * x)));
}

POET_UNARY_FORWARD(gelu_erf, x* probability_below(x))
POET_UNARY_GRADIENT(gelu_erf, x, dy* gelu_erf_gradient(x))

static float bent_tanh(float x) {
  return poet_tanh_inline(SQRT_2_OVER_PI * (x + CUBIC * (x * x * x)));
}

static float gelu_tanh_gradient(float x) {
  const float t = bent_tanh(x);
  const float inner = SQRT_2_OVER_PI * (1.0f + 3.0f * CUBIC * (x * x));
  return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * inner;
}

POET_UNARY_FORWARD(gelu_tanh, 0.5f * x * (1.0f + bent_tanh(x)))
POET_UNARY_GRADIENT(gelu_tanh, x, dy* gelu_tanh_gradient(x))
