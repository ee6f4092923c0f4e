#include "poet/runtime/correlation.h"

#include "poet/runtime/panel_fill.h"
#include "poet/runtime/panel_product.h"

/* With fewer rows, filling a panel costs more than the products that it makes faster. */
enum { LEAST_ROWS_FOR_PANELS = 2 };

static int32_t least(int32_t a, int32_t b) {
  return a < b ? a : b;
}

static int32_t pixels_of(const poet_correlation* shape) {
  return shape->axes[0].pixels * shape->axes[1].pixels * shape->axes[2].pixels;
}

static int32_t taps_of(const poet_correlation* shape) {
  return shape->axes[0].taps * shape->axes[1].taps * shape->axes[2].taps;
}

/* The index-th (channel, tap): its place in the source, and where its weight lies. */
static ptrdiff_t place_tap(const poet_correlation* shape, int32_t index, poet_panel_place* place) {
  ptrdiff_t weight = 0;
  place->offset = 0;
  for (int32_t d = 2; d >= 0; --d) {
    const poet_correlation_axis* const axis = &shape->axes[d];
    const int32_t tap = axis->taps == 1 ? 0 : index % axis->taps;
    if (axis->taps != 1) index /= axis->taps;
    place->at[d] = axis->tap_begin + tap * axis->tap_step;
    place->offset += place->at[d] * axis->source_stride;
    weight += (axis->weight_begin + tap * axis->weight_step) * axis->weight_stride;
  }
  place->offset += index * shape->source_channel_stride;
  return weight + index * shape->weight_channel_stride;
}

/* The pixels (image, pixel) from the first-th on that are columns of the panel, line by line: their
 * places in the source, and where they lie in the target. */
static void place_pixels(const poet_correlation* shape, int32_t first, poet_panel_places* places,
                         poet_panel* panel) {
  const poet_correlation_axis* const wide = &shape->axes[2];
  for (int32_t j = 0; j < panel->columns;) {
    poet_panel_place* const place = &places->columns[j];
    ptrdiff_t target = 0;
    int32_t index = first + j;
    const int32_t left = wide->pixels - index % wide->pixels; /* of this line */
    const int32_t end = least(panel->columns, j + left);
    place->offset = 0;
    for (int32_t d = 2; d >= 0; --d) {
      const poet_correlation_axis* const axis = &shape->axes[d];
      const int32_t pixel = index % axis->pixels;
      index /= axis->pixels;
      place->at[d] = axis->pixel_begin + pixel * axis->pixel_step;
      place->offset += place->at[d] * axis->source_stride;
      target += (axis->target_begin + pixel * axis->target_step) * axis->target_stride;
    }
    place->offset += index * shape->source_image_stride;
    target += index * shape->target_image_stride;
    places->line_ends[j] = (unsigned char)end;
    for (; j < end; ++j, target += wide->target_step * wide->target_stride)
      panel->target_offsets[j] = target;
  }
}

/* All pixels, for the taps that are the rows of the panel. */
static void add_taps(const poet_correlation* shape, const float* source, const float* weights,
                     poet_panel_places* places, poet_panel* panel, float* target) {
  const poet_panel_rows rows = {shape->rows, shape->weight_row_stride, shape->target_row_stride};
  const int32_t pixels = shape->images * pixels_of(shape);
  for (int32_t first = 0; first < pixels; first += POET_PANEL_COLUMNS) {
    panel->columns = least(POET_PANEL_COLUMNS, pixels - first);
    place_pixels(shape, first, places, panel);
    poet_panel_fill_from_column_lines_f32(places, source, panel);
    poet_panel_product_f32(&rows, weights, panel, target);
  }
}

static void add_by_panels(const poet_correlation* shape, const float* source, const float* weights,
                          float* target) {
  poet_panel_places places;
  poet_panel panel;
  ptrdiff_t left_offsets[POET_PANEL_DEPTH];
  const int32_t taps = shape->channels * taps_of(shape);
  for (int32_t d = 0; d < 3; ++d) places.extents[d] = shape->axes[d].source_extent;
  places.step = shape->axes[2].pixel_step;
  for (int32_t first = 0; first < taps; first += POET_PANEL_DEPTH) {
    panel.depth = least(POET_PANEL_DEPTH, taps - first);
    for (int32_t k = 0; k < panel.depth; ++k)
      left_offsets[k] = place_tap(shape, first + k, &places.rows[k]);
    poet_panel_find_runs(left_offsets, &panel);
    poet_panel_find_bounds(&places, panel.depth);
    add_taps(shape, source, weights, &places, &panel, target);
  }
}

/* The pixels [begin, end) of an axis for which a tap at `tap` lies in the source. */
typedef struct pixel_range {
  int32_t begin, end;
} pixel_range;

static pixel_range pixels_inside(const poet_correlation_axis* axis, int32_t tap) {
  const int32_t start = axis->pixel_begin + tap;
  const int32_t room = axis->source_extent - start;
  const int32_t step = axis->pixel_step;
  pixel_range range;
  range.begin = start < 0 ? (step - 1 - start) / step : 0;
  range.end = room > 0 ? least(axis->pixels, (room + step - 1) / step) : 0;
  return range;
}

/* A row that has no other to share a panel with is added to several pixels at once, whose sums stay
 * in registers for many taps. */
enum { TAPS_AT_ONCE = 32 };

typedef struct line_tap {
  ptrdiff_t offset; /* of the source, from the first pixel */
  float weight;
  pixel_range inside[3]; /* the pixels of each axis for which it lies in the source */
} line_tap;

typedef struct line_taps {
  line_tap taps[TAPS_AT_ONCE];
  int32_t count;
  pixel_range inside[3]; /* for which all of them do */
} line_taps;

static int32_t is_in(pixel_range range, int32_t pixel) {
  return pixel >= range.begin && pixel < range.end;
}

/* A line of pixels along an axis: where the first one begins, and how far apart they are. */
typedef struct pixel_line {
  const float* source;
  float* target;
  ptrdiff_t source_step, target_step;
} pixel_line;

/* Variables and not an array, because compilers for boards keep arrays in memory. */
#define LOAD_SUM(p) float sum##p = target[(p)*target_step];
#define ADD_PRODUCT(p) sum##p += weight * from[(p)*source_step];
#define STORE_SUM(p) target[(p)*target_step] = sum##p;
#define ONE_PIXEL(DO) DO(0)
#define TWO_PIXELS(DO) DO(0) DO(1)
#define FOUR_PIXELS(DO) DO(0) DO(1) DO(2) DO(3)
#define EIGHT_PIXELS(DO) FOUR_PIXELS(DO) DO(4) DO(5) DO(6) DO(7)
#define ADD_TO_PIXELS(EACH_PIXEL)                     \
  {                                                   \
    const line_tap* tap = list->taps;                 \
    const line_tap* const end = tap + list->count;    \
    EACH_PIXEL(LOAD_SUM)                              \
    for (; tap != end; ++tap) {                       \
      const float* const from = source + tap->offset; \
      const float weight = tap->weight;               \
      EACH_PIXEL(ADD_PRODUCT)                         \
    }                                                 \
    EACH_PIXEL(STORE_SUM)                             \
  }

/* Pixels for which all taps lie in the source. */
#define ADD_TO_ALL_PIXELS                                                              \
  for (; count >= 8; count -= 8, source += 8 * source_step, target += 8 * target_step) \
    ADD_TO_PIXELS(EIGHT_PIXELS)                                                        \
  if (count >= 4) {                                                                    \
    ADD_TO_PIXELS(FOUR_PIXELS)                                                         \
    count -= 4, source += 4 * source_step, target += 4 * target_step;                  \
  }                                                                                    \
  if (count >= 2) {                                                                    \
    ADD_TO_PIXELS(TWO_PIXELS)                                                          \
    count -= 2, source += 2 * source_step, target += 2 * target_step;                  \
  }                                                                                    \
  if (count == 1) ADD_TO_PIXELS(ONE_PIXEL)

static void add_to_neighbours(const line_taps* list, const float* source, float* target,
                              int32_t count) {
  enum { source_step = 1, target_step = 1 };
  ADD_TO_ALL_PIXELS
}

static void add_to_inside(const line_taps* list, const pixel_line* line, pixel_range range) {
  const ptrdiff_t source_step = line->source_step;
  const ptrdiff_t target_step = line->target_step;
  const float* source = line->source + range.begin * source_step;
  float* target = line->target + range.begin * target_step;
  int32_t count = range.end - range.begin;
  if (count <= 0) return;
  if (source_step == 1 && target_step == 1) {
    add_to_neighbours(list, source, target, count);
    return;
  }
  ADD_TO_ALL_PIXELS
}

/* Those of the taps that lie in the source for a pixel of an axis. */
static void taps_of_pixel(const line_taps* all, int32_t axis, int32_t pixel, line_taps* some) {
  some->count = 0;
  for (int32_t d = 0; d < 3; ++d) some->inside[d] = all->inside[d];
  for (int32_t k = 0; k < all->count; ++k)
    if (is_in(all->taps[k].inside[axis], pixel)) some->taps[some->count++] = all->taps[k];
}

/* One pixel of a line, for which some taps may lie outside. */
static void add_to_pixel(const line_taps* list, const pixel_line* line, int32_t axis,
                         int32_t pixel) {
  const float* const source = line->source + pixel * line->source_step;
  float* const target = line->target + pixel * line->target_step;
  float sum = *target;
  for (int32_t k = 0; k < list->count; ++k) {
    const line_tap* const tap = &list->taps[k];
    if (is_in(tap->inside[axis], pixel)) sum += tap->weight * source[tap->offset];
  }
  *target = sum;
}

static pixel_line line_along(const poet_correlation_axis* axis, const float* source,
                             float* target) {
  const pixel_line line = {source, target, axis->pixel_step * axis->source_stride,
                           axis->target_step * axis->target_stride};
  return line;
}

/* The pixels of an axis before the range, and behind it. */
static int32_t next_outside(pixel_range range, int32_t pixel) {
  return pixel >= range.begin && pixel < range.end ? range.end : pixel;
}

/* Adds the taps to a plane: lines of pixels for which all lie in the source along the line, and
 * then columns of the others. */
static void add_to_plane(const poet_correlation_axis* axes, const line_taps* all,
                         const float* source, float* target) {
  const pixel_range inside = all->inside[2];
  const pixel_line down = line_along(&axes[1], source, target);
  line_taps some;
  for (int32_t j = 0; j < axes[1].pixels && inside.begin < inside.end; ++j) {
    const pixel_line line =
        line_along(&axes[2], source + j * down.source_step, target + j * down.target_step);
    const int32_t is_whole = is_in(all->inside[1], j);
    if (!is_whole) taps_of_pixel(all, 1, j, &some);
    add_to_inside(is_whole ? all : &some, &line, inside);
  }
  for (int32_t p = next_outside(inside, 0); p < axes[2].pixels; p = next_outside(inside, p + 1)) {
    const pixel_line line = line_along(&axes[2], source, target);
    const pixel_line column =
        line_along(&axes[1], source + p * line.source_step, target + p * line.target_step);
    taps_of_pixel(all, 2, p, &some);
    add_to_inside(&some, &column, all->inside[1]);
    for (int32_t j = next_outside(all->inside[1], 0); j < axes[1].pixels;
         j = next_outside(all->inside[1], j + 1))
      add_to_pixel(&some, &column, 1, j);
  }
}

static void add_to_planes(const poet_correlation_axis* axes, const line_taps* all,
                          const float* source, float* target) {
  const pixel_line deep = line_along(&axes[0], source, target);
  line_taps some;
  for (int32_t i = 0; i < axes[0].pixels; ++i) {
    const int32_t is_whole = is_in(all->inside[0], i);
    if (!is_whole) taps_of_pixel(all, 0, i, &some);
    add_to_plane(axes, is_whole ? all : &some, source + i * deep.source_step,
                 target + i * deep.target_step);
  }
}

static pixel_range both_of(pixel_range a, pixel_range b) {
  const pixel_range range = {a.begin > b.begin ? a.begin : b.begin, least(a.end, b.end)};
  return range;
}

static void find_line_taps(const poet_correlation* shape, const float* weights, int32_t first,
                           line_taps* all) {
  for (int32_t d = 0; d < 3; ++d) {
    all->inside[d].begin = 0;
    all->inside[d].end = shape->axes[d].pixels;
  }
  for (int32_t k = 0; k < all->count; ++k) {
    line_tap* const tap = &all->taps[k];
    poet_panel_place place;
    tap->weight = weights[place_tap(shape, first + k, &place)];
    tap->offset = place.offset;
    for (int32_t d = 0; d < 3; ++d) {
      tap->offset += shape->axes[d].pixel_begin * shape->axes[d].source_stride;
      tap->inside[d] = pixels_inside(&shape->axes[d], place.at[d]);
      all->inside[d] = both_of(all->inside[d], tap->inside[d]);
    }
  }
}

static void add_by_lines(const poet_correlation* shape, const float* source, const float* weights,
                         float* target) {
  const int32_t taps = shape->channels * taps_of(shape);
  line_taps all;
  for (int32_t d = 0; d < 3; ++d)
    target += shape->axes[d].target_begin * shape->axes[d].target_stride;
  for (int32_t row = 0; row < shape->rows; ++row) {
    for (int32_t first = 0; first < taps; first += TAPS_AT_ONCE) {
      all.count = least(TAPS_AT_ONCE, taps - first);
      find_line_taps(shape, weights + row * shape->weight_row_stride, first, &all);
      for (int32_t image = 0; image < shape->images; ++image)
        add_to_planes(shape->axes, &all, source + image * shape->source_image_stride,
                      target + image * shape->target_image_stride + row * shape->target_row_stride);
    }
  }
}

void poet_correlation_add_f32(const poet_correlation* shape, const float* source,
                              const float* weights, float* target) {
  if (taps_of(shape) == 0 || pixels_of(shape) == 0) return;
  if (shape->rows < LEAST_ROWS_FOR_PANELS)
    add_by_lines(shape, source, weights, target);
  else
    add_by_panels(shape, source, weights, target);
}
