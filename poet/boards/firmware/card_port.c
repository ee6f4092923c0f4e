#include "poet/boards/firmware/card.h"
#include "poet/boards/firmware/console.h"
#include "poet/boards/ports/port.h"

static poet_storage medium;

int32_t board_medium_open(void) {
  const poet_port_status status = poet_port_open(&medium);
  if (status == POET_PORT_OK) return 0;
  board_print("port");
  board_print_word("status", (uint32_t)status);
  board_print("\n");
  return 1;
}

int32_t board_medium_read(uint32_t offset, void* into, uint32_t bytes) {
  return medium.read(medium.user, offset, into, bytes);
}

int32_t board_medium_write(uint32_t offset, const void* from, uint32_t bytes) {
  return medium.write(medium.user, offset, from, bytes);
}

uint32_t board_medium_bytes(void) {
  return medium.capacity(medium.user);
}
