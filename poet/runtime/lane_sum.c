#include "poet/runtime/lane_sum.h"

enum { LANES = 8, BLOCK = 256 };

static int32_t block_length(int32_t count, int32_t begin) {
  return count - begin < BLOCK ? count - begin : BLOCK;
}

static float add_lanes(const float* lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

static float block_sum(int32_t count, const float* terms) {
  float lanes[LANES] = {0};
  int32_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    for (int32_t lane = 0; lane < LANES; ++lane) lanes[lane] += terms[i + lane];
  }
  for (int32_t lane = 0; i < count; ++i, ++lane) lanes[lane] += terms[i];
  return add_lanes(lanes);
}

float poet_lane_sum_f32(int32_t count, const float* x) {
  float sum = 0.0f;
  for (int32_t begin = 0; begin < count; begin += BLOCK)
    sum += block_sum(block_length(count, begin), x + begin);
  return sum;
}

float poet_lane_dot_f32(int32_t count, const float* x, const float* y) {
  float terms[BLOCK];
  float sum = 0.0f;
  for (int32_t begin = 0; begin < count; begin += BLOCK) {
    const int32_t length = block_length(count, begin);
    for (int32_t i = 0; i < length; ++i) terms[i] = x[begin + i] * y[begin + i];
    sum += block_sum(length, terms);
  }
  return sum;
}

float poet_lane_deviation_f32(int32_t count, const float* x, float centre) {
  float terms[BLOCK];
  float sum = 0.0f;
  for (int32_t begin = 0; begin < count; begin += BLOCK) {
    const int32_t length = block_length(count, begin);
    for (int32_t i = 0; i < length; ++i) {
      const float deviation = x[begin + i] - centre;
      terms[i] = deviation * deviation;
    }
    sum += block_sum(length, terms);
  }
  return sum;
}

float poet_lane_deviation_dot_f32(int32_t count, const float* x, float centre, const float* y) {
  float terms[BLOCK];
  float sum = 0.0f;
  for (int32_t begin = 0; begin < count; begin += BLOCK) {
    const int32_t length = block_length(count, begin);
    for (int32_t i = 0; i < length; ++i) terms[i] = (x[begin + i] - centre) * y[begin + i];
    sum += block_sum(length, terms);
  }
  return sum;
}
