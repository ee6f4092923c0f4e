#include "poet/boards/firmware/card.h"
#include "poet/boards/firmware/semihosting.h"

static int32_t file;
static uint32_t capacity; /* bytes */

int32_t board_medium_open(void) {
  file = board_open("card.image", BOARD_FILE_UPDATE);
  if (file < 0) return 1;
  const int32_t bytes = board_file_bytes(file);
  capacity = bytes < 0 ? 0u : (uint32_t)bytes;
  return 0;
}

int32_t board_medium_read(uint32_t offset, void* into, uint32_t bytes) {
  return board_seek(file, offset) != 0 || board_read(file, into, bytes) != 0;
}

/* All blocks in one transfer, as cards take them quickest: they are written in their order, and
 * when the current fails, what comes after is lost. */
int32_t board_medium_write(uint32_t offset, const void* from, uint32_t bytes) {
  return board_seek(file, offset) != 0 || board_write(file, from, bytes) != 0;
}

uint32_t board_medium_bytes(void) {
  return capacity;
}
