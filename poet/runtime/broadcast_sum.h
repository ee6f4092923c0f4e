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

/* The same in parts: d goes on from `sum`, of d's shape, which is what earlier parts made of the
 * first of what is summed. alpha -1: d = sum - dy - dy ..., as the sum of -dy of the whole with
 * this factor. Otherwise d = alpha (sum + dy + dy ...): parts before the last have the factor 1. d
 * may be the same buffer as sum. */
void poet_broadcast_sum_continued_f32(const poet_broadcast_sum_shape* shape, const float* dy,
                                      const float* sum, float* d);

#ifdef __cplusplus
}
#endif
