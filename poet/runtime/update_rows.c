#include "poet/runtime/update_rows.h"

#include <stddef.h>

#include "poet/runtime/update.h"

static void update_velocity(const poet_update_rule* rule, int32_t count,
                            const poet_updated_weight* at, const float* gradient) {
  const poet_velocity_shape shape = {count, rule->momentum, rule->dampening, rule->weight_decay};
  poet_velocity_update_f32(&shape, at->value, gradient, at->other, at->step, NULL, at->new_value);
}

static void update_by_nesterov(const poet_update_rule* rule, int32_t count,
                               const poet_updated_weight* at, const float* gradient) {
  const poet_nesterov_shape shape = {count, rule->momentum, rule->weight_decay};
  poet_nesterov_update_f32(&shape, at->value, at->other, gradient, at->step, NULL, at->new_value);
}

static void update_moment(const poet_update_rule* rule, int32_t count,
                          const poet_updated_weight* at, const float* gradient) {
  const poet_moment_shape shape = {count, rule->beta, rule->one_minus_beta, rule->weight_decay};
  if (rule->kind == POET_UPDATE_FIRST_MOMENT)
    poet_first_moment_update_f32(&shape, at->value, gradient, at->other, NULL, at->new_value);
  else
    poet_second_moment_update_f32(&shape, at->value, gradient, at->other, NULL, at->new_value);
}

static void update_by_sgd(const poet_update_rule* rule, int32_t count,
                          const poet_updated_weight* at, const float* gradient) {
  const poet_sgd_shape shape = {count, rule->weight_decay};
  poet_sgd_update_f32(&shape, at->value, gradient, at->step, NULL, at->new_value);
}

void poet_update_rows_f32(const poet_update_rule* rule, poet_rows rows, int32_t row_length,
                          const poet_updated_weight* weight, const float* gradient) {
  const ptrdiff_t first = (ptrdiff_t)rows.begin * row_length;
  const int32_t count = (rows.end - rows.begin) * row_length;
  const poet_updated_weight at = {weight->value + first,
                                  weight->other ? weight->other + first : NULL, weight->step,
                                  weight->new_value + first};
  switch (rule->kind) {
    case POET_UPDATE_SGD:
      update_by_sgd(rule, count, &at, gradient);
      break;
    case POET_UPDATE_VELOCITY:
      update_velocity(rule, count, &at, gradient);
      break;
    case POET_UPDATE_NESTEROV:
      update_by_nesterov(rule, count, &at, gradient);
      break;
    default:
      update_moment(rule, count, &at, gradient);
      break;
  }
}
