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

/* Some rows of a weight, of one length. */
typedef struct poet_rows {
  int32_t begin;
  int32_t end;
} poet_rows;

/* What an update reads and writes, of a whole weight. `other` is the velocity of Nesterov's step,
 * and otherwise the parameter of a state with weight decay, or NULL. `step` may be NULL for
 * moments. new_value may be the same buffer as value. */
typedef struct poet_updated_weight {
  const float* value;
  const float* other;
  const poet_step_words* step;
  float* new_value;
} poet_updated_weight;

/* Updates `rows` of a weight whose rows have `row_length` values, by `gradient`, which begins with
 * the first of these rows. Values are updated one by one, so the bits are those of an update of the
 * whole weight. */
void poet_update_rows_f32(const poet_update_rule* rule, poet_rows rows, int32_t row_length,
                          const poet_updated_weight* weight, const float* gradient);

#ifdef __cplusplus
}
#endif
