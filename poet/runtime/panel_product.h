#pragma once

#include <stddef.h>
#include <stdint.h>

#include "poet/runtime/vectors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The inner part of matrix products and convolutions. A panel is a piece of the right-hand matrix,
 * copied so that it lies in memory as depth x POET_PANEL_COLUMNS; columns that do not exist are
 * zeros. With its offsets it takes 2.4 KiB of stack on a board, and 3.6 KiB where there are vectors
 * (POET_VECTORS). How wide a panel is changes no sum. */
#if defined(POET_VECTORS)
#define POET_PANEL_ALIGNED __attribute__((aligned(64)))
enum { POET_PANEL_COLUMNS = 16, POET_PANEL_DEPTH = 48 };
#else
#define POET_PANEL_ALIGNED
enum { POET_PANEL_COLUMNS = 8, POET_PANEL_DEPTH = 64 };
#endif

typedef struct poet_panel {
  POET_PANEL_ALIGNED float values[POET_PANEL_DEPTH][POET_PANEL_COLUMNS];
  int32_t depth;   /* rows in use, up to POET_PANEL_DEPTH */
  int32_t columns; /* columns that exist, 1 to POET_PANEL_COLUMNS */
  /* Where the factors of row k lie in the left-hand matrix, in elements from the begin of its row.
   */
  ptrdiff_t left_offsets[POET_PANEL_DEPTH];
  /* So many factors, from that of row k on, follow each other in memory. */
  unsigned char run_lengths[POET_PANEL_DEPTH];
  /* Where the columns lie in y, in elements from the begin of a row of it. */
  ptrdiff_t target_offsets[POET_PANEL_COLUMNS];
} poet_panel;

/* Rows of the left-hand matrix and of y; strides in elements. */
typedef struct poet_panel_rows {
  int32_t count;
  ptrdiff_t left_stride;
  ptrdiff_t target_stride;
} poet_panel_rows;

/* Fills in the run_lengths of a panel of which depth and left_offsets are known. */
void poet_panel_find_runs(poet_panel* panel);

/* y[i * target_stride + target_offsets[j]] +=
 *     sum over k < depth of left[i * left_stride + left_offsets[k]] * values[k][j]
 * for i < count and j < columns. Each element of y gets its products one after the other, k
 * ascending, so a longer sum may come in several panels without another result. */
void poet_panel_product_f32(const poet_panel_rows* rows, const float* left, const poet_panel* panel,
                            float* y);

/* The same with registers that every processor has for which this is compiled:
 * poet_panel_product_f32 may find wider ones when it runs. */
void poet_panel_product_plain_f32(const poet_panel_rows* rows, const float* left,
                                  const poet_panel* panel, float* y);

#ifdef __cplusplus
}
#endif
