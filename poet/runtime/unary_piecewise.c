/* Functions of poet/runtime/unary.h that are straight lines in pieces. */
#include "poet/runtime/float_bits.h"
#include "poet/runtime/unary_loop.h"

POET_UNARY_FORWARD(relu, x < 0.0f ? 0.0f : x)
POET_UNARY_GRADIENT(relu, y, y > 0.0f ? dy : 0.0f)

POET_UNARY_FORWARD(leaky_relu, x > 0.0f ? x : alpha * x)
POET_UNARY_GRADIENT(leaky_relu, x, x > 0.0f ? dy : alpha * dy)

/* Where alpha is above beta, beta wins. */
static float limited(float x, float alpha, float beta) {
  const float raised = x < alpha ? alpha : x;
  return raised > beta ? beta : raised;
}

POET_UNARY_FORWARD(clip, limited(x, alpha, beta))
POET_UNARY_GRADIENT(clip, x, x >= alpha && x <= beta ? dy : 0.0f)

POET_UNARY_FORWARD(abs, poet_magnitude(x))
POET_UNARY_GRADIENT(abs, x, x > 0.0f ? dy : (x < 0.0f ? -dy : 0.0f))

POET_UNARY_FORWARD(neg, -x)

void poet_neg_gradient_f32(const poet_unary_shape* shape, const float* dy, float* dx) {
  poet_neg_forward_f32(shape, dy, dx);
}

/* u, limited to [0, 1] */
static float within_one(float u) {
  return u > 1.0f ? 1.0f : (u < 0.0f ? 0.0f : u);
}

POET_UNARY_FORWARD(hard_sigmoid, within_one(beta + alpha * x))

static float hard_sigmoid_gradient(float x, float alpha, float beta) {
  const float u = alpha * x + beta;
  return u > 0.0f && u < 1.0f ? alpha : 0.0f;
}

POET_UNARY_GRADIENT(hard_sigmoid, x, hard_sigmoid_gradient(x, alpha, beta) * dy)

POET_UNARY_FORWARD(hard_swish, within_one(beta + alpha * x) * x)

static float hard_swish_gradient(float x, float alpha, float beta) {
  const float u = alpha * x + beta;
  return u >= 1.0f ? 1.0f : (u <= 0.0f ? 0.0f : u + alpha * x);
}

POET_UNARY_GRADIENT(hard_swish, x, hard_swish_gradient(x, alpha, beta) * dy)
