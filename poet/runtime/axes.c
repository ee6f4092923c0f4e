#include "poet/runtime/axes.h"

void poet_axes_append(poet_axes* axes, int32_t rank, const int32_t* extents, const int32_t* first,
                      const int32_t* second, const int32_t* third) {
  const int32_t* const steps[POET_MAX_INPUTS] = {first, second, third};
  for (int32_t axis = 0; axis < rank; ++axis) {
    axes->extents[axes->rank] = extents[axis];
    for (int32_t input = 0; input < POET_MAX_INPUTS; ++input)
      axes->steps[input][axes->rank] = steps[input] ? steps[input][axis] : 0;
    ++axes->rank;
  }
}

/* Whether the loop `outer` goes on where the loop `inner` ends, for every input. */
static int is_one_loop(const poet_axes* axes, int32_t outer, int32_t inner) {
  for (int32_t input = 0; input < POET_MAX_INPUTS; ++input)
    if (axes->steps[input][outer] != axes->steps[input][inner] * axes->extents[inner]) return 0;
  return 1;
}

static void move_axis(poet_axes* axes, int32_t to, int32_t from) {
  axes->extents[to] = axes->extents[from];
  for (int32_t input = 0; input < POET_MAX_INPUTS; ++input)
    axes->steps[input][to] = axes->steps[input][from];
}

void poet_axes_merge(poet_axes* axes) {
  int32_t rank = 0;
  for (int32_t axis = 0; axis < axes->rank; ++axis) {
    if (axes->extents[axis] == 1) continue;
    if (rank > 0 && is_one_loop(axes, rank - 1, axis)) {
      const int32_t turns = axes->extents[rank - 1] * axes->extents[axis];
      move_axis(axes, rank - 1, axis);
      axes->extents[rank - 1] = turns;
    } else {
      move_axis(axes, rank++, axis);
    }
  }
  if (rank == 0) {
    axes->extents[0] = 1;
    for (int32_t input = 0; input < POET_MAX_INPUTS; ++input) axes->steps[input][0] = 1;
    rank = 1;
  }
  axes->rank = rank;
}

ptrdiff_t poet_axes_count(const poet_axes* axes) {
  ptrdiff_t count = 1;
  for (int32_t axis = 0; axis < axes->rank; ++axis) count *= axes->extents[axis];
  return count;
}

int poet_next_place(const poet_axes* axes, int32_t loops, poet_place* place) {
  for (int32_t axis = loops - 1; axis >= 0; --axis) {
    const int ended = ++place->index[axis] == axes->extents[axis];
    const ptrdiff_t turns = ended ? 1 - axes->extents[axis] : 1;
    for (int32_t input = 0; input < POET_MAX_INPUTS; ++input)
      place->offsets[input] += turns * axes->steps[input][axis];
    if (!ended) return 1;
    place->index[axis] = 0;
  }
  return 0;
}

static void aim_row(poet_row* row, const poet_inputs* inputs, const poet_place* outer,
                    const poet_place* inner) {
  for (int32_t input = 0; input < POET_MAX_INPUTS; ++input) {
    const ptrdiff_t offset = outer->offsets[input] + inner->offsets[input];
    const char* begin = inputs->pointers[input];
    row->inputs[input] = begin ? begin + offset * inputs->element_bytes[input] : begin;
  }
}

/* A row along the innermost loop. */
static poet_row row_along(const poet_axes* axes) {
  poet_row row = {0};
  row.count = axes->extents[axes->rank - 1];
  for (int32_t input = 0; input < POET_MAX_INPUTS; ++input)
    row.steps[input] = axes->steps[input][axes->rank - 1];
  return row;
}

void poet_fill_rows(poet_axes axes, const poet_inputs* inputs, void* out, int32_t out_bytes,
                    poet_row_function* fill) {
  poet_axes_merge(&axes);
  poet_row row = row_along(&axes);
  const ptrdiff_t row_bytes = (ptrdiff_t)row.count * out_bytes;
  const poet_place begin = {0};
  poet_place place = {0};
  char* next = out;
  do {
    aim_row(&row, inputs, &place, &begin);
    row.out = next;
    fill(&row);
    next += row_bytes;
  } while (poet_next_place(&axes, axes.rank - 1, &place));
}

/* Outputs of one row that are folded before the next begin, so that they stay in the cache. */
enum { CHUNK = 2048 };

/* Folds `row.count` neighbouring outputs together, the inner loop along them. */
static void fold_across(const poet_axes* folded, const poet_inputs* inputs, poet_place kept,
                        poet_row row, const poet_fold* fold) {
  const int32_t width = row.count;
  float* const out = row.out;
  for (int32_t begin = 0; begin < width; begin += CHUNK) {
    row.count = width - begin < CHUNK ? width - begin : CHUNK;
    row.out = out + begin;
    poet_place place = {0};
    aim_row(&row, inputs, &kept, &place);
    fold->first(&row);
    while (poet_next_place(folded, folded->rank, &place)) {
      aim_row(&row, inputs, &kept, &place);
      fold->next(&row);
    }
    for (int32_t input = 0; input < POET_MAX_INPUTS; ++input)
      kept.offsets[input] += CHUNK * row.steps[input];
  }
}

/* Makes one output: the first element alone, the rest of its row, and the other rows. */
static void fold_along(const poet_axes* folded, const poet_inputs* inputs, const poet_place* kept,
                       float* out, const poet_fold* fold) {
  poet_row row = row_along(folded);
  const int32_t width = row.count;
  poet_place place = {0};
  row.out = out;
  aim_row(&row, inputs, kept, &place);
  row.count = 1;
  fold->first(&row);
  poet_place second = {0};
  for (int32_t input = 0; input < POET_MAX_INPUTS; ++input)
    second.offsets[input] = row.steps[input];
  row.count = width - 1;
  if (row.count > 0) {
    aim_row(&row, inputs, kept, &second);
    fold->along(&row);
  }
  row.count = width;
  while (poet_next_place(folded, folded->rank - 1, &place)) {
    aim_row(&row, inputs, kept, &place);
    fold->along(&row);
  }
}

static ptrdiff_t length_of(ptrdiff_t step) {
  return step < 0 ? -step : step;
}

/* The inner loop is best where the first input's elements are neighbours. */
static int is_better_along(const poet_axes* kept, const poet_axes* folded) {
  const ptrdiff_t kept_step = length_of(kept->steps[0][kept->rank - 1]);
  const ptrdiff_t folded_step = length_of(folded->steps[0][folded->rank - 1]);
  if (kept->extents[kept->rank - 1] == 1) return 1;
  return poet_axes_count(folded) > 1 && folded_step < kept_step;
}

void poet_fold_rows(poet_axes kept, poet_axes folded, const poet_inputs* inputs, float* out,
                    const poet_fold* fold) {
  poet_axes_merge(&kept);
  poet_axes_merge(&folded);
  poet_place place = {0};
  if (is_better_along(&kept, &folded)) {
    do fold_along(&folded, inputs, &place, out++, fold);
    while (poet_next_place(&kept, kept.rank, &place));
    return;
  }
  poet_row row = row_along(&kept);
  do {
    row.out = out;
    fold_across(&folded, inputs, place, row, fold);
    out += row.count;
  } while (poet_next_place(&kept, kept.rank - 1, &place));
}
