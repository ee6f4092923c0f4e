/* The storage of a board, as callbacks: what does not fit into RAM goes there and comes back. Its
 * owner wires them to an SD card, a flash chip or a file. Offsets and sizes are in bytes. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How it went. Only POET_OK is 0. */
typedef enum poet_status {
  POET_OK = 0,
  POET_READ_FAILED,       /* storage did not give what was asked for */
  POET_WRITE_FAILED,      /* storage did not take all of it: broken, or full */
  POET_STORAGE_TOO_SMALL, /* the capacity is less than the plan needs */
  POET_NO_CHECKPOINT,     /* neither checkpoint is whole and of this plan */
  POET_EXAMPLES_FAILED,   /* the callback that brings examples failed */
  POET_NOT_CONNECTED,     /* before poet_connect() */
  POET_NOT_LOADED,        /* before poet_load(), or after a step or a load that failed */
  POET_PAUSED,            /* a step waits for the next poet_step() */
  POET_TOO_LATE           /* to abandon the step: it has begun to change values */
} poet_status;

/* Whole transfers: a callback that moved less than it was asked to has failed. A write counts when
 * it returns, and a later write never outlives an earlier one: a power cut may lose the last
 * writes, in part too, but leaves none behind one that is lost. */
typedef struct poet_storage {
  void* user; /* handed back to each callback */
  int32_t (*read)(void* user, uint32_t offset, void* into, uint32_t bytes);        /* 0: done */
  int32_t (*write)(void* user, uint32_t offset, const void* from, uint32_t bytes); /* 0: done */
  uint32_t (*capacity)(void* user); /* how many bytes there are */
  /* Told of what went wrong, and where, before the function that met it returns. May be NULL. */
  void (*error)(void* user, poet_status status, uint32_t offset);
} poet_storage;

poet_status poet_storage_read(const poet_storage* storage, uint32_t offset, void* into,
                              uint32_t bytes);
poet_status poet_storage_write(const poet_storage* storage, uint32_t offset, const void* from,
                               uint32_t bytes);

/* Whether there are so many bytes. */
poet_status poet_storage_has(const poet_storage* storage, uint32_t bytes);

/* Rows of a table in storage, picked as by poet/runtime/gather.h: a negative index counts from the
 * end, one outside picks zeros. */
typedef struct poet_stored_rows {
  uint32_t offset; /* of the table */
  uint32_t row_bytes;
  int32_t rows;
  int32_t count; /* of indices */
} poet_stored_rows;

poet_status poet_storage_rows_i32(const poet_storage* storage, const poet_stored_rows* table,
                                  const int32_t* indices, void* into);
poet_status poet_storage_rows_i64(const poet_storage* storage, const poet_stored_rows* table,
                                  const int64_t* indices, void* into);

#ifdef __cplusplus
}
#endif
