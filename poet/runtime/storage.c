#include "poet/runtime/storage.h"

#include <stddef.h>
#include <string.h>

static poet_status told(const poet_storage* storage, poet_status status, uint32_t offset) {
  if (storage->error != NULL) storage->error(storage->user, status, offset);
  return status;
}

poet_status poet_storage_read(const poet_storage* storage, uint32_t offset, void* into,
                              uint32_t bytes) {
  if (storage->read(storage->user, offset, into, bytes) == 0) return POET_OK;
  return told(storage, POET_READ_FAILED, offset);
}

poet_status poet_storage_write(const poet_storage* storage, uint32_t offset, const void* from,
                               uint32_t bytes) {
  if (storage->write(storage->user, offset, from, bytes) == 0) return POET_OK;
  return told(storage, POET_WRITE_FAILED, offset);
}

poet_status poet_storage_has(const poet_storage* storage, uint32_t bytes) {
  const uint32_t capacity = storage->capacity(storage->user);
  if (capacity >= bytes) return POET_OK;
  return told(storage, POET_STORAGE_TOO_SMALL, capacity);
}

static poet_status read_row(const poet_storage* storage, const poet_stored_rows* table,
                            int64_t index, unsigned char* row) {
  if (index < 0) index += table->rows;
  if (index < 0 || index >= table->rows) {
    memset(row, 0, table->row_bytes);
    return POET_OK;
  }
  return poet_storage_read(storage, table->offset + (uint32_t)index * table->row_bytes, row,
                           table->row_bytes);
}

poet_status poet_storage_rows_i32(const poet_storage* storage, const poet_stored_rows* table,
                                  const int32_t* indices, void* into) {
  unsigned char* row = into;
  poet_status status = POET_OK;
  for (int32_t i = 0; i < table->count && status == POET_OK; ++i, row += table->row_bytes)
    status = read_row(storage, table, indices[i], row);
  return status;
}

poet_status poet_storage_rows_i64(const poet_storage* storage, const poet_stored_rows* table,
                                  const int64_t* indices, void* into) {
  unsigned char* row = into;
  poet_status status = POET_OK;
  for (int32_t i = 0; i < table->count && status == POET_OK; ++i, row += table->row_bytes)
    status = read_row(storage, table, indices[i], row);
  return status;
}
