#include "poet/runtime/panel_fill.h"

/* What holds for all columns that exist. */
typedef struct column_box {
  int32_t low[3];
  int32_t high[3];
  int is_dense; /* all 8 exist, and follow each other in memory */
} column_box;

static column_box box_of(const poet_panel_places* places, int32_t columns) {
  const poet_panel_place* const first = &places->columns[0];
  column_box box = {{first->at[0], first->at[1], first->at[2]},
                    {first->at[0], first->at[1], first->at[2]},
                    columns == POET_PANEL_COLUMNS};
  for (int32_t j = 1; j < columns; ++j) {
    const poet_panel_place* const column = &places->columns[j];
    if (column->offset != first->offset + j) box.is_dense = 0;
    for (int32_t d = 0; d < 3; ++d) {
      if (column->at[d] < box.low[d]) box.low[d] = column->at[d];
      if (column->at[d] > box.high[d]) box.high[d] = column->at[d];
    }
  }
  return box;
}

static int holds(const int32_t* extents, const int32_t* low, const int32_t* high,
                 const poet_panel_place* row) {
  for (int32_t d = 0; d < 3; ++d) {
    if (low[d] + row->at[d] < 0 || high[d] + row->at[d] >= extents[d]) return 0;
  }
  return 1;
}

static void fill_at_edge(const poet_panel_places* places, const poet_panel_place* row,
                         int32_t columns, const float* source, float* values) {
  for (int32_t j = 0; j < columns; ++j) {
    const poet_panel_place* const column = &places->columns[j];
    values[j] = holds(places->extents, column->at, column->at, row)
                    ? source[row->offset + column->offset]
                    : 0.0f;
  }
}

void poet_panel_fill_f32(const poet_panel_places* places, const float* source, poet_panel* panel) {
  const column_box box = box_of(places, panel->columns);
  for (int32_t k = 0; k < panel->depth; ++k) {
    const poet_panel_place* const row = &places->rows[k];
    float* const values = panel->values[k];
    for (int32_t j = panel->columns; j < POET_PANEL_COLUMNS; ++j) values[j] = 0.0f;
    if (!holds(places->extents, box.low, box.high, row)) {
      fill_at_edge(places, row, panel->columns, source, values);
    } else if (box.is_dense) {
      const float* const dense = source + row->offset + places->columns[0].offset;
      for (int32_t j = 0; j < POET_PANEL_COLUMNS; ++j) values[j] = dense[j];
    } else {
      for (int32_t j = 0; j < panel->columns; ++j)
        values[j] = source[row->offset + places->columns[j].offset];
    }
  }
}
