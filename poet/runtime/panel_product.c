#include "poet/runtime/panel_product.h"

enum { TILE_ROWS = 4 };

typedef struct tile_row {
  float sums[POET_PANEL_COLUMNS];
} tile_row;

static tile_row load(const float* y, ptrdiff_t column_stride, int32_t columns) {
  tile_row row = {{0}};
  for (int32_t j = 0; j < columns; ++j) row.sums[j] = y[j * column_stride];
  return row;
}

static void store(const tile_row* row, ptrdiff_t column_stride, int32_t columns, float* y) {
  for (int32_t j = 0; j < columns; ++j) y[j * column_stride] = row->sums[j];
}

/* Four rows at once: each value of the panel is loaded once for four products. */
static void four_rows(const poet_panel* panel, const float* left, ptrdiff_t left_row_stride,
                      tile_row* rows) {
  float r0[POET_PANEL_COLUMNS], r1[POET_PANEL_COLUMNS];
  float r2[POET_PANEL_COLUMNS], r3[POET_PANEL_COLUMNS];
  for (int32_t j = 0; j < POET_PANEL_COLUMNS; ++j) {
    r0[j] = rows[0].sums[j];
    r1[j] = rows[1].sums[j];
    r2[j] = rows[2].sums[j];
    r3[j] = rows[3].sums[j];
  }
  for (int32_t k = 0; k < panel->depth; ++k) {
    const float* const values = panel->values[k];
    const float* const factors = left + panel->left_offsets[k];
    const float f0 = factors[0];
    const float f1 = factors[left_row_stride];
    const float f2 = factors[2 * left_row_stride];
    const float f3 = factors[3 * left_row_stride];
    for (int32_t j = 0; j < POET_PANEL_COLUMNS; ++j) {
      r0[j] += f0 * values[j];
      r1[j] += f1 * values[j];
      r2[j] += f2 * values[j];
      r3[j] += f3 * values[j];
    }
  }
  for (int32_t j = 0; j < POET_PANEL_COLUMNS; ++j) {
    rows[0].sums[j] = r0[j];
    rows[1].sums[j] = r1[j];
    rows[2].sums[j] = r2[j];
    rows[3].sums[j] = r3[j];
  }
}

static void one_row(const poet_panel* panel, const float* left, tile_row* row) {
  tile_row sums = *row;
  for (int32_t k = 0; k < panel->depth; ++k) {
    const float factor = left[panel->left_offsets[k]];
    for (int32_t j = 0; j < POET_PANEL_COLUMNS; ++j) sums.sums[j] += factor * panel->values[k][j];
  }
  *row = sums;
}

void poet_panel_product_f32(const poet_panel_target* target, const float* left,
                            const poet_panel* panel, float* y) {
  const ptrdiff_t step = target->column_stride;
  int32_t i = 0;
  for (; i + TILE_ROWS <= target->rows; i += TILE_ROWS) {
    tile_row rows[TILE_ROWS];
    float* const first = y + i * target->row_stride;
    for (int32_t r = 0; r < TILE_ROWS; ++r)
      rows[r] = load(first + r * target->row_stride, step, panel->columns);
    four_rows(panel, left + i * target->left_row_stride, target->left_row_stride, rows);
    for (int32_t r = 0; r < TILE_ROWS; ++r)
      store(&rows[r], step, panel->columns, first + r * target->row_stride);
  }
  for (; i < target->rows; ++i) {
    tile_row row = load(y + i * target->row_stride, step, panel->columns);
    one_row(panel, left + i * target->left_row_stride, &row);
    store(&row, step, panel->columns, y + i * target->row_stride);
  }
}
