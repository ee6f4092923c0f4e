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

static void add_line(int32_t count, float weight, const float* source, ptrdiff_t source_step,
                     float* target, ptrdiff_t target_step) {
  if (source_step == 1 && target_step == 1) {
    for (int32_t p = 0; p < count; ++p) target[p] += weight * source[p];
    return;
  }
  for (int32_t p = 0; p < count; ++p) target[p * target_step] += weight * source[p * source_step];
}

/* Adds one tap to all pixels of one plane, line by line. */
static void add_tap(const poet_correlation_axis* axes, const poet_panel_place* tap, float weight,
                    const float* source, float* target) {
  const pixel_range deep = pixels_inside(&axes[0], tap->at[0]);
  const pixel_range high = pixels_inside(&axes[1], tap->at[1]);
  const pixel_range wide = pixels_inside(&axes[2], tap->at[2]);
  ptrdiff_t source_steps[3], target_steps[3];
  ptrdiff_t from = tap->offset;
  ptrdiff_t to = 0;
  for (int32_t d = 0; d < 3; ++d) {
    source_steps[d] = axes[d].pixel_step * axes[d].source_stride;
    target_steps[d] = axes[d].target_step * axes[d].target_stride;
    from += axes[d].pixel_begin * axes[d].source_stride;
    to += axes[d].target_begin * axes[d].target_stride;
  }
  for (int32_t i = deep.begin; i < deep.end; ++i) {
    for (int32_t j = high.begin; j < high.end; ++j) {
      const ptrdiff_t read =
          from + i * source_steps[0] + j * source_steps[1] + wide.begin * source_steps[2];
      const ptrdiff_t written =
          to + i * target_steps[0] + j * target_steps[1] + wide.begin * target_steps[2];
      add_line(wide.end - wide.begin, weight, source + read, source_steps[2], target + written,
               target_steps[2]);
    }
  }
}

static void add_by_lines(const poet_correlation* shape, const float* source, const float* weights,
                         float* target) {
  const int32_t taps = shape->channels * taps_of(shape);
  for (int32_t image = 0; image < shape->images; ++image) {
    for (int32_t row = 0; row < shape->rows; ++row) {
      for (int32_t t = 0; t < taps; ++t) {
        poet_panel_place tap;
        const ptrdiff_t weight = place_tap(shape, t, &tap) + row * shape->weight_row_stride;
        add_tap(shape->axes, &tap, weights[weight], source + image * shape->source_image_stride,
                target + image * shape->target_image_stride + row * shape->target_row_stride);
      }
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
