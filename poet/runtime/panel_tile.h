/* A product of some rows with a panel, for one kind of processor: included by panel_product.c, once
 * for each kind, with
 *
 *   POET_TILE_NAME       of the function that is made
 *   POET_TILE_TARGET     an attribute of functions, or nothing
 *   POET_TILE_LANES_OF   the type of values that are multiplied and added in one instruction
 *   POET_TILE_LANES      how many these are
 *   POET_TILE_EACH(DO, r)  DO(r, 0) DO(r, 1) ...: for each such value of a row of the tile
 *   POET_TILE_COLUMNS    of the tile: lanes times values
 *   POET_TILE_ROWS       of the tile
 *   POET_TILE_EACH_ROW(DO)  DO(0) DO(1) ...
 *   POET_TILE_BEFORE(r), POET_TILE_AFTER(r)  around the products of a row, or nothing
 *
 * A tile of sums stays in registers for the whole depth of the panel. Each sum is an element of y
 * of its own, and gets its products one after the other: lanes lie across sums, never along one.
 * The sums are variables and not an array, because compilers for boards keep arrays in memory. */

#ifndef POET_TILE_NAME
#error "this is for panel_product.c"
#endif

#define POET_TILE_PASTE_(a, b) a##b
#define POET_TILE_PASTE(a, b) POET_TILE_PASTE_(a, b)
#define POET_TILE_FUNCTION(part) POET_TILE_PASTE(POET_TILE_NAME, part)

/* Value j of row r. */
#define POET_TILE_LOAD(r, j) \
  POET_TILE_LANES_OF s##r##j = *(const POET_TILE_LANES_OF*)(y##r + (j)*POET_TILE_LANES);
#define POET_TILE_STORE(r, j) *(POET_TILE_LANES_OF*)(y##r + (j)*POET_TILE_LANES) = s##r##j;
#define POET_TILE_VALUE(r, j) \
  const POET_TILE_LANES_OF v##j = *(const POET_TILE_LANES_OF*)(values + (j)*POET_TILE_LANES);
#define POET_TILE_ADD(r, j) s##r##j += f##r * v##j;

/* Row r. */
#define POET_TILE_BEGIN_ROW(r)          \
  float* const y##r = y + (r)*y_stride; \
  POET_TILE_EACH(POET_TILE_LOAD, r)
#define POET_TILE_END_ROW(r) POET_TILE_EACH(POET_TILE_STORE, r)
#define POET_TILE_POINT(r) const float* left##r = left + run->offset + (r)*left_stride;
#define POET_TILE_FACTOR(r) float f##r = *left##r;
#define POET_TILE_ADD_ROW(r)       \
  POET_TILE_BEFORE(r)              \
  POET_TILE_EACH(POET_TILE_ADD, r) \
  POET_TILE_AFTER(r)
#define POET_TILE_NEXT(r) ++left##r;
#define POET_TILE_NEXT_APART(r) left##r += run->step;

/* A step of the depth: each value of the panel is loaded once for the products of all rows. */
#define POET_TILE_STEP(EACH_ROW, FURTHER) \
  {                                       \
    POET_TILE_EACH(POET_TILE_VALUE, 0)    \
    EACH_ROW(POET_TILE_FACTOR)            \
    EACH_ROW(POET_TILE_ADD_ROW)           \
    values += POET_PANEL_COLUMNS;         \
    EACH_ROW(FURTHER)                     \
  }

/* Most factors follow each other in memory, which takes fewer instructions. */
#define POET_TILE_DEPTH(EACH_ROW)                                           \
  for (const poet_panel_run* run = panel->runs; run->length > 0; ++run) {   \
    ptrdiff_t rest = run->length;                                           \
    EACH_ROW(POET_TILE_POINT)                                               \
    if (run->step == 1) {                                                   \
      for (; rest >= 4; rest -= 4) {                                        \
        POET_TILE_STEP(EACH_ROW, POET_TILE_NEXT)                            \
        POET_TILE_STEP(EACH_ROW, POET_TILE_NEXT)                            \
        POET_TILE_STEP(EACH_ROW, POET_TILE_NEXT)                            \
        POET_TILE_STEP(EACH_ROW, POET_TILE_NEXT)                            \
      }                                                                     \
    }                                                                       \
    for (; rest > 0; --rest) POET_TILE_STEP(EACH_ROW, POET_TILE_NEXT_APART) \
  }

#define POET_TILE_FIRST_ROW(DO) DO(0)
#define POET_TILE_TWO_ROWS(DO) DO(0) DO(1)
#define POET_TILE_THREE_ROWS(DO) DO(0) DO(1) DO(2)

#if POET_TILE_ROWS > 1 && !defined(POET_TILE_HAS_ROWS)
POET_TILE_TARGET static void POET_TILE_FUNCTION(_rows)(const poet_panel* panel, const float* values,
                                                       const float* left, ptrdiff_t left_stride,
                                                       float* y, ptrdiff_t y_stride) {
  POET_TILE_EACH_ROW(POET_TILE_BEGIN_ROW)
  POET_TILE_DEPTH(POET_TILE_EACH_ROW) POET_TILE_EACH_ROW(POET_TILE_END_ROW)
}
#endif

/* What is left over, of a tile of four rows. */
#if POET_TILE_ROWS > 2 && !defined(POET_TILE_HAS_ROWS)
POET_TILE_TARGET static void POET_TILE_FUNCTION(_three)(const poet_panel* panel,
                                                        const float* values, const float* left,
                                                        ptrdiff_t left_stride, float* y,
                                                        ptrdiff_t y_stride){
    POET_TILE_THREE_ROWS(POET_TILE_BEGIN_ROW) POET_TILE_DEPTH(POET_TILE_THREE_ROWS)
        POET_TILE_THREE_ROWS(POET_TILE_END_ROW)}

POET_TILE_TARGET static void POET_TILE_FUNCTION(_two)(const poet_panel* panel, const float* values,
                                                      const float* left, ptrdiff_t left_stride,
                                                      float* y, ptrdiff_t y_stride){
    POET_TILE_TWO_ROWS(POET_TILE_BEGIN_ROW) POET_TILE_DEPTH(POET_TILE_TWO_ROWS)
        POET_TILE_TWO_ROWS(POET_TILE_END_ROW)}
#endif

POET_TILE_TARGET static void POET_TILE_FUNCTION(_row)(const poet_panel* panel, const float* values,
                                                      const float* left, float* y) {
  const ptrdiff_t left_stride = 0, y_stride = 0;
  POET_TILE_BEGIN_ROW(0)
  POET_TILE_DEPTH(POET_TILE_FIRST_ROW)
  POET_TILE_END_ROW(0)
}

POET_TILE_TARGET static inline void POET_TILE_FUNCTION(_taken)(
    int32_t taken, const poet_panel* panel, const float* values, const float* left,
    ptrdiff_t left_stride, float* y, ptrdiff_t y_stride) {
#if POET_TILE_ROWS > 1
  if (taken == POET_TILE_ROWS) {
    POET_TILE_FUNCTION(_rows)(panel, values, left, left_stride, y, y_stride);
    return;
  }
#endif
#if POET_TILE_ROWS > 2
  if (taken == 3) {
    POET_TILE_FUNCTION(_three)(panel, values, left, left_stride, y, y_stride);
    return;
  }
  if (taken == 2) {
    POET_TILE_FUNCTION(_two)(panel, values, left, left_stride, y, y_stride);
    return;
  }
#endif
  (void)taken;
  (void)left_stride;
  (void)y_stride;
  POET_TILE_FUNCTION(_row)(panel, values, left, y);
}

/* All rows, for the columns of the panel that begin at `column`: `count` of them exist. Where those
 * do not lie side by side in y, the tile works on a copy. */
POET_TILE_TARGET static void POET_TILE_FUNCTION(_columns)(const poet_panel_rows* rows,
                                                          const float* left,
                                                          const poet_panel* panel, int32_t column,
                                                          int32_t count, float* y) {
  const ptrdiff_t* const targets = panel->target_offsets + column;
  const float* const values = panel->values[0] + column;
  float copy[POET_TILE_ROWS * POET_TILE_COLUMNS];
  int is_dense = count == POET_TILE_COLUMNS;
  for (int32_t j = 1; j < count; ++j) is_dense = is_dense && targets[j] == targets[0] + j;
  if (count < POET_TILE_COLUMNS)
    for (int32_t i = 0; i < POET_TILE_ROWS * POET_TILE_COLUMNS; ++i) copy[i] = 0.0f;
  for (int32_t i = 0; i < rows->count;) {
    const float* const first_left = left + i * rows->left_stride;
    float* const first_y = y + i * rows->target_stride;
    const int32_t rest = rows->count - i;
    const int32_t left_over = POET_TILE_ROWS > 2 ? rest : 1;
    const int32_t taken = rest >= POET_TILE_ROWS ? POET_TILE_ROWS : left_over;
    float* tile = first_y + targets[0];
    if (!is_dense) {
      tile = copy;
      for (int32_t r = 0; r < taken; ++r)
        for (int32_t j = 0; j < count; ++j)
          copy[r * POET_TILE_COLUMNS + j] = first_y[r * rows->target_stride + targets[j]];
    }
    POET_TILE_FUNCTION(_taken)
    (taken, panel, values, first_left, rows->left_stride, tile,
     is_dense ? rows->target_stride : POET_TILE_COLUMNS);
    if (!is_dense) {
      for (int32_t r = 0; r < taken; ++r)
        for (int32_t j = 0; j < count; ++j)
          first_y[r * rows->target_stride + targets[j]] = copy[r * POET_TILE_COLUMNS + j];
    }
    i += taken;
  }
}

POET_TILE_TARGET static void POET_TILE_NAME(const poet_panel_rows* rows, const float* left,
                                            const poet_panel* panel, float* y) {
  for (int32_t column = 0; column < panel->columns; column += POET_TILE_COLUMNS) {
    const int32_t left_over = panel->columns - column;
    POET_TILE_FUNCTION(_columns)
    (rows, left, panel, column, left_over < POET_TILE_COLUMNS ? left_over : POET_TILE_COLUMNS, y);
  }
}

#undef POET_TILE_NAME
#undef POET_TILE_TARGET
#undef POET_TILE_LANES_OF
#undef POET_TILE_LANES
#undef POET_TILE_EACH
#undef POET_TILE_COLUMNS
#undef POET_TILE_ROWS
#undef POET_TILE_EACH_ROW
#undef POET_TILE_BEFORE
#undef POET_TILE_AFTER
#undef POET_TILE_PASTE_
#undef POET_TILE_PASTE
#undef POET_TILE_FUNCTION
#undef POET_TILE_LOAD
#undef POET_TILE_STORE
#undef POET_TILE_VALUE
#undef POET_TILE_ADD
#undef POET_TILE_BEGIN_ROW
#undef POET_TILE_END_ROW
#undef POET_TILE_POINT
#undef POET_TILE_FACTOR
#undef POET_TILE_ADD_ROW
#undef POET_TILE_NEXT
#undef POET_TILE_NEXT_APART
#undef POET_TILE_STEP
#undef POET_TILE_DEPTH
#undef POET_TILE_FIRST_ROW
#undef POET_TILE_TWO_ROWS
#undef POET_TILE_THREE_ROWS
