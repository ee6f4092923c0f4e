/* How values get into a panel. For the sources of this room. */
#pragma once

#include "poet/runtime/panel_product.h"

/* A whole row of a panel: assigned as one value, which compilers do in few instructions. */
typedef struct poet_panel_row {
  float values[POET_PANEL_COLUMNS];
} poet_panel_row;

static inline void poet_panel_copy_row(const float* from, float* to) {
  *(poet_panel_row*)to = *(const poet_panel_row*)from;
}

/* to[i * to_step] = from[i * from_step] for i < count */
static inline void poet_panel_copy(int32_t count, const float* from, ptrdiff_t from_step, float* to,
                                   ptrdiff_t to_step) {
  for (; count >= 4; count -= 4) {
    const float a = from[0], b = from[from_step], c = from[2 * from_step], d = from[3 * from_step];
    to[0] = a;
    to[to_step] = b;
    to[2 * to_step] = c;
    to[3 * to_step] = d;
    from += 4 * from_step;
    to += 4 * to_step;
  }
  for (; count > 0; --count) {
    *to = *from;
    from += from_step;
    to += to_step;
  }
}

static inline void poet_panel_clear(int32_t count, float* to, ptrdiff_t to_step) {
  for (; count > 0; --count) {
    *to = 0.0f;
    to += to_step;
  }
}

static inline void poet_panel_clear_missing_columns(poet_panel* panel) {
  const int32_t missing = (POET_COLUMNS_READ_AT_ONCE - panel->columns % POET_COLUMNS_READ_AT_ONCE) %
                          POET_COLUMNS_READ_AT_ONCE;
  if (missing == 0) return;
  for (int32_t k = 0; k < panel->depth; ++k)
    poet_panel_clear(missing, panel->values[k] + panel->columns, 1);
}
