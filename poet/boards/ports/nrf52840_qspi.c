/* The nRF52840 with flash on QSPI, as the MX25R6435F of Nordic's development kit: pins P0.17
 * (select), P0.19 (clock), P0.20 and P0.21 (to it and back), P0.22 and P0.23 (held high).
 * Registers: Nordic Semiconductor, "nRF52840 Product Specification" 1.7, section 6.19 "QSPI".
 * Instructions are those that flash chips have in common (JESD216): 05h, 9Fh, and 4-KiB sectors.
 *
 * Flash is erased by sectors of 4 KiB: export with --storage-block 4KiB, as --port does by itself.
 * A training that writes to flash wears it out where it writes; the project's README has how fast.
 * Data go over one wire each way: four would want a bit in the flash that each maker has elsewhere.
 */
#include <stddef.h>
#include <string.h>

#include "poet/boards/ports/blocks.h"
#include "poet/boards/ports/registers.h"

#ifndef POET_PORT_SELECT
#define POET_PORT_SELECT 17u
#endif
#ifndef POET_PORT_SCK
#define POET_PORT_SCK 19u
#endif
#ifndef POET_PORT_IO0
#define POET_PORT_IO0 20u
#endif
#ifndef POET_PORT_IO1
#define POET_PORT_IO1 21u
#endif
#ifndef POET_PORT_IO2
#define POET_PORT_IO2 22u
#endif
#ifndef POET_PORT_IO3
#define POET_PORT_IO3 23u
#endif

enum { QSPI = 0x40029000 };
enum {
  ACTIVATE = 0x000,
  READ_START = 0x004,
  WRITE_START = 0x008,
  ERASE_START = 0x00C,
  READY = 0x100, /* an event */
  ENABLE = 0x500,
  READ_SRC = 0x504,
  READ_DST = 0x508,
  READ_CNT = 0x50C,
  WRITE_DST = 0x510,
  WRITE_SRC = 0x514,
  WRITE_CNT = 0x518,
  ERASE_PTR = 0x51C,
  ERASE_LEN = 0x520,
  PSEL_SCK = 0x524,
  PSEL_CSN = 0x528,
  PSEL_IO0 = 0x530,
  PSEL_IO1 = 0x534,
  PSEL_IO2 = 0x538,
  PSEL_IO3 = 0x53C,
  IFCONFIG0 = 0x544,
  IFCONFIG1 = 0x600,
  CINSTRCONF = 0x634,
  CINSTRDAT0 = 0x638
};
/* FASTREAD and PP, 24 bits of address, pages of 256 bytes: all 0. */
enum { PLAIN_INSTRUCTIONS = 0u };
/* 32 MHz / (1 + SCKFREQ), mode 0; one cycle of 16 MHz between instructions. */
enum { SCK_16MHZ = 1u << 28, SCK_DELAY = 1u };
enum { INSTRUCTION_LENGTH = 8u, IO2_HIGH = 1u << 12, IO3_HIGH = 1u << 13 }; /* of CINSTRCONF */
enum { READ_STATUS = 0x05u, READ_ID = 0x9Fu };                              /* of the flash */
enum { WRITE_IN_PROGRESS = 1u << 0 };                                       /* of its status */
enum { SECTOR_BYTES = 4096, SMALLEST_BITS = 12, LARGEST_BITS = 24 };        /* 24 bits of address */
/* A sector takes 400 ms at most where these flash chips are specified; a look at its status over
 * two bytes of 16 MHz and some microseconds of instructions. */
enum { LOOKS = 4000000u, STATUS_LOOKS = 400000u };

static poet_blocks blocks;
/* Words of it: EasyDMA reads and writes whole ones. */
static uint32_t buffer[SECTOR_BYTES / 4];

static poet_port_status start(uint32_t task) {
  poet_write_register(QSPI + READY, 0);
  __asm__ volatile("dsb" ::: "memory");
  poet_write_register(QSPI + task, 1u);
  const int32_t is_ready = poet_wait_bits(QSPI + READY, 1u, 1u, LOOKS);
  __asm__ volatile("dsb" ::: "memory");
  return is_ready ? POET_PORT_OK : POET_PORT_BUS;
}

/* An instruction of one byte with up to four bytes in return. */
static poet_port_status instruct(uint32_t code, uint32_t bytes, uint32_t* answer) {
  poet_write_register(QSPI + READY, 0);
  poet_write_register(QSPI + CINSTRCONF,
                      code | (bytes + 1u) << INSTRUCTION_LENGTH | IO2_HIGH | IO3_HIGH);
  if (!poet_wait_bits(QSPI + READY, 1u, 1u, LOOKS)) return POET_PORT_BUS;
  *answer = poet_read_register(QSPI + CINSTRDAT0);
  return POET_PORT_OK;
}

/* Erasing and writing go on after the instruction was sent. */
static poet_port_status wait_written(void) {
  for (uint32_t left = STATUS_LOOKS; left > 0u; --left) {
    uint32_t state = 0;
    const poet_port_status status = instruct(READ_STATUS, 1u, &state);
    if (status != POET_PORT_OK) return status;
    if ((state & WRITE_IN_PROGRESS) == 0u) return POET_PORT_OK;
  }
  return POET_PORT_TIMEOUT;
}

/* EasyDMA moves whole words between places that are words, and reaches RAM alone. */
static int32_t can_move(const void* place) {
  const uint32_t address = (uint32_t)(uintptr_t)place;
  return address >> 28 == 2u && address % 4u == 0u;
}

static poet_port_status read_sector(uint32_t sector, void* into) {
  poet_write_register(QSPI + READ_SRC, sector * SECTOR_BYTES);
  poet_write_register(QSPI + READ_DST, (uint32_t)(uintptr_t)into);
  poet_write_register(QSPI + READ_CNT, SECTOR_BYTES);
  return start(READ_START);
}

static poet_port_status read_flash(void* user, uint32_t first, uint8_t* into, uint32_t count) {
  (void)user;
  for (uint32_t i = 0; i < count; ++i, into += SECTOR_BYTES) {
    const int32_t moves = can_move(into);
    const poet_port_status status = read_sector(first + i, moves ? (void*)into : (void*)buffer);
    if (status != POET_PORT_OK) return status;
    if (!moves) memcpy(into, buffer, SECTOR_BYTES);
  }
  return POET_PORT_OK;
}

static poet_port_status erase_sector(uint32_t sector) {
  poet_write_register(QSPI + ERASE_PTR, sector * SECTOR_BYTES);
  poet_write_register(QSPI + ERASE_LEN, 0); /* 4 KiB */
  const poet_port_status status = start(ERASE_START);
  return status == POET_PORT_OK ? wait_written() : status;
}

static poet_port_status write_sector(uint32_t sector, const void* from) {
  poet_write_register(QSPI + WRITE_DST, sector * SECTOR_BYTES);
  poet_write_register(QSPI + WRITE_SRC, (uint32_t)(uintptr_t)from);
  poet_write_register(QSPI + WRITE_CNT, SECTOR_BYTES);
  const poet_port_status status = start(WRITE_START);
  return status == POET_PORT_OK ? wait_written() : status;
}

/* Whether the flash holds what was written. Flash that is worn out says nothing by itself. */
static poet_port_status check_sector(uint32_t sector, const uint8_t* from) {
  uint32_t piece[16];
  for (uint32_t at = 0; at < SECTOR_BYTES; at += (uint32_t)sizeof piece) {
    poet_write_register(QSPI + READ_SRC, sector * SECTOR_BYTES + at);
    poet_write_register(QSPI + READ_DST, (uint32_t)(uintptr_t)piece);
    poet_write_register(QSPI + READ_CNT, (uint32_t)sizeof piece);
    const poet_port_status status = start(READ_START);
    if (status != POET_PORT_OK) return status;
    if (memcmp(piece, from + at, sizeof piece) != 0) return POET_PORT_REFUSED;
  }
  return POET_PORT_OK;
}

static poet_port_status write_flash(void* user, uint32_t first, const uint8_t* from,
                                    uint32_t count) {
  (void)user;
  for (uint32_t i = 0; i < count; ++i, from += SECTOR_BYTES) {
    const void* source = from;
    if (!can_move(from)) {
      memcpy(buffer, from, SECTOR_BYTES);
      source = buffer;
    }
    poet_port_status status = erase_sector(first + i);
    if (status == POET_PORT_OK) status = write_sector(first + i, source);
    if (status == POET_PORT_OK) status = check_sector(first + i, from);
    if (status != POET_PORT_OK) return status;
  }
  return POET_PORT_OK;
}

static poet_port_status begin(void) {
  poet_write_register(QSPI + PSEL_SCK, POET_PORT_SCK);
  poet_write_register(QSPI + PSEL_CSN, POET_PORT_SELECT);
  poet_write_register(QSPI + PSEL_IO0, POET_PORT_IO0);
  poet_write_register(QSPI + PSEL_IO1, POET_PORT_IO1);
  poet_write_register(QSPI + PSEL_IO2, POET_PORT_IO2);
  poet_write_register(QSPI + PSEL_IO3, POET_PORT_IO3);
  poet_write_register(QSPI + IFCONFIG0, PLAIN_INSTRUCTIONS);
  poet_write_register(QSPI + IFCONFIG1, SCK_16MHZ | SCK_DELAY);
  poet_write_register(QSPI + ENABLE, 1u);
  return start(ACTIVATE);
}

/* The third byte of the identity is the capacity's power of two. */
static poet_port_status find_flash(void) {
  uint32_t identity = 0;
  const poet_port_status status = instruct(READ_ID, 3u, &identity);
  const uint32_t maker = identity & 0xFFu;
  const uint32_t bits = identity >> 16 & 0xFFu;
  if (status != POET_PORT_OK) return status;
  if (maker == 0x00u || maker == 0xFFu) return POET_PORT_NO_CARD;
  if (bits < SMALLEST_BITS || bits > LARGEST_BITS) return POET_PORT_UNUSABLE;
  blocks.count = (1u << bits) / SECTOR_BYTES;
  return POET_PORT_OK;
}

poet_port_status poet_port_open(poet_storage* storage) {
  blocks.block_bytes = SECTOR_BYTES;
  blocks.count = 0;
  blocks.buffer = (uint8_t*)buffer;
  blocks.read = read_flash;
  blocks.write = write_flash;
  poet_blocks_storage(&blocks, storage);
  poet_port_status status = begin();
  if (status == POET_PORT_OK) status = find_flash();
  if (status == POET_PORT_OK) status = wait_written(); /* of what was cut off */
  blocks.problem = status;
  return status;
}

poet_port_status poet_port_problem(void) {
  return blocks.problem;
}
