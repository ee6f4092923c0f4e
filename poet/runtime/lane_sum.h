#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sums of a dense row, in an order that vector units can follow and that loses little: the row is
 * cut into blocks of 256 elements; within a block, lane l sums the elements l, l + 8, l + 16 ...
 * from +0; the lanes of a block are added as ((0+4) + (2+6)) + ((1+5) + (3+7)); the blocks are
 * added from +0, one after the other. A block that is not full has lanes that end earlier. */

/* sum of x[i] */
float poet_lane_sum_f32(int32_t count, const float* x);

/* sum of x[i] * y[i] */
float poet_lane_dot_f32(int32_t count, const float* x, const float* y);

/* sum of (x[i] - centre)^2 */
float poet_lane_deviation_f32(int32_t count, const float* x, float centre);

/* sum of (x[i] - centre) * y[i] */
float poet_lane_deviation_dot_f32(int32_t count, const float* x, float centre, const float* y);

#ifdef __cplusplus
}
#endif
