/* Moves elements of any type between a dense tensor and places in another that lie at fixed
 * strides: transposition, slices with steps of either sign, expansion, and back. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_strided_copy_shape {
  int32_t element_bytes; /* 1, 2, 4 or 8 */
  int32_t rank;          /* 0 to 8; 0: one element */
  int32_t extents[8];    /* of y, which is dense, row-major */
  int32_t x_offset;      /* of y's first element in x, in elements */
  int32_t x_strides[8]; /* in elements; may be negative, and 0 where x is repeated (forward only) */
  int32_t x_count;      /* elements of x; read by the gradient only */
} poet_strided_copy_shape;

/* y[i] = x[x_offset + i . x_strides]. Not in place. */
void poet_strided_copy_forward(const poet_strided_copy_shape* shape, const void* x, void* y);

/* dx (x_count) = bytes of zero, and then dx[x_offset + i . x_strides] = dy[i]. No two indices may
 * fall on the same place: the gradient of an expansion is a sum (poet/runtime/reduce.h). Not in
 * place. */
void poet_strided_copy_gradient(const poet_strided_copy_shape* shape, const void* dy, void* dx);

#ifdef __cplusplus
}
#endif
