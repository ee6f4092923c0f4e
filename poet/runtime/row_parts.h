/* Sums of rows, in the order of lane_sum.h, of rows that come in parts: what is between two parts
 * is a state of POET_ROW_STATE floats for each row, and any boundaries give the bits of the whole
 * row.
 *
 * A state is, in this order: the sums of the eight lanes of the block that is not yet full, the sum
 * of the full blocks of the row, and the sum of the rows that have ended. The last is what norms
 * need: of one row for each row of a layer norm, of one row after the other, image by image, for
 * each channel of a batch norm. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { POET_ROW_STATE = 10 };

/* x (N, R, P): of R rows the places [begin, begin + P) of `extent`. A row ends with the part that
 * reaches its extent, and the next part begins another one. More than one image: whole rows. */
typedef struct poet_row_part_shape {
  int32_t images; /* N */
  int32_t rows;   /* R */
  int32_t count;  /* P */
  int32_t begin;
  int32_t extent;
} poet_row_part_shape;

/* new_state (R, 10): that of earlier parts, or of nothing where it is NULL, and what this part adds
 * to it. new_state may be the same buffer as state. Use 1 KiB of stack. */

/* of x */
void poet_row_sum_part_f32(const poet_row_part_shape* shape, const float* x, const float* state,
                           float* new_state);

/* of (x - centre)^2; centre (R) */
void poet_row_spread_part_f32(const poet_row_part_shape* shape, const float* x, const float* centre,
                              const float* state, float* new_state);

/* Two states for each row, (R, 2, 10): of g = dy * scale, and of (x - mean) * g; mean (R), scale
 * (P) or NULL for 1. Uses 2 KiB of stack. */
void poet_row_gradient_sums_part_f32(const poet_row_part_shape* shape, const float* x,
                                     const float* scale, const float* mean, const float* dy,
                                     const float* state, float* new_state);

/* What is made of the states of rows that have all ended. */
typedef struct poet_row_state_shape {
  int32_t rows;   /* R */
  int32_t images; /* of the whole; the count that is divided by is images * extent */
  int32_t extent;
  float epsilon;
} poet_row_state_shape;

/* total (R): the sums themselves */
void poet_row_total_f32(const poet_row_state_shape* shape, const float* state, float* total);

/* mean (R): sum / count */
void poet_row_mean_f32(const poet_row_state_shape* shape, const float* state, float* mean);

/* inverse_std (R): 1 / sqrt(sum / count + epsilon) */
void poet_row_inverse_std_f32(const poet_row_state_shape* shape, const float* state,
                              float* inverse_std);

#ifdef __cplusplus
}
#endif
