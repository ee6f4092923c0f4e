#include "poet/runtime/row_update.h"

#include <stddef.h>
#include <string.h>

#include "poet/runtime/update.h"

/* Indices of either type; the other pointer is NULL. */
typedef struct index_list {
  const int32_t* narrow;
  const int64_t* wide;
} index_list;

/* The row that index i picks, or -1 for none. */
static int64_t row_of(const poet_row_update_shape* shape, index_list indices, int32_t i) {
  const int64_t index = indices.narrow ? indices.narrow[i] : indices.wide[i];
  if (index < -(int64_t)shape->rows || index >= shape->rows) return -1;
  return index < 0 ? index + shape->rows : index;
}

static int64_t row_gradient(const poet_row_update_shape* shape, index_list indices, const float* dy,
                            int32_t first, float* sum) {
  const int32_t inner = shape->inner;
  const int64_t row = row_of(shape, indices, first);
  if (row < 0) return -1;
  for (int32_t i = 0; i < first; ++i)
    if (row_of(shape, indices, i) == row) return -1;
  memset(sum, 0, (size_t)inner * sizeof(float));
  for (int32_t i = first; i < shape->count; ++i) {
    if (row_of(shape, indices, i) != row) continue;
    const float* const from = dy + (ptrdiff_t)i * inner;
    for (int32_t j = 0; j < inner; ++j) sum[j] += from[j];
  }
  return row;
}

static void update_row(const poet_row_update_shape* shape, const float* row, const float* gradient,
                       const poet_step_words* step, float* new_row) {
  const poet_sgd_shape sgd = {shape->inner, 0.0f};
  poet_sgd_update_f32(&sgd, row, gradient, step, NULL, new_row);
}

static void update_rows(const poet_row_update_shape* shape, const float* table, index_list indices,
                        const float* dy, const poet_step_words* step, float* new_table,
                        float* sum) {
  const size_t bytes = (size_t)shape->rows * (size_t)shape->inner * sizeof(float);
  if (table != new_table) memcpy(new_table, table, bytes);
  for (int32_t i = 0; i < shape->count; ++i) {
    const int64_t row = row_gradient(shape, indices, dy, i, sum);
    if (row < 0) continue;
    float* const at = new_table + (ptrdiff_t)row * shape->inner;
    update_row(shape, at, sum, step, at);
  }
}

void poet_row_update_f32_i32(const poet_row_update_shape* shape, const float* table,
                             const int32_t* indices, const float* dy, const poet_step_words* step,
                             float* new_table, void* workspace) {
  const index_list list = {indices, NULL};
  update_rows(shape, table, list, dy, step, new_table, workspace);
}

void poet_row_update_f32_i64(const poet_row_update_shape* shape, const float* table,
                             const int64_t* indices, const float* dy, const poet_step_words* step,
                             float* new_table, void* workspace) {
  const index_list list = {NULL, indices};
  update_rows(shape, table, list, dy, step, new_table, workspace);
}

int64_t poet_row_gradient_i32(const poet_row_update_shape* shape, const int32_t* indices,
                              const float* dy, int32_t i, float* sum) {
  const index_list list = {indices, NULL};
  return row_gradient(shape, list, dy, i, sum);
}

int64_t poet_row_gradient_i64(const poet_row_update_shape* shape, const int64_t* indices,
                              const float* dy, int32_t i, float* sum) {
  const index_list list = {NULL, indices};
  return row_gradient(shape, list, dy, i, sum);
}

static poet_status update_stored(const poet_storage* storage, const poet_updated_rows* table,
                                 index_list indices, const float* dy, const poet_step_words* step,
                                 float* workspace) {
  const poet_row_update_shape* const shape = &table->shape;
  const uint32_t row_bytes = (uint32_t)shape->inner * (uint32_t)sizeof(float);
  float* const row = workspace;
  float* const sum = workspace + shape->inner;
  poet_status status = POET_OK;
  for (int32_t i = 0; i < shape->count && status == POET_OK; ++i) {
    const int64_t number = row_gradient(shape, indices, dy, i, sum);
    if (number < 0) continue;
    const uint32_t offset = table->offset + (uint32_t)number * row_bytes;
    status = poet_storage_read(storage, offset, row, row_bytes);
    if (status != POET_OK) break;
    update_row(shape, row, sum, step, row);
    status = poet_storage_write(storage, offset, row, row_bytes);
  }
  return status;
}

poet_status poet_storage_update_rows_i32(const poet_storage* storage,
                                         const poet_updated_rows* table, const int32_t* indices,
                                         const float* dy, const poet_step_words* step,
                                         void* workspace) {
  const index_list list = {indices, NULL};
  return update_stored(storage, table, list, dy, step, workspace);
}

poet_status poet_storage_update_rows_i64(const poet_storage* storage,
                                         const poet_updated_rows* table, const int64_t* indices,
                                         const float* dy, const poet_step_words* step,
                                         void* workspace) {
  const index_list list = {NULL, indices};
  return update_stored(storage, table, list, dy, step, workspace);
}
