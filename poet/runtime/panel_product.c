#include "poet/runtime/panel_product.h"

enum { TILE_ROWS = 4 };

typedef struct tile_row {
  float sums[POET_PANEL_COLUMNS];
} tile_row;

static tile_row load(const poet_panel* panel, const float* y) {
  tile_row row = {{0}};
  for (int32_t j = 0; j < panel->columns; ++j) row.sums[j] = y[panel->target_offsets[j]];
  return row;
}

static void store(const poet_panel* panel, const tile_row* row, float* y) {
  for (int32_t j = 0; j < panel->columns; ++j) y[panel->target_offsets[j]] = row->sums[j];
}

/* Four rows at once: each value of the panel is loaded once for four products. */
static void four_rows(const poet_panel* panel, const float* left, ptrdiff_t left_stride,
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
    const float f1 = factors[left_stride];
    const float f2 = factors[2 * left_stride];
    const float f3 = factors[3 * left_stride];
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

void poet_panel_product_f32(const poet_panel_rows* rows, const float* left, const poet_panel* panel,
                            float* y) {
  int32_t i = 0;
  for (; i + TILE_ROWS <= rows->count; i += TILE_ROWS) {
    tile_row tile[TILE_ROWS];
    float* const first = y + i * rows->target_stride;
    for (int32_t r = 0; r < TILE_ROWS; ++r) tile[r] = load(panel, first + r * rows->target_stride);
    four_rows(panel, left + i * rows->left_stride, rows->left_stride, tile);
    for (int32_t r = 0; r < TILE_ROWS; ++r) store(panel, &tile[r], first + r * rows->target_stride);
  }
  for (; i < rows->count; ++i) {
    tile_row row = load(panel, y + i * rows->target_stride);
    one_row(panel, left + i * rows->left_stride, &row);
    store(panel, &row, y + i * rows->target_stride);
  }
}
