#include "poet/runtime/panel_fill.h"

#include "poet/runtime/panel_copy.h"

/* The part of a line that lies inside the volume: its first value, and the one behind its last. */
typedef struct inside {
  int32_t begin, end;
} inside;

static int is_within(int32_t place, int32_t extent) {
  return (uint32_t)place < (uint32_t)extent;
}

/* Of a line of `count` places whose first lies at `start` of the width. */
static inside inside_of(const poet_panel_places* places, int32_t start, int32_t count) {
  const int32_t step = places->step;
  const int32_t room = places->extents[2] - start;
  inside range = {0, 0};
  if (room <= 0) return range;
  if (start < 0) range.begin = step == 1 ? -start : (step - 1 - start) / step;
  range.end = count;
  if (room <= (count - 1) * step) range.end = step == 1 ? room : (room + step - 1) / step;
  if (range.begin > range.end) range.begin = range.end;
  return range;
}

/* A line of `count` values in a column of the panel, of which those in range lie in the source:
 * `offset` is that of the first, inside or not. */
static void copy_to_column(inside range, int32_t count, const float* source, ptrdiff_t offset,
                           ptrdiff_t step, float* to) {
  const int32_t taken = range.end - range.begin;
  poet_panel_clear(range.begin, to, POET_PANEL_COLUMNS);
  to += range.begin * POET_PANEL_COLUMNS;
  if (taken > 0) source += offset + range.begin * step;
  if (step == 1)
    poet_panel_copy(taken, source, 1, to, POET_PANEL_COLUMNS);
  else
    poet_panel_copy(taken, source, step, to, POET_PANEL_COLUMNS);
  poet_panel_clear(count - range.end, to + taken * POET_PANEL_COLUMNS, POET_PANEL_COLUMNS);
}

void poet_panel_find_bounds(poet_panel_places* places, int32_t depth) {
  for (int32_t d = 0; d < 3; ++d) {
    places->low[d] = places->high[d] = places->rows[0].at[d];
    for (int32_t k = 1; k < depth; ++k) {
      const int32_t at = places->rows[k].at[d];
      if (at < places->low[d]) places->low[d] = at;
      if (at > places->high[d]) places->high[d] = at;
    }
  }
}

/* Do all rows meet places of the dimension that are inside, from `first` to `last`? */
static int is_inside(const poet_panel_places* places, int32_t d, int32_t first, int32_t last) {
  return places->low[d] + first >= 0 && places->high[d] + last < places->extents[d];
}

/* Lines are short where pictures are small: without a loop. */
static void copy_few(int32_t count, const float* from, float* to) {
  switch (count) {
    case 7:
      to[6] = from[6]; /* fall through */
    case 6:
      to[5] = from[5]; /* fall through */
    case 5:
      to[4] = from[4]; /* fall through */
    case 4:
      to[3] = from[3]; /* fall through */
    case 3:
      to[2] = from[2]; /* fall through */
    case 2:
      to[1] = from[1]; /* fall through */
    case 1:
      to[0] = from[0];
      break;
    default:
      for (int32_t i = 0; i < count; ++i) to[i] = from[i];
  }
}

static void clear_few(int32_t count, float* to) {
  static const poet_panel_row kZeros = {{0}};
  if (count == POET_PANEL_COLUMNS)
    poet_panel_copy_row(kZeros.values, to);
  else
    poet_panel_clear(count, to, 1);
}

/* The `count` columns from `first` on. */
static void fill_line(const poet_panel_places* places, const float* source, int32_t first,
                      int32_t count, poet_panel* panel) {
  const poet_panel_place column = places->columns[first];
  const int32_t step = places->step;
  const int32_t last_start = places->extents[2] - 1 - (count - 1) * step;
  const int is_plain = is_inside(places, 0, column.at[0], column.at[0]) &&
                       is_inside(places, 1, column.at[1], column.at[1]);
  const poet_panel_place* row = places->rows;
  float* values = panel->values[0] + first;
  float* const end = values + panel->depth * POET_PANEL_COLUMNS;
  if (step == 1 && count == POET_PANEL_COLUMNS && is_plain &&
      is_inside(places, 2, column.at[2], column.at[2] + count - 1)) {
    for (; values != end; values += POET_PANEL_COLUMNS, ++row)
      poet_panel_copy_row(source + (row->offset + column.offset), values);
    return;
  }
  for (; values != end; values += POET_PANEL_COLUMNS, ++row) {
    const int32_t start = row->at[2] + column.at[2];
    const ptrdiff_t offset = row->offset + column.offset;
    if (!is_plain && (!is_within(row->at[0] + column.at[0], places->extents[0]) ||
                      !is_within(row->at[1] + column.at[1], places->extents[1]))) {
      clear_few(count, values);
    } else if (step == 1 && start >= 0 && start <= last_start) {
      if (count == POET_PANEL_COLUMNS)
        poet_panel_copy_row(source + offset, values);
      else
        copy_few(count, source + offset, values);
    } else {
      const inside range = inside_of(places, start, count);
      clear_few(count, values);
      if (step == 1 && range.begin < range.end)
        copy_few(range.end - range.begin, source + (offset + range.begin), values + range.begin);
      else
        for (int32_t j = range.begin; j < range.end; ++j)
          values[j] = source[offset + j * (ptrdiff_t)step];
    }
  }
}

void poet_panel_fill_from_column_lines_f32(const poet_panel_places* places, const float* source,
                                           poet_panel* panel) {
  for (int32_t first = 0; first < panel->columns; first = places->line_ends[first])
    fill_line(places, source, first, places->line_ends[first] - first, panel);
  poet_panel_clear_missing_columns(panel);
}

void poet_panel_fill_from_row_lines_f32(const poet_panel_places* places, const float* source,
                                        poet_panel* panel) {
  for (int32_t first = 0; first < panel->depth; first = places->line_ends[first]) {
    const poet_panel_place* const row = &places->rows[first];
    const int32_t count = places->line_ends[first] - first;
    for (int32_t j = 0; j < panel->columns; ++j) {
      const poet_panel_place* const column = &places->columns[j];
      inside range = {0, 0};
      if (is_within(row->at[0] + column->at[0], places->extents[0]) &&
          is_within(row->at[1] + column->at[1], places->extents[1]))
        range = inside_of(places, row->at[2] + column->at[2], count);
      copy_to_column(range, count, source, row->offset + column->offset, places->step,
                     &panel->values[first][j]);
    }
  }
  poet_panel_clear_missing_columns(panel);
}
