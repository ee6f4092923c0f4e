#pragma once

#include <stddef.h>
#include <stdint.h>

#include "poet/runtime/vectors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The inner part of matrix products and convolutions. A panel is a piece of the right-hand matrix,
 * copied so that it lies in memory as depth x POET_PANEL_COLUMNS; columns that do not exist and are
 * read with others are zeros. With its runs it takes 2.7 KiB of stack on a board with an FPU, where
 * it has eight channels of a 3 x 3 kernel, half of that without one, where products take so long
 * that nothing else counts, and 3.8 KiB where there are vectors (POET_VECTORS). How wide and deep a
 * panel is changes no sum. */
#if defined(POET_VECTORS)
#define POET_PANEL_ALIGNED __attribute__((aligned(64)))
enum {
  POET_PANEL_COLUMNS = 16,
  POET_PANEL_DEPTH = 48,
  POET_PANEL_RUNS = 26, /* half the depth, a shorter one, and the end */
  POET_COLUMNS_READ_AT_ONCE = 16
};
#elif defined(__SOFTFP__) || (defined(__riscv) && !defined(__riscv_flen))
/* Floats are integers that functions of the compiler multiply and add: one sum at a time. */
#define POET_PANEL_ALIGNED
#define POET_FLOATS_BY_FUNCTIONS 1
enum {
  POET_PANEL_COLUMNS = 8,
  POET_PANEL_DEPTH = 32,
  POET_PANEL_RUNS = 18,
  POET_COLUMNS_READ_AT_ONCE = 1
};
#else
#define POET_PANEL_ALIGNED
enum {
  POET_PANEL_COLUMNS = 8,
  POET_PANEL_DEPTH = 72,
  POET_PANEL_RUNS = 38,
  POET_COLUMNS_READ_AT_ONCE = 4
};
#endif

/* Some rows of a panel that follow each other, and where their factors lie in the left-hand
 * matrix, in elements: the first from the begin of its row, each further one `step` behind. Every
 * two rows are a run, so that a panel has at most one that is shorter. */
typedef struct poet_panel_run {
  ptrdiff_t offset, step, length;
} poet_panel_run;

typedef struct poet_panel {
  POET_PANEL_ALIGNED float values[POET_PANEL_DEPTH][POET_PANEL_COLUMNS];
  int32_t depth;   /* rows in use, up to POET_PANEL_DEPTH */
  int32_t columns; /* columns that exist, 1 to POET_PANEL_COLUMNS */
  /* Of all rows; the one behind the last has the length 0. */
  poet_panel_run runs[POET_PANEL_RUNS];
  /* Where the columns lie in y, in elements from the begin of a row of it. */
  ptrdiff_t target_offsets[POET_PANEL_COLUMNS];
} poet_panel;

/* Rows of the left-hand matrix and of y; strides in elements. */
typedef struct poet_panel_rows {
  int32_t count;
  ptrdiff_t left_stride;
  ptrdiff_t target_stride;
} poet_panel_rows;

/* Fills in the runs of a panel of which the depth is known: the factors of its row k lie at
 * left_offsets[k]. */
void poet_panel_find_runs(const ptrdiff_t* left_offsets, poet_panel* panel);

/* The same where there is one run, from the begin of the rows. */
void poet_panel_set_run(ptrdiff_t step, poet_panel* panel);

/* y[i * target_stride + target_offsets[j]] +=
 *     sum over k < depth of left[i * left_stride + offset of k] * values[k][j]
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
