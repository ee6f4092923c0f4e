/* Joins tensors of any element type along one axis. Its gradient is a slice: see
 * poet/runtime/strided_copy.h. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_concat_shape {
  int32_t element_bytes; /* 1, 2, 4 or 8 */
  int32_t outer;         /* product of the extents before the axis */
  int32_t inner;         /* product of the extents after it */
  int32_t
      extents[8]; /* of each input along the axis; 0 for an absent one, whose pointer may be NULL */
} poet_concat_shape;

/* y (outer, sum of extents, inner) = the inputs (outer, extents[i], inner), one after the other.
 * Not in place. The first reads extents[0] and extents[1] only. */
void poet_concat2_forward(const poet_concat_shape* shape, const void* x0, const void* x1, void* y);
void poet_concat8_forward(const poet_concat_shape* shape, const void* x0, const void* x1,
                          const void* x2, const void* x3, const void* x4, const void* x5,
                          const void* x6, const void* x7, void* y);

#ifdef __cplusplus
}
#endif
