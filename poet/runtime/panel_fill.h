#pragma once

#include <stddef.h>
#include <stdint.h>

#include "poet/runtime/panel_product.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One part of a place in a volume, or in one of many volumes: a part for the row of a panel and one
 * for its column together make a place. */
typedef struct poet_panel_place {
  int32_t at[3];    /* depth, height, width */
  ptrdiff_t offset; /* in elements; where several volumes lie, of that volume too */
} poet_panel_place;

/* What a panel gathers: row k and column j meet at the sum of their places. */
typedef struct poet_panel_places {
  int32_t extents[3]; /* of each volume */
  poet_panel_place rows[POET_PANEL_DEPTH];
  poet_panel_place columns[POET_PANEL_COLUMNS];
} poet_panel_places;

/* values[k][j] = source[rows[k].offset + columns[j].offset], or 0 where the place lies outside the
 * volume, for k < panel->depth and j < panel->columns; 0 in columns that do not exist. */
void poet_panel_fill_f32(const poet_panel_places* places, const float* source, poet_panel* panel);

#ifdef __cplusplus
}
#endif
