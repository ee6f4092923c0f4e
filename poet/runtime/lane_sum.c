#include "poet/runtime/lane_sum.h"

#include "poet/runtime/vectors.h"

enum { LANES = 8, BLOCK = 256 };

/* The lanes of a block lie in registers: in two, or in eight. */
#if defined(POET_VECTORS)
typedef poet_four_lanes held_lanes;
#define EACH_HELD(DO, term) DO(0, term) DO(4, term)
#else
typedef float held_lanes;
#define EACH_HELD(DO, term) \
  DO(0, term) DO(1, term) DO(2, term) DO(3, term) DO(4, term) DO(5, term) DO(6, term) DO(7, term)
#endif

#define BEGIN_HELD(lane, term) held_lanes held##lane = *(const held_lanes*)(lanes + (lane));
#define ADD_HELD(lane, term)                               \
  {                                                        \
    const held_lanes u = *(const held_lanes*)(x + (lane)); \
    const held_lanes v = *(const held_lanes*)(y + (lane)); \
    (void)v;                                               \
    held##lane += (term);                                  \
  }
#define END_HELD(lane, term) *(held_lanes*)(lanes + (lane)) = held##lane;

static float add_lanes(const float* lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

/* The sum of a term, an expression of u = x[i], v = y[i] and `centre`. */
#define LANE_SUM(name, term)                                                       \
  static float name(int32_t count, const float* x, const float* y, float centre) { \
    float sum = 0.0f;                                                              \
    (void)centre;                                                                  \
    while (count > 0) {                                                            \
      const int32_t length = count < BLOCK ? count : BLOCK;                        \
      float lanes[LANES] = {0};                                                    \
      int32_t left = length;                                                       \
      EACH_HELD(BEGIN_HELD, 0)                                                     \
      for (; left >= LANES; left -= LANES) {                                       \
        EACH_HELD(ADD_HELD, term)                                                  \
        x += LANES;                                                                \
        y += LANES;                                                                \
      }                                                                            \
      EACH_HELD(END_HELD, 0)                                                       \
      for (int32_t lane = 0; lane < left; ++lane) {                                \
        const float u = x[lane];                                                   \
        const float v = y[lane];                                                   \
        (void)v;                                                                   \
        lanes[lane] += (term);                                                     \
      }                                                                            \
      x += left;                                                                   \
      y += left;                                                                   \
      count -= length;                                                             \
      sum += add_lanes(lanes);                                                     \
    }                                                                              \
    return sum;                                                                    \
  }

LANE_SUM(sum_of_values, u)
LANE_SUM(sum_of_products, u* v)
LANE_SUM(sum_of_deviations, (u - centre) * (u - centre))
LANE_SUM(sum_of_deviation_products, (u - centre) * v)

float poet_lane_sum_f32(int32_t count, const float* x) {
  return sum_of_values(count, x, x, 0.0f);
}

float poet_lane_dot_f32(int32_t count, const float* x, const float* y) {
  return sum_of_products(count, x, y, 0.0f);
}

float poet_lane_deviation_f32(int32_t count, const float* x, float centre) {
  return sum_of_deviations(count, x, x, centre);
}

float poet_lane_deviation_dot_f32(int32_t count, const float* x, float centre, const float* y) {
  return sum_of_deviation_products(count, x, y, centre);
}
