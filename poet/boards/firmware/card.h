/* A file of the host that stands for an SD card: what the training pages to, and where its
 * checkpoints are. */
#pragma once

#include "poet/runtime/storage.h"

typedef struct board_card {
  int32_t file;
  uint32_t capacity;      /* bytes */
  uint64_t read_bytes;    /* so far */
  uint64_t written_bytes; /* so far */
  uint32_t reads_left;    /* transfers until one fails; 0: none does */
  uint32_t writes_left;
} board_card;

/* 0: the file is there. */
int32_t board_card_open(board_card* card, const char* name);

poet_storage board_card_storage(board_card* card);
