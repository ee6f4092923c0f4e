#include "poet/boards/firmware/card.h"

#include "poet/boards/firmware/console.h"

/* Whether this transfer is the one that was asked to fail. */
static int32_t fails(uint32_t* left) {
  if (*left == 0u) return 0;
  *left -= 1u;
  return *left == 0u;
}

static int32_t read_card(void* user, uint32_t offset, void* into, uint32_t bytes) {
  board_card* const card = (board_card*)user;
  if (fails(&card->reads_left)) return 1;
  card->read_bytes += bytes;
  return board_medium_read(offset, into, bytes);
}

static int32_t write_card(void* user, uint32_t offset, const void* from, uint32_t bytes) {
  board_card* const card = (board_card*)user;
  if (fails(&card->writes_left)) return 1;
  card->written_bytes += bytes;
  return board_medium_write(offset, from, bytes);
}

static uint32_t card_capacity(void* user) {
  (void)user;
  return board_medium_bytes();
}

static void card_error(void* user, poet_status status, uint32_t offset) {
  (void)user;
  board_print("storage");
  board_print_word("error", (uint32_t)status);
  board_print_word("offset", offset);
  board_print("\n");
}

poet_storage board_card_storage(board_card* card) {
  const poet_storage storage = {card, read_card, write_card, card_capacity, card_error};
  return storage;
}
