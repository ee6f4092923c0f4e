/* Sets elements to zero by chance while training, and scales the others so that the expected value
 * stays: N. Srivastava et al., "Dropout" (JMLR 2014), in the inverted form.
 *
 * No mask is kept: element i is dropped when word i % 4 of the Philox block with the counter
 * (i / 4, operation, step, micro_batch) and the key (seed_low, seed_high) is less than
 * probability 2^32. */
#pragma once

#include <stdint.h>

#include "poet/runtime/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_dropout_shape {
  int32_t count;
  uint32_t operation; /* tells the dropouts of one graph apart; the same for forward and gradient */
  float probability;  /* of being dropped, in [0, 1) */
  int32_t first;      /* a multiple of 4: where x[0] stands in the whole tensor, for a part of it */
} poet_dropout_shape;

/* x (count), y (count), which may be the same buffer: y = dropped ? 0 : x / (1 - probability) */
void poet_dropout_forward_f32(const poet_dropout_shape* shape, const float* x,
                              const poet_step_words* step, float* y);

/* dy (count), dx (count), which may be the same buffer: dx = dropped ? 0 : dy / (1 - probability)
 */
void poet_dropout_gradient_f32(const poet_dropout_shape* shape, const float* dy,
                               const poet_step_words* step, float* dx);

/* A dense piece of a larger tensor: along dimension d of the piece, neighbours stand strides[d]
 * elements apart in the whole. The first `rank` entries count, the outermost first. */
typedef struct poet_dropout_part_shape {
  uint32_t operation;
  float probability;
  int32_t first; /* where the piece begins in the whole */
  int32_t rank;  /* 0 to 8; 0: one element */
  int32_t extents[8];
  int32_t strides[8];
} poet_dropout_part_shape;

/* x and y, the piece, may be the same buffer: as poet_dropout_forward_f32 of the whole has it, and
 * the gradient too. */
void poet_dropout_part_f32(const poet_dropout_part_shape* shape, const float* x,
                           const poet_step_words* step, float* y);

#ifdef __cplusplus
}
#endif
