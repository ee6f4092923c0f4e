#include "poet/boards/ports/sd_spi.h"

#include <stddef.h>

/* Numbers in comments are sections of the Physical Layer Simplified Specification 9.00. */
enum { IS_IDLE = 0x01, ILLEGAL_COMMAND = 0x04, COMMAND_CRC_ERROR = 0x08 }; /* R1, 7.3.2.1 */

enum { /* 7.3.3 */
       DATA_TOKEN = 0xFE,
       WRITE_BLOCKS_TOKEN = 0xFC,
       STOP_TOKEN = 0xFD,
       ACCEPTED = 0x05,
       DATA_CRC_ERROR = 0x0B
};

enum {
  FAST_HZ = 25000000, /* default speed: 6.6.6 */
  RESPONSE_BYTES = 8, /* at most until a response comes: 7.5.1 */
  RESETS = 10,        /* a card that was cut off within a block takes some to be heard */
  READY_MS = 1000,    /* initialisation: 4.2.3 */
  READ_MS = 100,      /* 4.6.2.1 */
  BUSY_MS = 500       /* 4.6.2.2: 250, and 500 for SDXC */
};

/* The polynomial x^7 + x^3 + 1: 4.5. */
uint8_t poet_sd_crc7(const uint8_t* bytes, uint32_t count) {
  uint32_t crc = 0;
  for (uint32_t i = 0; i < count; ++i) {
    crc ^= bytes[i];
    for (int32_t bit = 0; bit < 8; ++bit)
      crc = (crc & 0x80u) != 0u ? (crc << 1) ^ 0x112u : crc << 1;
  }
  return (uint8_t)(crc >> 1);
}

/* The polynomial x^16 + x^12 + x^5 + 1, a byte at a time without a table: 4.5. */
uint16_t poet_sd_crc16(uint16_t crc, const uint8_t* bytes, uint32_t count) {
  uint32_t sum = crc;
  for (uint32_t i = 0; i < count; ++i) {
    sum = ((sum >> 8) | (sum << 8)) & 0xFFFFu;
    sum ^= bytes[i];
    sum ^= (sum & 0xFFu) >> 4;
    sum ^= (sum << 12) & 0xFFFFu;
    sum ^= (sum & 0xFFu) << 5;
  }
  return (uint16_t)sum;
}

static poet_port_status exchange(const poet_sd_card* card, const uint8_t* out, uint8_t* in,
                                 uint32_t bytes) {
  const int32_t failed = card->bus->exchange(card->bus->user, out, in, bytes);
  return failed == 0 ? POET_PORT_OK : POET_PORT_BUS;
}

static void set_speed(poet_sd_card* card, uint32_t hz) {
  /* Rounded up, so that a timeout is never too short. */
  card->bytes_in_ms = card->bus->speed(card->bus->user, hz) / 8000u + 1u;
}

/* A card lets go of its wire only with the clock after it was let go of: 7.1 and 7.5. */
static void end_command(const poet_sd_card* card) {
  card->bus->select(card->bus->user, 0);
  (void)exchange(card, NULL, NULL, 1u);
}

/* Reads bytes until one is not `waiting`, which it answers in `byte`, for so many milliseconds. */
static poet_port_status skip(const poet_sd_card* card, uint8_t waiting, uint32_t ms,
                             uint8_t* byte) {
  for (uint32_t left = ms * card->bytes_in_ms; left > 0u; --left) {
    const poet_port_status status = exchange(card, NULL, byte, 1u);
    if (status != POET_PORT_OK) return status;
    if (*byte != waiting) return POET_PORT_OK;
  }
  return POET_PORT_TIMEOUT;
}

/* Until a busy card lets go of the wire, which may be in the middle of a byte. */
static poet_port_status wait_ready(const poet_sd_card* card) {
  for (uint32_t left = BUSY_MS * card->bytes_in_ms; left > 0u; --left) {
    uint8_t byte = 0;
    const poet_port_status status = exchange(card, NULL, &byte, 1u);
    if (status != POET_PORT_OK) return status;
    if (byte == 0xFFu) return POET_PORT_OK;
  }
  return POET_PORT_TIMEOUT;
}

/* Sends a command to the selected card and reads the first byte of its response. */
static poet_port_status command(const poet_sd_card* card, uint8_t index, uint32_t argument,
                                uint8_t* r1) {
  uint8_t frame[6] = {(uint8_t)(0x40u | index),  (uint8_t)(argument >> 24),
                      (uint8_t)(argument >> 16), (uint8_t)(argument >> 8),
                      (uint8_t)argument,         0};
  frame[5] = (uint8_t)((uint32_t)poet_sd_crc7(frame, 5u) << 1 | 1u);
  /* Eight clocks after the one before: 7.5.1.1. */
  poet_port_status status = exchange(card, NULL, NULL, 1u);
  if (status == POET_PORT_OK) status = exchange(card, frame, NULL, sizeof frame);
  /* The byte behind this one says nothing: 7.3.1.3. */
  if (status == POET_PORT_OK && index == SD_STOP_TRANSMISSION)
    status = exchange(card, NULL, NULL, 1u);
  for (int32_t i = 0; status == POET_PORT_OK && i <= RESPONSE_BYTES; ++i) {
    status = exchange(card, NULL, r1, 1u);
    if (status == POET_PORT_OK && (*r1 & 0x80u) == 0u) return POET_PORT_OK;
  }
  return status == POET_PORT_OK ? POET_PORT_NO_CARD : status;
}

/* Selects the card, waits until it listens, and has a response that names no error. */
static poet_port_status begin_command(const poet_sd_card* card, uint8_t index, uint32_t argument) {
  uint8_t r1 = 0xFF;
  card->bus->select(card->bus->user, 1);
  poet_port_status status = wait_ready(card);
  if (status == POET_PORT_OK) status = command(card, index, argument, &r1);
  if (status != POET_PORT_OK) return status;
  if ((r1 & COMMAND_CRC_ERROR) != 0u) return POET_PORT_BAD_CHECKSUM;
  return (r1 & (uint8_t)~IS_IDLE) == 0u ? POET_PORT_OK : POET_PORT_REFUSED;
}

/* A data block behind its token, and its checksum. */
static poet_port_status read_data(const poet_sd_card* card, uint8_t* into, uint32_t bytes) {
  uint8_t token = 0xFF;
  uint8_t sent[2] = {0, 0};
  poet_port_status status = skip(card, 0xFFu, READ_MS, &token);
  if (status != POET_PORT_OK) return status;
  if (token != DATA_TOKEN) return POET_PORT_REFUSED; /* an error token: 7.3.3.3 */
  status = exchange(card, NULL, into, bytes);
  if (status == POET_PORT_OK) status = exchange(card, NULL, sent, sizeof sent);
  if (status != POET_PORT_OK) return status;
  const uint32_t checksum = (uint32_t)sent[0] << 8 | sent[1];
  return poet_sd_crc16(0, into, bytes) == checksum ? POET_PORT_OK : POET_PORT_BAD_CHECKSUM;
}

/* A data block behind `token`, until the card has taken it. */
static poet_port_status write_data(const poet_sd_card* card, uint8_t token, const uint8_t* from) {
  const uint16_t crc = poet_sd_crc16(0, from, POET_SD_BLOCK_BYTES);
  const uint8_t begin[2] = {0xFF, token};
  const uint8_t checksum[2] = {(uint8_t)(crc >> 8), (uint8_t)crc};
  uint8_t response = 0;
  poet_port_status status = exchange(card, begin, NULL, sizeof begin);
  if (status == POET_PORT_OK) status = exchange(card, from, NULL, POET_SD_BLOCK_BYTES);
  if (status == POET_PORT_OK) status = exchange(card, checksum, NULL, sizeof checksum);
  if (status == POET_PORT_OK) status = exchange(card, NULL, &response, 1u);
  if (status != POET_PORT_OK) return status;
  /* It is busy after a refusal as well: 7.3.3.1 and 7.2.4. */
  const uint32_t answer = response & 0x1Fu;
  status = wait_ready(card);
  if (answer == DATA_CRC_ERROR) return POET_PORT_BAD_CHECKSUM;
  if (answer != ACCEPTED) return POET_PORT_REFUSED;
  return status;
}

/* What the card has to say about what it took: 7.3.2.3. */
static poet_port_status check_written(const poet_sd_card* card) {
  uint8_t second = 0xFF;
  poet_port_status status = begin_command(card, SD_SEND_STATUS, 0);
  if (status == POET_PORT_OK) status = exchange(card, NULL, &second, 1u);
  end_command(card);
  if (status != POET_PORT_OK) return status;
  return second == 0u ? POET_PORT_OK : POET_PORT_REFUSED;
}

/* Ends a transfer of several blocks, also after one that failed. What the card answers says nothing
 * of the blocks that are here: behind its last one it may complain of the next. */
static poet_port_status end_several(const poet_sd_card* card, int32_t reads,
                                    poet_port_status status) {
  const uint8_t stop[2] = {STOP_TOKEN, 0xFF};
  uint8_t r1 = 0;
  /* After a block that was refused, a card that is written wants the command as well: 7.2.4. */
  const poet_port_status stopped = reads || status != POET_PORT_OK
                                       ? command(card, SD_STOP_TRANSMISSION, 0, &r1)
                                       : exchange(card, stop, NULL, sizeof stop);
  const poet_port_status ready = stopped == POET_PORT_OK ? wait_ready(card) : stopped;
  return status == POET_PORT_OK ? ready : status;
}

/* Until all is moved or a block fails. */
static poet_port_status move_blocks(const poet_sd_card* card, const poet_sd_move* move,
                                    uint32_t* done) {
  const uint8_t token = move->count > 1u ? WRITE_BLOCKS_TOKEN : DATA_TOKEN;
  poet_port_status status = POET_PORT_OK;
  for (*done = 0; *done < move->count; *done += 1u) {
    const uint32_t at = *done * POET_SD_BLOCK_BYTES;
    status = poet_sd_reads(move) ? read_data(card, move->into + at, POET_SD_BLOCK_BYTES)
                                 : write_data(card, token, move->from + at);
    if (status != POET_PORT_OK) return status;
  }
  return status;
}

static uint32_t command_of(const poet_sd_move* move) {
  if (poet_sd_reads(move)) return move->count > 1u ? SD_READ_BLOCKS : SD_READ_BLOCK;
  return move->count > 1u ? SD_WRITE_BLOCKS : SD_WRITE_BLOCK;
}

static poet_port_status run(void* user, const poet_sd_move* move, uint32_t* done) {
  const poet_sd_card* const card = (const poet_sd_card*)user;
  const int32_t reads = poet_sd_reads(move);
  poet_port_status status = begin_command(card, (uint8_t)command_of(move),
                                          poet_sd_address(card->addresses_blocks, move->first));
  if (status == POET_PORT_OK) {
    status = move_blocks(card, move, done);
    if (move->count > 1u) status = end_several(card, reads, status);
  }
  end_command(card);
  if (reads || status != POET_PORT_OK) return status;
  status = check_written(card);
  if (status != POET_PORT_OK) *done = 0; /* what it did not say is not known */
  return status;
}

static int32_t may_repeat(void* user, poet_port_status status) {
  (void)user;
  return status == POET_PORT_BAD_CHECKSUM;
}

poet_port_status poet_sd_read(poet_sd_card* card, uint32_t first, uint8_t* into, uint32_t count) {
  const poet_sd_move move = {first, count, into, NULL};
  return poet_sd_move_all(card, card->blocks.count, move, run, may_repeat);
}

poet_port_status poet_sd_write(poet_sd_card* card, uint32_t first, const uint8_t* from,
                               uint32_t count) {
  const poet_sd_move move = {first, count, NULL, from};
  return poet_sd_move_all(card, card->blocks.count, move, run, may_repeat);
}

/* --- How a card begins: 7.2.1. */

/* Until it answers as a card that is idle. One that was cut off within a block takes the first
 * commands for data. */
static poet_port_status reset(const poet_sd_card* card) {
  poet_port_status status = POET_PORT_NO_CARD;
  for (int32_t left = RESETS; left > 0; --left) {
    uint8_t r1 = 0xFF;
    card->bus->select(card->bus->user, 1);
    status = command(card, SD_GO_IDLE, 0, &r1);
    const int32_t is_idle = status == POET_PORT_OK && r1 == IS_IDLE;
    /* What is still sent from a read, or wanted of a write. */
    if (!is_idle && status != POET_PORT_BUS)
      status = exchange(card, NULL, NULL, POET_SD_BLOCK_BYTES + 2u);
    end_command(card);
    if (status == POET_PORT_BUS || is_idle) return status;
  }
  return POET_PORT_NO_CARD;
}

/* A command with four bytes behind its response. */
static poet_port_status command_of_four(const poet_sd_card* card, uint8_t index, uint32_t argument,
                                        uint8_t* r1, uint8_t* four) {
  card->bus->select(card->bus->user, 1);
  poet_port_status status = command(card, index, argument, r1);
  if (status == POET_PORT_OK && (*r1 & ILLEGAL_COMMAND) == 0u)
    status = exchange(card, NULL, four, 4u);
  end_command(card);
  return status;
}

static poet_port_status simple_command(const poet_sd_card* card, uint8_t index, uint32_t argument) {
  const poet_port_status status = begin_command(card, index, argument);
  end_command(card);
  return status;
}

/* Whether the card knows the second version, and works at 2.7 to 3.6 V: 7.2.1 and 4.3.13. */
static poet_port_status ask_version(const poet_sd_card* card, int32_t* is_second) {
  const uint32_t voltage_and_pattern = 0x1AAu;
  uint8_t r1 = 0xFF;
  uint8_t echo[4] = {0, 0, 0, 0};
  const poet_port_status status =
      command_of_four(card, SD_SEND_IF_COND, voltage_and_pattern, &r1, echo);
  if (status != POET_PORT_OK) return status;
  *is_second = (r1 & ILLEGAL_COMMAND) == 0u;
  if (*is_second == 0) return POET_PORT_OK;
  return (echo[2] & 0x0Fu) == 0x01u && echo[3] == 0xAAu ? POET_PORT_OK : POET_PORT_UNUSABLE;
}

static poet_port_status wait_initialised(const poet_sd_card* card, int32_t is_second) {
  const uint32_t high_capacity = is_second ? 1u << 30 : 0u;
  /* A command and its response are a dozen bytes at least. */
  for (uint32_t left = READY_MS * card->bytes_in_ms / 12u + 1u; left > 0u; --left) {
    uint8_t r1 = 0xFF;
    poet_port_status status = simple_command(card, SD_APP_COMMAND, 0);
    if (status == POET_PORT_REFUSED) return POET_PORT_UNUSABLE; /* a MultiMediaCard */
    if (status != POET_PORT_OK) return status;
    card->bus->select(card->bus->user, 1);
    status = command(card, SD_APP_OP_COND, high_capacity, &r1);
    end_command(card);
    if (status != POET_PORT_OK) return status;
    if (r1 == 0u) return POET_PORT_OK;
    if (r1 != IS_IDLE) return POET_PORT_UNUSABLE;
  }
  return POET_PORT_TIMEOUT;
}

static poet_port_status read_size(poet_sd_card* card) {
  uint8_t csd[16];
  poet_port_status status = begin_command(card, SD_SEND_CSD, 0);
  if (status == POET_PORT_OK) status = read_data(card, csd, sizeof csd);
  end_command(card);
  if (status != POET_PORT_OK) return status;
  return poet_sd_size(csd, card->addresses_blocks, &card->blocks.count);
}

static poet_port_status initialise(poet_sd_card* card) {
  int32_t is_second = 0;
  uint8_t r1 = 0xFF;
  uint8_t conditions[4] = {0, 0, 0, 0};
  poet_port_status status = reset(card);
  if (status == POET_PORT_OK) status = ask_version(card, &is_second);
  if (status == POET_PORT_OK) status = simple_command(card, SD_CRC_ON_OFF, 1u);
  if (status == POET_PORT_OK) status = wait_initialised(card, is_second);
  if (status == POET_PORT_OK) status = command_of_four(card, SD_READ_OCR, 0, &r1, conditions);
  if (status != POET_PORT_OK) return status;
  card->addresses_blocks = is_second && (conditions[0] & 0x40u) != 0u;
  if (!card->addresses_blocks) status = simple_command(card, SD_SET_BLOCKLEN, POET_SD_BLOCK_BYTES);
  return status == POET_PORT_OK ? read_size(card) : status;
}

poet_port_status poet_sd_open(poet_sd_card* card, const poet_sd_bus* bus) {
  card->bus = bus;
  card->blocks.count = 0;
  card->addresses_blocks = 0;
  set_speed(card, SD_SLOW_HZ);
  /* At least 74 clocks for a card that was just given power: 6.4.1. */
  bus->select(bus->user, 0);
  poet_port_status status = exchange(card, NULL, NULL, 10u);
  if (status == POET_PORT_OK) status = initialise(card);
  if (status != POET_PORT_OK) {
    card->blocks.count = 0;
    return status;
  }
  set_speed(card, FAST_HZ);
  return POET_PORT_OK;
}

static poet_port_status read_card(void* user, uint32_t first, uint8_t* into, uint32_t count) {
  return poet_sd_read((poet_sd_card*)user, first, into, count);
}

static poet_port_status write_card(void* user, uint32_t first, const uint8_t* from,
                                   uint32_t count) {
  return poet_sd_write((poet_sd_card*)user, first, from, count);
}

poet_port_status poet_sd_storage(poet_sd_card* card, const poet_sd_bus* bus,
                                 poet_storage* storage) {
  const poet_port_status status = poet_sd_open(card, bus);
  card->blocks.user = card;
  card->blocks.block_bytes = POET_SD_BLOCK_BYTES;
  card->blocks.buffer = card->buffer;
  card->blocks.read = read_card;
  card->blocks.write = write_card;
  poet_blocks_storage(&card->blocks, storage);
  card->blocks.problem = status;
  return status;
}
