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
  for (int32_t k = depth - 1, end = depth; k >= 0; --k) {
    const int32_t* const at = places->rows[k].at;
    const int32_t* const next = places->rows[k + 1 < depth ? k + 1 : k].at;
    if (at[0] != next[0] || at[1] != next[1]) end = k + 1;
    places->row_line_ends[k] = (unsigned char)end;
  }
}

/* Do all rows meet places of the dimension that are inside, from `first` to `last`? */
static int is_inside(const poet_panel_places* places, int32_t d, int32_t first, int32_t last) {
  return places->low[d] + first >= 0 && places->high[d] + last < places->extents[d];
}

/* Lines are short where pictures are small: without a loop. */
static inline void copy_few(int32_t count, const float* from, float* to) {
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

static void clear_row(float* to) {
  static const poet_panel_row kZeros = {{0}};
  poet_panel_copy_row(kZeros.values, to);
}

/* Of a line of `count` places side by side whose first lies at `start`, those inside; the others
 * are left alone. */
static inline void copy_neighbours(int32_t start, int32_t extent, int32_t count,
                                   const float* source, ptrdiff_t offset, float* values) {
  int32_t begin = 0;
  int32_t end = count;
  if (start < 0) begin = -start;
  if (start + count > extent) end = extent - start;
  if (begin < end) copy_few(end - begin, source + (offset + begin), values + begin);
}

static void copy_apart(inside range, int32_t step, const float* source, ptrdiff_t offset,
                       float* values) {
  for (int32_t j = range.begin; j < range.end; ++j)
    values[j] = source[offset + j * (ptrdiff_t)step];
}

/* Do the columns of a line meet depths and heights that are inside, in this row? */
static int is_met(const poet_panel_places* places, const poet_panel_place* row, int32_t column) {
  const int32_t* const at = places->columns[column].at;
  return is_within(row->at[0] + at[0], places->extents[0]) &&
         is_within(row->at[1] + at[1], places->extents[1]);
}

/* In all rows? */
static int is_met_by_all(const poet_panel_places* places, int32_t column) {
  const int32_t* const at = places->columns[column].at;
  return is_inside(places, 0, at[0], at[0]) && is_inside(places, 1, at[1], at[1]);
}

static int is_wide_inside(const poet_panel_places* places, int32_t first) {
  const int32_t at = places->columns[first].at[2];
  const int32_t count = places->line_ends[first] - first;
  return is_inside(places, 2, at, at + (count - 1) * places->step);
}

/* The `count` columns from `first` on, where all of them lie inside for every row. */
static void fill_plain_line(const poet_panel_places* places, const float* source, int32_t first,
                            int32_t count, poet_panel* panel) {
  const ptrdiff_t offset = places->columns[first].offset;
  const poet_panel_place* row = places->rows;
  float* values = panel->values[0] + first;
  float* const end = values + panel->depth * POET_PANEL_COLUMNS;
  if (places->step == 1 && count == POET_PANEL_COLUMNS) {
    for (; values != end; values += POET_PANEL_COLUMNS, ++row)
      poet_panel_copy_row(source + (row->offset + offset), values);
    return;
  }
  for (; values != end; values += POET_PANEL_COLUMNS, ++row) {
    const inside all = {0, count};
    if (places->step == 1)
      copy_few(count, source + (row->offset + offset), values);
    else
      copy_apart(all, places->step, source, row->offset + offset, values);
  }
}

/* A line of a panel that has no other, side by side in the source: what lies outside is cleared. */
static void fill_only_line(const poet_panel_places* places, const float* source,
                           poet_panel* panel) {
  const poet_panel_place column = places->columns[0];
  const int32_t extent = places->extents[2];
  const int32_t starts_inside = extent - POET_PANEL_COLUMNS + 1;
  const uint32_t starts = starts_inside > 0 ? (uint32_t)starts_inside : 0;
  const poet_panel_place* row = places->rows;
  const poet_panel_place* const last = row + panel->depth;
  float* values = panel->values[0];
  while (row != last) {
    const poet_panel_place* const end = &places->rows[places->row_line_ends[row - places->rows]];
    if (!is_met(places, row, 0)) {
      for (; row != end; ++row, values += POET_PANEL_COLUMNS) clear_row(values);
      continue;
    }
    for (; row != end; ++row, values += POET_PANEL_COLUMNS) {
      const int32_t start = row->at[2] + column.at[2];
      const ptrdiff_t offset = row->offset + column.offset;
      if ((uint32_t)start < starts) {
        poet_panel_copy_row(source + offset, values);
        continue;
      }
      clear_row(values);
      copy_neighbours(start, extent, POET_PANEL_COLUMNS, source, offset, values);
    }
  }
}

/* The `count` columns from `first` on of a panel of zeros. Rows that lie in one line of the source
 * meet it together, but for the width. */
static void fill_line_inside(const poet_panel_places* places, const float* source, int32_t first,
                             int32_t count, poet_panel* panel) {
  const poet_panel_place column = places->columns[first];
  const int32_t step = places->step;
  const int32_t extent = places->extents[2];
  for (int32_t k = 0; k < panel->depth;) {
    const poet_panel_place* row = &places->rows[k];
    const poet_panel_place* const end = &places->rows[places->row_line_ends[k]];
    float* values = panel->values[k] + first;
    k = places->row_line_ends[k];
    if (!is_met(places, row, first)) continue;
    for (; row != end; ++row, values += POET_PANEL_COLUMNS) {
      const int32_t start = row->at[2] + column.at[2];
      const ptrdiff_t offset = row->offset + column.offset;
      if (step == 1)
        copy_neighbours(start, extent, count, source, offset, values);
      else
        copy_apart(inside_of(places, start, count), step, source, offset, values);
    }
  }
}

static void fill_lines_inside(const poet_panel_places* places, const float* source,
                              poet_panel* panel) {
  if (places->line_ends[0] == POET_PANEL_COLUMNS && places->step == 1) {
    fill_only_line(places, source, panel);
    return;
  }
  for (int32_t k = 0; k < panel->depth; ++k) clear_row(panel->values[k]);
  for (int32_t first = 0; first < panel->columns; first = places->line_ends[first])
    fill_line_inside(places, source, first, places->line_ends[first] - first, panel);
}

void poet_panel_fill_from_column_lines_f32(const poet_panel_places* places, const float* source,
                                           poet_panel* panel) {
  int is_plain = 1;
  for (int32_t first = 0; first < panel->columns; first = places->line_ends[first])
    is_plain = is_plain && is_met_by_all(places, first) && is_wide_inside(places, first);
  if (!is_plain) {
    fill_lines_inside(places, source, panel);
    return;
  }
  for (int32_t first = 0; first < panel->columns; first = places->line_ends[first])
    fill_plain_line(places, source, first, places->line_ends[first] - first, panel);
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
