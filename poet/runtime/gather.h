/* Picks slices along an axis by a list of indices; an embedding is this over the rows of a matrix.
 *
 * A negative index counts from the end. An index outside [-axis, axis) is not followed: it picks
 * bytes of zero, and its gradient is dropped. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_gather_shape {
  int32_t element_bytes; /* 1, 2, 4 or 8; read by forward only */
  int32_t outer;         /* product of the extents before the axis */
  int32_t axis;          /* extent of the axis */
  int32_t inner;         /* product of the extents after it */
  int32_t count;         /* number of indices */
} poet_gather_shape;

/* y (outer, count, inner)[o, i, :] = x (outer, axis, inner)[o, indices[i], :]. Not in place. */
void poet_gather_forward_i32(const poet_gather_shape* shape, const void* x, const int32_t* indices,
                             void* y);
void poet_gather_forward_i64(const poet_gather_shape* shape, const void* x, const int64_t* indices,
                             void* y);

/* dx (outer, axis, inner)[o, a, :] = sum of dy (outer, count, inner)[o, i, :] over the i with
 * indices[i] = a, ascending, beginning with 0. Not in place. */
void poet_gather_gradient_f32_i32(const poet_gather_shape* shape, const int32_t* indices,
                                  const float* dy, float* dx);
void poet_gather_gradient_f32_i64(const poet_gather_shape* shape, const int64_t* indices,
                                  const float* dy, float* dx);

#ifdef __cplusplus
}
#endif
