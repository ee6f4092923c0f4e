#pragma once

#include <stdint.h>

#include "poet/runtime/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which update of poet/runtime/update.h makes a new value of a gradient. */
enum {
  POET_UPDATE_SGD = 0,
  POET_UPDATE_VELOCITY = 1,
  POET_UPDATE_NESTEROV = 2,
  POET_UPDATE_FIRST_MOMENT = 3,
  POET_UPDATE_SECOND_MOMENT = 4
};

/* An update without its count; constants that it does not have are 0. */
typedef struct poet_update_rule {
  int32_t kind;
  float weight_decay;
  float momentum;
  float dampening;
  float beta;
  float one_minus_beta;
} poet_update_rule;

/* How the update of a weight goes through its gradient, of which only a slice is there at a time:
 * some rows whole, or of all rows some columns. */
typedef struct poet_slices {
  int32_t rows, columns; /* of the weight */
  int32_t slice_rows, slice_columns;
} poet_slices;

/* The slices of a weight with rows x columns values, with room for `slice_rows` rows. A kernel that
 * copies the other operand of the gradient into panels copies it for each slice of rows anew, and
 * once for slices of columns: those are as many whole panels as there is room for, where there is
 * any, and `by_rows` is 0. */
poet_slices poet_slices_of(int32_t rows, int32_t columns, int32_t slice_rows, int by_rows);

/* What an update reads and writes, of a whole weight. `other` is the velocity of Nesterov's step,
 * and otherwise the parameter of a state with weight decay, or NULL. `step` may be NULL for
 * moments. new_value may be the same buffer as value. */
typedef struct poet_updated_weight {
  const float* value;
  const float* other;
  const poet_step_words* step;
  float* new_value;
} poet_updated_weight;

/* Updates the slice that begins at (row, column), by its gradient, which has no other values.
 * Values are updated one by one, so the bits are those of an update of the whole weight. */
void poet_update_slice_f32(const poet_update_rule* rule, const poet_slices* slices, int32_t row,
                           int32_t column, const poet_updated_weight* weight,
                           const float* gradient);

#ifdef __cplusplus
}
#endif
