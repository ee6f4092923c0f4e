#include "poet/runtime/update_rows.h"

#include <stddef.h>

#include "poet/runtime/panel_product.h"
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

/* `count` values of the weight from `first` on. */
static void update_values(const poet_update_rule* rule, ptrdiff_t first, int32_t count,
                          const poet_updated_weight* weight, const float* gradient) {
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

poet_slices poet_slices_of(int32_t rows, int32_t columns, int32_t slice_rows, int by_rows) {
  const int32_t room = (int32_t)((int64_t)slice_rows * columns / rows);
  const int32_t panels = room / POET_PANEL_COLUMNS * POET_PANEL_COLUMNS;
  poet_slices slices = {rows, columns, slice_rows, columns};
  if (by_rows || panels == 0 || slice_rows >= rows) return slices;
  slices.slice_rows = rows;
  slices.slice_columns = panels;
  return slices;
}

static int32_t least(int32_t a, int32_t b) {
  return a < b ? a : b;
}

void poet_update_slice_f32(const poet_update_rule* rule, const poet_slices* slices, int32_t row,
                           int32_t column, const poet_updated_weight* weight,
                           const float* gradient) {
  const int32_t rows = least(slices->slice_rows, slices->rows - row);
  const int32_t columns = least(slices->slice_columns, slices->columns - column);
  if (columns == slices->columns) {
    update_values(rule, (ptrdiff_t)row * columns, rows * columns, weight, gradient);
    return;
  }
  for (int32_t r = 0; r < rows; ++r)
    update_values(rule, (ptrdiff_t)(row + r) * slices->columns + column, columns, weight,
                  gradient + (ptrdiff_t)r * columns);
}
