/* The update by SGD, without decay, of the rows of a table that were looked up. A row that no index
 * picks has a gradient of zeros: it stays as it is, and is neither read nor written.
 *
 * Each row that is picked gets its new value once, by the sum of dy over the indices that pick it,
 * ascending, beginning with 0. Those are the bits of the gradient (gather.h) and the update behind
 * it (update.h): of all rows, as long as the learning rate is finite and not below 0 and so are the
 * values finite that stay.
 *
 * A negative index counts from the end; one outside [-rows, rows) picks nothing. */
#pragma once

#include <stdint.h>

#include "poet/runtime/step.h"
#include "poet/runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_row_update_shape {
  int32_t rows;  /* of the table */
  int32_t inner; /* values in a row */
  int32_t count; /* of indices */
} poet_row_update_shape;

/* new_table, table (rows, inner), dy (count, inner). In place: new_table may be the same buffer as
 * table; it overlaps none of the other inputs. `workspace` holds a row. */
void poet_row_update_f32_i32(const poet_row_update_shape* shape, const float* table,
                             const int32_t* indices, const float* dy, const poet_step_words* step,
                             float* new_table, void* workspace);
void poet_row_update_f32_i64(const poet_row_update_shape* shape, const float* table,
                             const int64_t* indices, const float* dy, const poet_step_words* step,
                             float* new_table, void* workspace);

/* Of a table that lies in storage, elsewhere than in memory: the row that index i picks, where no
 * index before it does, with its gradient in `sum`, of a row; -1 where there is nothing to do. */
int64_t poet_row_gradient_i32(const poet_row_update_shape* shape, const int32_t* indices,
                              const float* dy, int32_t i, float* sum);
int64_t poet_row_gradient_i64(const poet_row_update_shape* shape, const int64_t* indices,
                              const float* dy, int32_t i, float* sum);

/* A table in storage. */
typedef struct poet_updated_rows {
  uint32_t offset;
  poet_row_update_shape shape;
} poet_updated_rows;

/* Reads, updates and writes each row that is picked. `workspace` holds two rows. */
poet_status poet_storage_update_rows_i32(const poet_storage* storage,
                                         const poet_updated_rows* table, const int32_t* indices,
                                         const float* dy, const poet_step_words* step,
                                         void* workspace);
poet_status poet_storage_update_rows_i64(const poet_storage* storage,
                                         const poet_updated_rows* table, const int64_t* indices,
                                         const float* dy, const poet_step_words* step,
                                         void* workspace);

#ifdef __cplusplus
}
#endif
