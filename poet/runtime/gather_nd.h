/* Picks slices by lists of coordinates.
 *
 * A negative coordinate counts from the end. Coordinates outside are not followed: they pick bytes
 * of zero, and their gradient is dropped. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { POET_MAX_COORDINATES = 8 };

/* x (batch, extents[0], ..., extents[width - 1], inner), indices (batch, picks, width), and what is
 * picked (batch, picks, inner). */
typedef struct poet_gather_nd_shape {
  int32_t element_bytes; /* 1, 2, 4 or 8; read by forward only */
  int32_t index_bytes;   /* of indices: 4 for int32_t, 8 for int64_t */
  int32_t batch;
  int32_t picks;
  int32_t width;
  int32_t inner;
  int32_t extents[POET_MAX_COORDINATES];
} poet_gather_nd_shape;

/* y[b, i, :] = x[b, indices[b, i, 0], ..., indices[b, i, width - 1], :]. Not in place. */
void poet_gather_nd_forward(const poet_gather_nd_shape* shape, const void* x, const void* indices,
                            void* y);

/* dx[b, c..., :] = sum of dy[b, i, :] over the i with indices[b, i, :] = c..., ascending, beginning
 * with 0. Not in place. */
void poet_gather_nd_gradient_f32(const poet_gather_nd_shape* shape, const void* indices,
                                 const float* dy, float* dx);

#ifdef __cplusplus
}
#endif
