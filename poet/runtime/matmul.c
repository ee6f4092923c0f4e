#include "poet/runtime/matmul.h"

#include <stddef.h>
#include <string.h>

#include "poet/runtime/panel_copy.h"
#include "poet/runtime/panel_product.h"

/* One matrix product with strides, y += a b. */
typedef struct product {
  int32_t rows, columns, inner;
  ptrdiff_t a_row, a_inner, b_inner, b_column, y_row, y_column;
} product;

static void fill_panel(const product* p, const float* corner, poet_panel* panel) {
  if (p->b_column == 1 && panel->columns == POET_PANEL_COLUMNS) {
    for (int32_t k = 0; k < panel->depth; ++k)
      poet_panel_copy_row(corner + k * p->b_inner, panel->values[k]);
    return;
  }
  for (int32_t j = 0; j < panel->columns; ++j)
    poet_panel_copy(panel->depth, corner + j * p->b_column, p->b_inner, &panel->values[0][j],
                    POET_PANEL_COLUMNS);
  poet_panel_clear_missing_columns(panel);
}

static void add_product(const product* p, const float* a, const float* b, float* y) {
  const poet_panel_rows rows = {p->rows, p->a_row, p->y_row};
  poet_panel panel;
  for (int32_t j = 0; j < POET_PANEL_COLUMNS; ++j) panel.target_offsets[j] = j * p->y_column;
  for (int32_t k = 0; k < p->inner; k += POET_PANEL_DEPTH) {
    panel.depth = p->inner - k < POET_PANEL_DEPTH ? p->inner - k : POET_PANEL_DEPTH;
    poet_panel_set_run(p->a_inner, &panel);
    for (int32_t j = 0; j < p->columns; j += POET_PANEL_COLUMNS) {
      panel.columns = p->columns - j < POET_PANEL_COLUMNS ? p->columns - j : POET_PANEL_COLUMNS;
      fill_panel(p, b + j * p->b_column + k * p->b_inner, &panel);
      poet_panel_product_f32(&rows, a + k * p->a_inner, &panel, y + j * p->y_column);
    }
  }
}

static int32_t volume(int32_t rank, const int32_t* extents) {
  int32_t count = 1;
  for (int32_t d = 0; d < rank; ++d) count *= extents[d];
  return count;
}

/* Where the index-th place, in row-major order, lies. */
static ptrdiff_t offset_of(int32_t index, int32_t rank, const int32_t* extents,
                           const int32_t* strides) {
  ptrdiff_t offset = 0;
  for (int32_t d = rank - 1; d >= 0; --d) {
    offset += (ptrdiff_t)(index % extents[d]) * strides[d];
    index /= extents[d];
  }
  return offset;
}

/* y = alpha * y + beta * bias */
static void finish(const poet_matmul_shape* shape, const float* bias, float* y) {
  for (int32_t i = 0; i < shape->rows; ++i) {
    float* const row = y + (ptrdiff_t)i * shape->columns;
    if (shape->alpha != 1.0f)
      for (int32_t j = 0; j < shape->columns; ++j) row[j] *= shape->alpha;
    if (!bias) continue;
    const float* const added = bias + (ptrdiff_t)i * shape->bias_row_stride;
    for (int32_t j = 0; j < shape->columns; ++j)
      row[j] += shape->beta * added[(ptrdiff_t)j * shape->bias_column_stride];
  }
}

/* Panels have 8 columns, so a narrow product is better done as y^T = b^T a^T, which has the same
 * products in the same order. */
static int is_narrow(const poet_matmul_shape* shape) {
  return shape->columns < POET_PANEL_COLUMNS && shape->columns < shape->rows;
}

static product product_of(const poet_matmul_shape* shape) {
  const product p = {shape->rows,
                     shape->columns,
                     shape->inner,
                     shape->a_row_stride,
                     shape->a_inner_stride,
                     shape->b_inner_stride,
                     shape->b_column_stride,
                     shape->columns,
                     1};
  const product turned = {p.columns, p.rows,  p.inner,    p.b_column, p.b_inner,
                          p.a_inner, p.a_row, p.y_column, p.y_row};
  return is_narrow(shape) ? turned : p;
}

static void sum_products(const poet_matmul_shape* shape, const float* a, const float* b, float* y) {
  const product p = product_of(shape);
  const int32_t summed = volume(shape->sum_rank, shape->sum_extents);
  for (int32_t s = 0; s < summed; ++s) {
    const float* const left =
        a + offset_of(s, shape->sum_rank, shape->sum_extents, shape->a_sum_strides);
    const float* const right =
        b + offset_of(s, shape->sum_rank, shape->sum_extents, shape->b_sum_strides);
    if (is_narrow(shape))
      add_product(&p, right, left, y);
    else
      add_product(&p, left, right, y);
  }
}

/* What a matrix of y begins with: `sum`, or zeros where there is none. */
static void begin_matrix(const poet_matmul_shape* shape, const float* sum, float* y) {
  const size_t places = (size_t)shape->rows * (size_t)shape->columns;
  if (!sum)
    for (size_t place = 0; place < places; ++place) y[place] = 0.0f;
  else if (sum != y)
    memcpy(y, sum, places * sizeof(float));
}

/* y = alpha * (sum + a b) + beta * bias */
static void multiply(const poet_matmul_shape* shape, const float* a, const float* b,
                     const float* sum, const float* bias, float* y) {
  const int32_t rank = shape->batch_rank;
  const int32_t* const extents = shape->batch_extents;
  const int32_t matrices = volume(rank, extents);
  for (int32_t i = 0; i < matrices; ++i) {
    const ptrdiff_t first = offset_of(i, rank, extents, shape->y_batch_strides);
    float* const matrix = y + first;
    begin_matrix(shape, sum ? sum + first : NULL, matrix);
    if (shape->inner > 0) {
      sum_products(shape, a + offset_of(i, rank, extents, shape->a_batch_strides),
                   b + offset_of(i, rank, extents, shape->b_batch_strides), matrix);
    }
    finish(shape, bias, matrix);
  }
}

void poet_matmul_forward_f32(const poet_matmul_shape* shape, const float* a, const float* b,
                             const float* bias, float* y) {
  multiply(shape, a, b, NULL, bias, y);
}

void poet_matmul_continued_f32(const poet_matmul_shape* shape, const float* a, const float* b,
                               const float* sum, const float* bias, float* y) {
  multiply(shape, a, b, sum, bias, y);
}
