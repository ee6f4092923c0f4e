/* Choice by a mask, with broadcasting, and its gradients. Truth values as in
 * poet/runtime/compare.h. */
#pragma once

#include <stdint.h>

#include "poet/runtime/broadcast.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_where_shape {
  int32_t rank;                 /* 1 to 8 */
  int32_t extents[8];           /* of y, which is dense, row-major; 1 or more */
  int32_t condition_strides[8]; /* in elements; 0 along an axis where it is repeated */
  int32_t a_strides[8];
  int32_t b_strides[8];
} poet_where_shape;

/* y = condition ? a : b. In place: y may be the same buffer as a or b, if that is dense in y's
 * shape. */
void poet_where_forward_f32(const poet_where_shape* shape, const uint8_t* condition, const float* a,
                            const float* b, float* y);

/* Of a: d = sum condition ? dy : 0; of b: d = sum condition ? 0 : dy. The condition has the strides
 * that the shape gives for a; those for b are not read. Order of summation and permission to be in
 * place as in poet/runtime/broadcast.h. */
void poet_where_a_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                               const uint8_t* condition, float* d);
void poet_where_b_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                               const uint8_t* condition, float* d);

#ifdef __cplusplus
}
#endif
