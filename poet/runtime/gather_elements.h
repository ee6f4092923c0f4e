/* Picks values along an axis by an index of their own, places values there, and gradients.
 *
 * A negative index counts from the end. An index outside [-axis, axis) is not followed: it picks
 * bytes of zero, places nothing, and its gradient is zero. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x (outer, axis, inner); indices and what is picked or placed (outer, count, inner). */
typedef struct poet_elements_shape {
  int32_t element_bytes; /* 1, 2, 4 or 8 */
  int32_t index_bytes;   /* of indices: 4 for int32_t, 8 for int64_t */
  int32_t outer;
  int32_t axis;
  int32_t inner;
  int32_t count;
} poet_elements_shape;

/* y[o, i, j] = x[o, indices[o, i, j], j]. Not in place. */
void poet_gather_elements_forward(const poet_elements_shape* shape, const void* x,
                                  const void* indices, void* y);

/* dx[o, a, j] = sum of dy[o, i, j] over the i with indices[o, i, j] = a, ascending, beginning with
 * 0. Not in place. */
void poet_gather_elements_gradient_f32(const poet_elements_shape* shape, const void* indices,
                                       const float* dy, float* dx);

/* y = x, but y[o, indices[o, i, j], j] = updates[o, i, j]: of several for one place the last. y may
 * be the same buffer as x. */
void poet_scatter_elements_forward(const poet_elements_shape* shape, const void* x,
                                   const void* indices, const void* updates, void* y);

/* y = x, and updates are added, ascending. y may be the same buffer as x. */
void poet_scatter_elements_add_forward_f32(const poet_elements_shape* shape, const float* x,
                                           const void* indices, const float* updates, float* y);

/* By x where updates replace it: dx = dy, and 0 where an index points to. dx may be the same buffer
 * as dy. */
void poet_scatter_elements_kept_gradient_f32(const poet_elements_shape* shape, const void* indices,
                                             const float* dy, float* dx);

/* By updates where they replace x: du[o, i, j] = dy[o, indices[o, i, j], j] where no later i has
 * the same index, otherwise 0. Workspace: a byte for each of (axis, inner). */
void poet_scatter_elements_update_gradient_f32(const poet_elements_shape* shape,
                                               const void* indices, const float* dy, float* du,
                                               void* workspace);

#ifdef __cplusplus
}
#endif
