/* The card of an emulated board: what the training pages to, and where its checkpoints are. It
 * counts what is moved, and can fail. */
#pragma once

#include "poet/runtime/storage.h"

typedef struct board_card {
  uint64_t read_bytes;    /* so far */
  uint64_t written_bytes; /* so far */
  uint32_t reads_left;    /* transfers until one fails; 0: none does */
  uint32_t writes_left;
} board_card;

poet_storage board_card_storage(board_card* card);

/* What the card is: a file of the host (card_file.c), or one that the emulator has at the board's
 * pins (card_port.c). 0: done. */
int32_t board_medium_open(void);
int32_t board_medium_read(uint32_t offset, void* into, uint32_t bytes);
int32_t board_medium_write(uint32_t offset, const void* from, uint32_t bytes);
uint32_t board_medium_bytes(void);
