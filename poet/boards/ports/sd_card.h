/* What an SD card is on any wires: its commands, how large it is, and how its blocks are moved
 * (Physical Layer Simplified Specification 9.00, whose sections the numbers in comments are). */
#pragma once

#include <stdint.h>

#include "poet/boards/ports/blocks.h"

#define POET_SD_BLOCK_BYTES 512u

enum { /* 4.7.4 and 7.3.1.3 */
       SD_GO_IDLE = 0,
       SD_ALL_SEND_CID = 2,
       SD_SEND_RELATIVE_ADDRESS = 3,
       SD_SET_BUS_WIDTH = 6, /* behind SD_APP_COMMAND */
       SD_SELECT_CARD = 7,
       SD_SEND_IF_COND = 8,
       SD_SEND_CSD = 9,
       SD_STOP_TRANSMISSION = 12,
       SD_SEND_STATUS = 13,
       SD_SET_BLOCKLEN = 16,
       SD_READ_BLOCK = 17,
       SD_READ_BLOCKS = 18,
       SD_WRITE_BLOCK = 24,
       SD_WRITE_BLOCKS = 25,
       SD_APP_OP_COND = 41,       /* behind SD_APP_COMMAND */
       SD_CLEAR_CARD_DETECT = 42, /* behind SD_APP_COMMAND */
       SD_APP_COMMAND = 55,
       SD_READ_OCR = 58,
       SD_CRC_ON_OFF = 59
};

enum {
  SD_SLOW_HZ = 400000, /* until the card is ready: 6.4.1 */
  SD_ATTEMPTS = 4      /* at what a wire may have spoilt */
};

/* Blocks of a card on their way into memory, or, where that is NULL, from there. */
typedef struct poet_sd_move {
  uint32_t first;
  uint32_t count;
  uint8_t* into;
  const uint8_t* from;
} poet_sd_move;

/* Begins with the first of them; `done` counts those that are where they belong. */
typedef poet_port_status (*poet_sd_run)(void* card, const poet_sd_move* move, uint32_t* done);

static inline int32_t poet_sd_reads(const poet_sd_move* move) {
  return move->into != 0;
}

/* Moves all, of a card that has so many `blocks`, by runs; `may_repeat` says whether what went
 * wrong is worth trying again. */
static inline poet_port_status poet_sd_move_all(void* card, uint32_t blocks, poet_sd_move move,
                                                poet_sd_run run,
                                                int32_t (*may_repeat)(void*, poet_port_status)) {
  int32_t left = SD_ATTEMPTS;
  if (blocks == 0u) return POET_PORT_NO_CARD;
  if (move.first > blocks || move.count > blocks - move.first) return POET_PORT_OUT_OF_RANGE;
  while (move.count > 0u) {
    uint32_t done = 0;
    const poet_port_status status = run(card, &move, &done);
    if (done > 0u) left = SD_ATTEMPTS; /* at each block */
    if (status != POET_PORT_OK && (--left == 0 || !may_repeat(card, status))) return status;
    move.first += done;
    move.count -= done;
    if (poet_sd_reads(&move))
      move.into += done * POET_SD_BLOCK_BYTES;
    else
      move.from += done * POET_SD_BLOCK_BYTES;
  }
  return POET_PORT_OK;
}

/* What the address of a block is in a command. */
static inline uint32_t poet_sd_address(int32_t addresses_blocks, uint32_t block) {
  return addresses_blocks != 0 ? block : block * POET_SD_BLOCK_BYTES;
}

/* Bits `high` to `low` of the 128 of a CSD, most significant byte first; 32 of them at most. */
static inline uint32_t poet_sd_field(const uint8_t* csd, uint32_t high, uint32_t low) {
  uint32_t value = 0;
  for (uint32_t bit = high + 1u; bit > low; --bit)
    value = value << 1 | ((uint32_t)csd[15u - (bit - 1u) / 8u] >> ((bit - 1u) % 8u) & 1u);
  return value;
}

/* How many blocks there are: 5.3.2 and 5.3.3. What the card said of its addresses had no checksum,
 * and has to be of the same kind of card. */
static inline poet_port_status poet_sd_size(const uint8_t* csd, int32_t addresses_blocks,
                                            uint32_t* blocks) {
  const uint32_t structure = poet_sd_field(csd, 127, 126);
  const uint32_t block_bits = poet_sd_field(csd, 83, 80);
  if ((structure == 1u) != (addresses_blocks != 0)) return POET_PORT_BAD_CHECKSUM;
  if (structure == 1u) {
    *blocks = (poet_sd_field(csd, 69, 48) + 1u) << 10; /* 512 KiB each */
    return POET_PORT_OK;
  }
  if (structure != 0u || block_bits < 9u || block_bits > 11u) return POET_PORT_UNUSABLE;
  *blocks = (poet_sd_field(csd, 73, 62) + 1u)
            << (poet_sd_field(csd, 49, 47) + 2u + block_bits - 9u);
  return POET_PORT_OK;
}
