/* The gradient of a weight and the update by it in one: of the gradient only a slice is there at a
 * time (update_rows.h). So an update needs RAM for its weight, and not for a second one.
 *
 * A value of a gradient needs no other, and an update goes value by value, so the bits are those of
 * the kernel of the whole gradient (conv.h, matmul.h) and the update (update.h) behind it.
 *
 * `value` is what gets a new value: the weight, or a state of the optimiser. `other` is the
 * velocity of Nesterov's step, or the weight where a state has weight decay; otherwise NULL. `step`
 * may be NULL for moments. In place: new_value may be the same buffer as value; it overlaps none of
 * the other inputs. `workspace` has room for slice_rows rows. */
#pragma once

#include <stdint.h>

#include "poet/runtime/conv.h"
#include "poet/runtime/matmul.h"
#include "poet/runtime/step.h"
#include "poet/runtime/update_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_conv_weight_update_shape {
  poet_conv_shape gradient;
  int32_t slice_rows; /* of M, for which there is room; 1 to M */
  poet_update_rule update;
} poet_conv_weight_update_shape;

/* value, other, new_value (M, C/G, kernel), x (N, C, input), dy (N, M, output). */
void poet_conv_weight_update_f32(const poet_conv_weight_update_shape* shape, const float* value,
                                 const float* x, const float* dy, const float* other,
                                 const poet_step_words* step, float* new_value, void* workspace);

typedef struct poet_matmul_weight_update_shape {
  poet_matmul_shape gradient; /* of one matrix: batch_rank 0, and no bias */
  int32_t slice_rows;         /* of M, for which there is room; 1 to M */
  poet_update_rule update;
} poet_matmul_weight_update_shape;

/* value, other, new_value (M, N): the weight is updated by alpha times the sum over s of
 * a[s, M, K] * b[s, K, N]. */
void poet_matmul_weight_update_f32(const poet_matmul_weight_update_shape* shape, const float* value,
                                   const float* a, const float* b, const float* other,
                                   const poet_step_words* step, float* new_value, void* workspace);

#ifdef __cplusplus
}
#endif
