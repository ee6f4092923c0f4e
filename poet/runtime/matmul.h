#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { POET_MATMUL_DIMS = 6 };

/* Strides are in elements and may be 0 (broadcast) or negative. Of an array, the first `rank`
 * entries count; the outermost dimension comes first. */
typedef struct poet_matmul_shape {
  int32_t rows;    /* M */
  int32_t columns; /* N */
  int32_t inner;   /* K; 0 gives sums of 0, and reads neither a nor b */

  /* One matrix of y for each index of the batch. */
  int32_t batch_rank;
  int32_t batch_extents[POET_MATMUL_DIMS];
  int32_t a_batch_strides[POET_MATMUL_DIMS];
  int32_t b_batch_strides[POET_MATMUL_DIMS];
  int32_t y_batch_strides[POET_MATMUL_DIMS];

  /* Dimensions that are summed besides K: those of an operand's gradient that the operand itself
   * was broadcast over. */
  int32_t sum_rank;
  int32_t sum_extents[POET_MATMUL_DIMS];
  int32_t a_sum_strides[POET_MATMUL_DIMS];
  int32_t b_sum_strides[POET_MATMUL_DIMS];

  int32_t a_row_stride;
  int32_t a_inner_stride;
  int32_t b_inner_stride;
  int32_t b_column_stride;
  int32_t bias_row_stride;
  int32_t bias_column_stride;
  float alpha;
  float beta;
} poet_matmul_shape;

/* y[i, m, n] = alpha * (sum over s, k of a[i, s, m, k] * b[i, s, k, n]) + beta * bias[m, n]
 *
 * i runs over the batch, s over the summed dimensions. Each matrix of y is dense, row by row (a row
 * is N elements); y_batch_strides say where it begins, and matrices must not overlap. bias may be
 * NULL; it is the same for the whole batch. All of a product's relatives are this kernel with other
 * strides:
 *   x W^T             b = W, b_inner_stride 1, b_column_stride K
 *   da = dy b^T       rows M, columns K, inner N
 *   db = a^T dy       rows K, columns N, inner M; over broadcast batches as summed dimensions
 *
 * Order of summation: from +0, s in row-major order, then k ascending; alpha and bias come last.
 * y overlaps none of the inputs. Uses 3.4 KiB of stack on a Cortex-M4, 4.8 KiB on
 * x86-64. */
void poet_matmul_forward_f32(const poet_matmul_shape* shape, const float* a, const float* b,
                             const float* bias, float* y);

/* The same product in parts: y = alpha * (sum + a b) + beta * bias, where `sum`, of y's shape, is
 * what earlier parts made of the first places of the inner dimension, or of the first summed ones.
 * The products are added to it one after the other, so parts that follow each other in the order
 * above give the bits of the whole product; alpha and bias are the last part's.
 * y may be the same buffer as sum. */
void poet_matmul_continued_f32(const poet_matmul_shape* shape, const float* a, const float* b,
                               const float* sum, const float* bias, float* y);

#ifdef __cplusplus
}
#endif
