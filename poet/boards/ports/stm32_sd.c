#include "poet/boards/ports/stm32_sd.h"

#include <stddef.h>
#include <string.h>

#include "poet/boards/ports/registers.h"

enum { /* RM0090, 31.9 */
       POWER = 0x00,
       CLKCR = 0x04,
       ARG = 0x08,
       CMD = 0x0C,
       RESP1 = 0x14, /* and three more */
       DTIMER = 0x24,
       DLEN = 0x28,
       DCTRL = 0x2C,
       STA = 0x34,
       ICR = 0x38,
       FIFO = 0x80
};
enum { POWER_ON = 3u };
enum { CLOCK_ON = 1u << 8, FOUR_WIRES = 1u << 11 };
enum { SHORT_RESPONSE = 1u << 6, LONG_RESPONSE = 3u << 6, SEND = 1u << 10 }; /* of CMD */
enum { TRANSFER = 1u << 0, FROM_CARD = 1u << 1, BY_DMA = 1u << 3 };          /* of DCTRL */
enum { BLOCKS_OF_512 = 9u << 4 };
enum { /* of STA */
       COMMAND_CRC_FAIL = 1u << 0,
       DATA_CRC_FAIL = 1u << 1,
       COMMAND_TIMEOUT = 1u << 2,
       DATA_TIMEOUT = 1u << 3,
       SEND_UNDERRUN = 1u << 4,
       RECEIVE_OVERRUN = 1u << 5,
       RESPONSE_END = 1u << 6,
       COMMAND_SENT = 1u << 7,
       DATA_END = 1u << 8,
       START_BIT_ERROR = 1u << 9,
       SEND_FULL = 1u << 16,
       HAS_RECEIVED = 1u << 21
};
#define ALL_FLAGS 0x00C007FFu
enum {
  COMMAND_ENDS = RESPONSE_END | COMMAND_SENT | COMMAND_CRC_FAIL | COMMAND_TIMEOUT,
  DATA_FAILS = DATA_CRC_FAIL | DATA_TIMEOUT | SEND_UNDERRUN | RECEIVE_OVERRUN | START_BIT_ERROR
};

/* What a card says of itself: 4.10.1. Without that a command was not heard well, or not to be
 * obeyed, which is said of the one before: it was not answered, so that is known. */
#define CARD_ERRORS 0xFD39E008u
#define OUT_OF_RANGE 0x80000000u
enum { READY_FOR_DATA = 1u << 8, STATE_SHIFT = 9u, STATE_MASK = 15u, TRANSFER_STATE = 4u };

enum {
  MOST_BLOCKS = 32768, /* of one transfer: DLEN has 25 bits */
  LOOKS = 4000000,
  DATA_LOOKS = 10 * LOOKS, /* the controller's own timer, of half a second, comes first */
  READY_PAIRS = 2000,      /* of CMD55 and ACMD41 in a second at 400 kHz, at most: 4.2.3 */
  POWER_UP_LOOKS = 200000
};

static uint32_t flags_of(const poet_sdio_card* card) {
  return poet_read_register(card->base + STA);
}

static void clear_flags(const poet_sdio_card* card, uint32_t flags) {
  poet_write_register(card->base + ICR, flags);
}

/* The clock is divided by CLKDIV + 2: 31.9.2. */
static void set_clock(const poet_sdio_card* card, uint32_t divisor, uint32_t width) {
  poet_write_register(card->base + CLKCR, (divisor - 2u) | CLOCK_ON | width);
}

/* The response is in RESP1 on. What is told of data stays: where DMA moves them, all may have come
 * before this sees that the card answered. */
static poet_port_status command(const poet_sdio_card* card, uint32_t index, uint32_t argument,
                                uint32_t response) {
  clear_flags(card, COMMAND_ENDS);
  poet_write_register(card->base + ARG, argument);
  poet_write_register(card->base + CMD, index | response | SEND);
  for (uint32_t left = LOOKS; left > 0u; --left) {
    const uint32_t flags = flags_of(card) & COMMAND_ENDS;
    if (flags == 0u) continue;
    clear_flags(card, COMMAND_ENDS);
    if ((flags & COMMAND_TIMEOUT) != 0u) return POET_PORT_NO_CARD;
    return (flags & COMMAND_CRC_FAIL) != 0u ? POET_PORT_BAD_CHECKSUM : POET_PORT_OK;
  }
  return POET_PORT_BUS;
}

/* One that answers with the card's state, in which `errors` are none. */
static poet_port_status checked_command(const poet_sdio_card* card, uint32_t index,
                                        uint32_t argument, uint32_t errors) {
  const poet_port_status status = command(card, index, argument, SHORT_RESPONSE);
  if (status != POET_PORT_OK) return status;
  return (poet_read_register(card->base + RESP1) & errors) == 0u ? POET_PORT_OK : POET_PORT_REFUSED;
}

static poet_port_status plain_command(const poet_sdio_card* card, uint32_t index,
                                      uint32_t argument) {
  return checked_command(card, index, argument, CARD_ERRORS);
}

static poet_port_status app_command(const poet_sdio_card* card, uint32_t index, uint32_t argument) {
  const poet_port_status status = plain_command(card, SD_APP_COMMAND, card->address);
  return status == POET_PORT_OK ? plain_command(card, index, argument) : status;
}

/* Whether a wire may be the cause. A command that it spoilt is not answered, as without a card. */
static int32_t may_be_wire(poet_port_status status) {
  return status == POET_PORT_BAD_CHECKSUM || status == POET_PORT_NO_CARD;
}

poet_port_status poet_sdio_ready(const poet_sdio_card* card) {
  const poet_port_status status = plain_command(card, SD_SEND_STATUS, card->address);
  const uint32_t state = poet_read_register(card->base + RESP1);
  if (status != POET_PORT_OK) return status;
  const int32_t is_ready =
      (state & READY_FOR_DATA) != 0u && (state >> STATE_SHIFT & STATE_MASK) == TRANSFER_STATE;
  return is_ready ? POET_PORT_OK : POET_PORT_TIMEOUT;
}

/* Until the card is neither busy nor in another state than that in which transfers begin. What a
 * wire spoils is asked again: what comes next must not find it busy. */
static poet_port_status wait_ready(const poet_sdio_card* card) {
  int32_t attempts = SD_ATTEMPTS;
  for (uint32_t left = POET_SDIO_BUSY_COMMANDS; left > 0u; --left) {
    const poet_port_status status = poet_sdio_ready(card);
    if (may_be_wire(status) && --attempts > 0) continue;
    if (status != POET_PORT_TIMEOUT) return status;
  }
  return POET_PORT_TIMEOUT;
}

static poet_port_status data_status(uint32_t flags) {
  if ((flags & (SEND_UNDERRUN | RECEIVE_OVERRUN)) != 0u) return POET_PORT_BUS;
  if ((flags & (DATA_CRC_FAIL | START_BIT_ERROR)) != 0u) return POET_PORT_BAD_CHECKSUM;
  return (flags & DATA_TIMEOUT) != 0u ? POET_PORT_TIMEOUT : POET_PORT_OK;
}

static void begin_data(const poet_sdio_card* card, uint32_t bytes, uint32_t direction) {
  clear_flags(card, ALL_FLAGS);
  poet_write_register(card->base + DTIMER, card->clock_hz / card->divisor / 2u); /* half a second */
  poet_write_register(card->base + DLEN, bytes);
  poet_write_register(card->base + DCTRL, BLOCKS_OF_512 | direction | TRANSFER);
}

/* What is left of a transfer that failed. */
static void end_data(const poet_sdio_card* card) {
  poet_write_register(card->base + DCTRL, 0);
  clear_flags(card, ALL_FLAGS);
}

static poet_port_status receive(const poet_sdio_card* card, uint8_t* into, uint32_t bytes) {
  uint32_t looks = DATA_LOOKS;
  while (bytes > 0u) {
    const uint32_t flags = flags_of(card);
    if ((flags & HAS_RECEIVED) != 0u) {
      const uint32_t word = poet_read_register(card->base + FIFO);
      memcpy(into, &word, sizeof word);
      into += sizeof word;
      bytes -= (uint32_t)sizeof word;
      looks = DATA_LOOKS;
    } else if ((flags & DATA_FAILS) != 0u) {
      return data_status(flags);
    } else if (--looks == 0u) {
      return POET_PORT_BUS;
    }
  }
  /* The last words may be here before their checksum. */
  for (; looks > 0u; --looks) {
    const uint32_t flags = flags_of(card);
    if ((flags & DATA_FAILS) != 0u) return data_status(flags);
    if ((flags & DATA_END) != 0u) return POET_PORT_OK;
  }
  return POET_PORT_BUS;
}

static poet_port_status transmit(const poet_sdio_card* card, const uint8_t* from, uint32_t bytes) {
  for (uint32_t looks = DATA_LOOKS; looks > 0u; --looks) {
    const uint32_t flags = flags_of(card);
    if ((flags & DATA_FAILS) != 0u) return data_status(flags);
    if (bytes == 0u) {
      if ((flags & DATA_END) != 0u) return POET_PORT_OK;
    } else if ((flags & SEND_FULL) == 0u) {
      uint32_t word;
      memcpy(&word, from, sizeof word);
      poet_write_register(card->base + FIFO, word);
      from += sizeof word;
      bytes -= (uint32_t)sizeof word;
      looks = DATA_LOOKS;
    }
  }
  return POET_PORT_BUS;
}

/* A card that did not hear it goes on sending, or waiting for blocks; one that did, and whose
 * answer was lost, does not answer again. It tells now of a block that it took and could not write.
 * Behind the last one that it sent it may complain of the next: 4.3.3. */
static poet_port_status stop(const poet_sdio_card* card) {
  poet_port_status status = POET_PORT_NO_CARD;
  for (int32_t left = SD_ATTEMPTS; left > 0 && status == POET_PORT_NO_CARD; --left)
    status = checked_command(card, SD_STOP_TRANSMISSION, 0, CARD_ERRORS & ~OUT_OF_RANGE);
  return status;
}

/* Ends a transfer of several blocks, and one that failed, if only by the answer to its command: the
 * card may have heard it. What it says of the end of one that failed is known. */
static poet_port_status finish(const poet_sdio_card* card, uint32_t count,
                               poet_port_status status) {
  end_data(card);
  const poet_port_status stopped = count > 1u || status != POET_PORT_OK ? stop(card) : POET_PORT_OK;
  const poet_port_status ready = wait_ready(card);
  if (status != POET_PORT_OK) return status;
  return stopped != POET_PORT_OK ? stopped : ready;
}

static poet_port_status read_run(const poet_sdio_card* card, uint32_t address, uint8_t* into,
                                 uint32_t count) {
  /* The controller is ready before the card is asked: what it sends may come at once. */
  begin_data(card, count * POET_SD_BLOCK_BYTES, FROM_CARD);
  poet_port_status status =
      plain_command(card, count > 1u ? SD_READ_BLOCKS : SD_READ_BLOCK, address);
  if (status == POET_PORT_OK) status = receive(card, into, count * POET_SD_BLOCK_BYTES);
  return finish(card, count, status);
}

static poet_port_status write_run(const poet_sdio_card* card, uint32_t address, const uint8_t* from,
                                  uint32_t count) {
  poet_port_status status =
      plain_command(card, count > 1u ? SD_WRITE_BLOCKS : SD_WRITE_BLOCK, address);
  if (status == POET_PORT_OK) {
    begin_data(card, count * POET_SD_BLOCK_BYTES, 0);
    status = transmit(card, from, count * POET_SD_BLOCK_BYTES);
  }
  return finish(card, count, status);
}

poet_port_status poet_sdio_begin(const poet_sdio_card* card, const poet_sd_move* move) {
  const uint32_t address = poet_sd_address(card->addresses_blocks, move->first);
  const uint32_t bytes = move->count * POET_SD_BLOCK_BYTES;
  const int32_t is_one = move->count == 1u;
  const uint32_t blocks = card->blocks.count;
  if (move->first > blocks || move->count > blocks - move->first) return POET_PORT_OUT_OF_RANGE;
  if (poet_sd_reads(move)) {
    begin_data(card, bytes, FROM_CARD | BY_DMA);
    return plain_command(card, is_one ? SD_READ_BLOCK : SD_READ_BLOCKS, address);
  }
  const poet_port_status status =
      plain_command(card, is_one ? SD_WRITE_BLOCK : SD_WRITE_BLOCKS, address);
  if (status == POET_PORT_OK) begin_data(card, bytes, BY_DMA);
  return status;
}

int32_t poet_sdio_is_over(const poet_sdio_card* card, poet_port_status* status) {
  const uint32_t flags = flags_of(card);
  *status = data_status(flags);
  return *status != POET_PORT_OK || (flags & (DATA_END | HAS_RECEIVED)) == DATA_END;
}

poet_port_status poet_sdio_end(const poet_sdio_card* card, uint32_t count) {
  end_data(card);
  return count > 1u ? stop(card) : POET_PORT_OK;
}

poet_port_status poet_sdio_give_up(const poet_sdio_card* card) {
  end_data(card);
  (void)stop(card);
  return wait_ready(card);
}

uint32_t poet_sdio_fifo(const poet_sdio_card* card) {
  return card->base + FIFO;
}

/* All of it or, as far as is known, nothing: how much of it a card has is not asked. */
static poet_port_status run(void* user, const poet_sd_move* move, uint32_t* done) {
  const poet_sdio_card* const card = (const poet_sdio_card*)user;
  const uint32_t count = move->count < MOST_BLOCKS ? move->count : (uint32_t)MOST_BLOCKS;
  const uint32_t address = poet_sd_address(card->addresses_blocks, move->first);
  const poet_port_status status = poet_sd_reads(move) ? read_run(card, address, move->into, count)
                                                      : write_run(card, address, move->from, count);
  if (status == POET_PORT_OK) *done = count;
  return status;
}

/* Whether it is worth trying again: what a wire spoilt, or an interrupt that came between. The
 * clock is halved for the second, once and for all. */
static int32_t may_repeat(void* user, poet_port_status status) {
  poet_sdio_card* const card = (poet_sdio_card*)user;
  if (status == POET_PORT_BUS && card->divisor < 64u) {
    card->divisor *= 2u;
    set_clock(card, card->divisor, FOUR_WIRES);
    return 1;
  }
  return may_be_wire(status);
}

static poet_port_status read_card(void* user, uint32_t first, uint8_t* into, uint32_t count) {
  const poet_sd_move move = {first, count, into, NULL};
  return poet_sd_move_all(user, ((poet_sdio_card*)user)->blocks.count, move, run, may_repeat);
}

static poet_port_status write_card(void* user, uint32_t first, const uint8_t* from,
                                   uint32_t count) {
  const poet_sd_move move = {first, count, NULL, from};
  return poet_sd_move_all(user, ((poet_sdio_card*)user)->blocks.count, move, run, may_repeat);
}

/* --- How a card begins: 4.2. */

/* The response has no checksum, which the controller takes for a wrong one. Where a wire spoilt
 * that of the command before it, the card was not asked, and is not ready yet. */
static poet_port_status ask_conditions(const poet_sdio_card* card, uint32_t argument,
                                       uint32_t* conditions) {
  *conditions = 0;
  poet_port_status status = command(card, SD_APP_COMMAND, 0, SHORT_RESPONSE);
  if (status == POET_PORT_BAD_CHECKSUM) return POET_PORT_OK;
  if (status == POET_PORT_OK) status = command(card, SD_APP_OP_COND, argument, SHORT_RESPONSE);
  if (status != POET_PORT_OK && status != POET_PORT_BAD_CHECKSUM) return status;
  *conditions = poet_read_register(card->base + RESP1);
  return POET_PORT_OK;
}

/* A card of version 1 does not answer. */
static poet_port_status ask_version(const poet_sdio_card* card, uint32_t pattern) {
  poet_port_status status = command(card, SD_SEND_IF_COND, pattern, SHORT_RESPONSE);
  for (int32_t left = SD_ATTEMPTS; left > 1 && status == POET_PORT_BAD_CHECKSUM; --left)
    status = command(card, SD_SEND_IF_COND, pattern, SHORT_RESPONSE);
  return status;
}

static poet_port_status wait_initialised(poet_sdio_card* card) {
  const uint32_t voltages = 0x00FF8000u; /* 2.7 to 3.6 V */
  const uint32_t pattern = 0x1AAu;
  const int32_t is_second = ask_version(card, pattern) == POET_PORT_OK;
  if (is_second && (poet_read_register(card->base + RESP1) & 0xFFFu) != pattern)
    return POET_PORT_UNUSABLE;
  for (uint32_t left = READY_PAIRS; left > 0u; --left) {
    uint32_t conditions = 0;
    const poet_port_status status =
        ask_conditions(card, voltages | (is_second ? 1u << 30 : 0u), &conditions);
    if (status != POET_PORT_OK) return status;
    if (conditions >> 31 == 0u) continue;
    card->addresses_blocks = (conditions >> 30 & 1u) != 0u;
    return POET_PORT_OK;
  }
  return POET_PORT_TIMEOUT;
}

static poet_port_status read_size(poet_sdio_card* card) {
  uint8_t csd[16];
  const poet_port_status status = command(card, SD_SEND_CSD, card->address, LONG_RESPONSE);
  if (status != POET_PORT_OK) return status;
  for (uint32_t i = 0; i < 16u; ++i)
    csd[i] = (uint8_t)(poet_read_register(card->base + RESP1 + (i & ~3u)) >> (24u - 8u * (i & 3u)));
  return poet_sd_size(csd, card->addresses_blocks, &card->blocks.count);
}

static poet_port_status identify(poet_sdio_card* card) {
  poet_port_status status = command(card, SD_ALL_SEND_CID, 0, LONG_RESPONSE);
  if (status == POET_PORT_OK) status = command(card, SD_SEND_RELATIVE_ADDRESS, 0, SHORT_RESPONSE);
  if (status != POET_PORT_OK) return status;
  card->address = poet_read_register(card->base + RESP1) & 0xFFFF0000u;
  status = read_size(card);
  if (status == POET_PORT_OK) status = plain_command(card, SD_SELECT_CARD, card->address);
  if (status == POET_PORT_OK) status = wait_ready(card);
  if (status == POET_PORT_OK) status = app_command(card, SD_CLEAR_CARD_DETECT, 0);
  if (status == POET_PORT_OK) status = app_command(card, SD_SET_BUS_WIDTH, 2u);
  if (status == POET_PORT_OK && !card->addresses_blocks)
    status = plain_command(card, SD_SET_BLOCKLEN, POET_SD_BLOCK_BYTES);
  return status;
}

static poet_port_status open_card(poet_sdio_card* card) {
  poet_write_register(card->base + POWER, POWER_ON);
  set_clock(card, card->clock_hz / SD_SLOW_HZ, 0);
  /* 74 clocks of 400 kHz are 185 microseconds. */
  (void)poet_wait_bits(card->base + STA, 0, 1u, POWER_UP_LOOKS);
  poet_port_status status = command(card, SD_GO_IDLE, 0, 0);
  if (status == POET_PORT_OK) status = wait_initialised(card);
  if (status == POET_PORT_OK) status = identify(card);
  if (status == POET_PORT_OK) set_clock(card, card->divisor, FOUR_WIRES);
  if (status != POET_PORT_OK) card->blocks.count = 0;
  return status;
}

poet_port_status poet_sdio_storage(poet_sdio_card* card, uint32_t base, uint32_t clock_hz,
                                   poet_storage* storage) {
  memset(card, 0, sizeof *card);
  card->base = base;
  card->clock_hz = clock_hz;
  card->divisor = 2u;
  const poet_port_status status = open_card(card);
  card->blocks.user = card;
  card->blocks.block_bytes = POET_SD_BLOCK_BYTES;
  card->blocks.buffer = card->buffer;
  card->blocks.read = read_card;
  card->blocks.write = write_card;
  poet_blocks_storage(&card->blocks, storage);
  card->blocks.problem = status;
  return status;
}
