/* Functions of poet/runtime/unary.h that are flat in pieces. */
#include "poet/runtime/float_bits.h"
#include "poet/runtime/unary_loop.h"

/* From here on every float is a whole number. */
static const float whole_from = 8388608.0f;

/* A size, with the sign of x: rounding -0.25 gives -0. */
static float with_sign_of(float x, float size) {
  return poet_float_of(poet_bits_of(size) | (poet_bits_of(x) & 0x80000000u));
}

/* What is behind the point is cut off x, whose size is m, and `more` added to the size where
 * something of it is left. */
static float whole_of(float x, float m, int32_t more) {
  const int32_t whole = (int32_t)m;
  return with_sign_of(x, (float)((float)whole < m ? whole + more : whole));
}

static float round_of(float x) {
  const float m = poet_magnitude(x);
  if (!(m < whole_from)) return x;
  const int32_t whole = (int32_t)m;
  const float rest = m - (float)whole;
  const int32_t up = rest > 0.5f || (rest == 0.5f && whole % 2 == 1);
  return with_sign_of(x, (float)(whole + up));
}

static float floor_of(float x) {
  const float m = poet_magnitude(x);
  return m < whole_from ? whole_of(x, m, x < 0.0f) : x;
}

static float ceil_of(float x) {
  const float m = poet_magnitude(x);
  return m < whole_from ? whole_of(x, m, x > 0.0f) : x;
}

POET_UNARY_FORWARD(round, round_of(x))
POET_UNARY_FORWARD(floor, floor_of(x))
POET_UNARY_FORWARD(ceil, ceil_of(x))
POET_UNARY_FORWARD(sign, x > 0.0f ? 1.0f : (x < 0.0f ? -1.0f : x))
