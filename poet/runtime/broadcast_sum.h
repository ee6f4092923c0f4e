/* The sum of a tensor over the axes along which an operand was repeated, times a factor. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_broadcast_sum_shape {
  int32_t kept_rank;         /* 0 to 8; 0: d is one number */
  int32_t summed_rank;       /* 0 to 8; 0: nothing is summed */
  int32_t kept_extents[8];   /* of d, which is dense, row-major; 1 or more */
  int32_t summed_extents[8]; /* 1 or more */
  int32_t dy_kept_strides[8];
  int32_t dy_summed_strides[8];
  float alpha;
} poet_broadcast_sum_shape;

/* d = alpha (sum dy), the sum as that of poet_add_gradient_f32 (poet/runtime/broadcast.h). In
 * place: d may be dy if nothing is summed. */
void poet_broadcast_sum_forward_f32(const poet_broadcast_sum_shape* shape, const float* dy,
                                    float* d);

#ifdef __cplusplus
}
#endif
