#pragma once

#include "poet/runtime/panel_product.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A place in a volume, or in one of many volumes: a part for the row of a panel and one
 * for its column together make a place. */
typedef struct poet_panel_place {
  int32_t at[3];    /* depth, height, width */
  ptrdiff_t offset; /* in elements; where several volumes lie, of that volume too */
} poet_panel_place;

/* What a panel gathers: row k and column j meet at the sum of their places. Either the rows or the
 * columns lie in lines: those of a line are `step` places of the width apart, and only the place of
 * the first is set. Values that follow each other along the width do so in memory. */
typedef struct poet_panel_places {
  int32_t extents[3]; /* of each volume */
  int32_t step;
  unsigned char line_ends[POET_PANEL_DEPTH]; /* of the first of a line: the first behind the line */
  poet_panel_place rows[POET_PANEL_DEPTH];
  poet_panel_place columns[POET_PANEL_COLUMNS];
  /* Set by poet_panel_find_bounds, for lines of columns: */
  int32_t low[3], high[3];                       /* of the rows */
  unsigned char row_line_ends[POET_PANEL_DEPTH]; /* the first row of another depth or height */
} poet_panel_places;

/* Sets low, high and row_line_ends. */
void poet_panel_find_bounds(poet_panel_places* places, int32_t depth);

/* values[k][j] = source[rows[k].offset + columns[j].offset], or 0 where the place lies outside the
 * volume, for k < panel->depth and j < panel->columns; 0 in other columns that are read with these.
 */
void poet_panel_fill_from_column_lines_f32(const poet_panel_places* places, const float* source,
                                           poet_panel* panel);

/* The same where rows lie in lines. */
void poet_panel_fill_from_row_lines_f32(const poet_panel_places* places, const float* source,
                                        poet_panel* panel);

#ifdef __cplusplus
}
#endif
