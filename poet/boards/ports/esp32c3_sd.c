/* The ESP32-C3 with an SD card on SPI2: by default pins 2 (from the card), 6 (clock), 7 (to it) and
 * 10 (select). Registers: Espressif, "ESP32-C3 Technical Reference Manual", chapters "System
 * Registers", "IO MUX and GPIO Matrix" and "SPI Controller". For a program without an operating
 * system: under ESP-IDF, its own driver has the SPI (--project esp-idf). */
#include <stddef.h>

#include "poet/boards/ports/registers.h"
#include "poet/boards/ports/sd_spi.h"

#ifndef POET_PORT_MISO
#define POET_PORT_MISO 2u
#endif
#ifndef POET_PORT_SCK
#define POET_PORT_SCK 6u
#endif
#ifndef POET_PORT_MOSI
#define POET_PORT_MOSI 7u
#endif
#ifndef POET_PORT_SELECT
#define POET_PORT_SELECT 10u
#endif

enum { SYSTEM = 0x600C0000, CLOCKS = SYSTEM + 0x10, RESETS = SYSTEM + 0x18, SPI2_BIT = 1u << 6 };
enum { GPIO = 0x60004000, OUT_SET = 0x08, OUT_CLEAR = 0x0C, OUTPUT_SET = 0x24 };
enum { IN_SELECT = 0x154, OUT_SELECT = 0x554 }; /* of signals, of pins */
enum { CLOCK_SIGNAL = 63, FROM_CARD_SIGNAL = 64, TO_CARD_SIGNAL = 65, PLAIN_SIGNAL = 128 };
enum { FROM_MATRIX = 1u << 6 }; /* of a signal's input */
enum {
  IO_MUX = 0x60009004,
  PULL_UP = 1u << 8,
  IS_INPUT = 1u << 9,
  DRIVE = 2u << 10,
  MATRIX = 1u << 12
};
enum { /* of SPI2 */
       SPI2 = 0x60024000,
       CMD = 0x00,
       CTRL = 0x08,
       CLOCK = 0x0C,
       USER = 0x10,
       USER1 = 0x14,
       MS_DLEN = 0x1C,
       MISC = 0x20,
       DMA_CONF = 0x30,
       DATA = 0x98, /* sixteen words */
       SLAVE = 0xE0,
       CLOCK_GATE = 0xE8
};
enum { UPDATE = 1u << 23, RUN = 1u << 24 };                             /* of CMD */
enum { RECEIVES = 1u << 28, SENDS = 1u << 27, BOTH_AT_ONCE = 1u << 0 }; /* of USER */
enum { GATE_ON = 1u << 0, IS_DRIVEN = 1u << 1, BY_PLL = 1u << 2 };      /* 80 MHz */
enum { NO_SELECT = 0x3Fu };                                             /* of MISC */
enum { EMPTY_RECEIVER = 1u << 29, EMPTY_BUFFER = 1u << 30 };            /* of DMA_CONF */
enum { BUFFER_BYTES = 64, DRIVER_HZ = 80000000, LOOKS = 4000000 };

static void select_card(void* user, int32_t is_selected) {
  (void)user;
  poet_write_register(GPIO + (is_selected ? (uint32_t)OUT_CLEAR : (uint32_t)OUT_SET),
                      1u << POET_PORT_SELECT);
}

/* Settings count once the SPI has been told of them. */
static int32_t update(void) {
  poet_set_bits(SPI2 + CMD, UPDATE);
  return poet_wait_bits(SPI2 + CMD, UPDATE, 0, LOOKS) ? 0 : -1;
}

/* 80 MHz / (CLKDIV_PRE + 1) / (CLKCNT_N + 1), high for half of it. */
static uint32_t set_speed(void* user, uint32_t hz) {
  const uint32_t divisor = 4u;
  uint32_t before = 1;
  (void)user;
  while (before < 16u && DRIVER_HZ / divisor / before > hz) ++before;
  uint32_t count = divisor;
  while (count < 64u && DRIVER_HZ / count / before > hz) ++count;
  poet_write_register(SPI2 + CLOCK, (before - 1u) << 18 | (count - 1u) << 12 |
                                        (count / 2u - 1u) << 6 | (count - 1u));
  (void)update();
  return DRIVER_HZ / count / before;
}

static uint32_t word_of(const uint8_t* out, uint32_t bytes) {
  uint32_t word = 0xFFFFFFFFu;
  if (out == NULL) return word;
  for (uint32_t i = 0; i < 4u && i < bytes; ++i)
    word = (word & ~(0xFFu << (8u * i))) | (uint32_t)out[i] << (8u * i);
  return word;
}

static int32_t exchange_buffer(const uint8_t* out, uint8_t* in, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; at += 4u)
    poet_write_register(SPI2 + DATA + at, word_of(out == NULL ? NULL : out + at, bytes - at));
  poet_write_register(SPI2 + MS_DLEN, 8u * bytes - 1u);
  poet_set_bits(SPI2 + DMA_CONF, EMPTY_RECEIVER | EMPTY_BUFFER);
  poet_put_bits(SPI2 + DMA_CONF, EMPTY_RECEIVER | EMPTY_BUFFER, 0);
  if (update() != 0) return -1;
  poet_set_bits(SPI2 + CMD, RUN);
  if (!poet_wait_bits(SPI2 + CMD, RUN, 0, LOOKS)) return -1;
  if (in == NULL) return 0;
  for (uint32_t at = 0; at < bytes; ++at)
    in[at] = (uint8_t)(poet_read_register(SPI2 + DATA + (at & ~3u)) >> (8u * (at & 3u)));
  return 0;
}

static int32_t exchange(void* user, const uint8_t* out, uint8_t* in, uint32_t bytes) {
  (void)user;
  while (bytes > 0u) {
    const uint32_t piece = bytes < BUFFER_BYTES ? bytes : (uint32_t)BUFFER_BYTES;
    if (exchange_buffer(out, in, piece) != 0) return -1;
    if (out != NULL) out += piece;
    if (in != NULL) in += piece;
    bytes -= piece;
  }
  return 0;
}

static const poet_sd_bus bus = {NULL, select_card, set_speed, exchange};
static poet_sd_card card;

static void set_output(uint32_t pin, uint32_t signal) {
  poet_write_register(GPIO + OUT_SELECT + 4u * pin, signal);
  poet_write_register(IO_MUX + 4u * pin, MATRIX | DRIVE);
  poet_write_register(GPIO + OUTPUT_SET, 1u << pin);
}

static void set_pins(void) {
  select_card(NULL, 0);
  set_output(POET_PORT_SELECT, PLAIN_SIGNAL);
  set_output(POET_PORT_SCK, CLOCK_SIGNAL);
  set_output(POET_PORT_MOSI, TO_CARD_SIGNAL);
  poet_write_register(IO_MUX + 4u * POET_PORT_MISO, MATRIX | IS_INPUT | PULL_UP);
  poet_write_register(GPIO + IN_SELECT + 4u * FROM_CARD_SIGNAL, FROM_MATRIX | POET_PORT_MISO);
}

static int32_t start_spi(void) {
  poet_set_bits(CLOCKS, SPI2_BIT);
  poet_set_bits(RESETS, SPI2_BIT);
  poet_put_bits(RESETS, SPI2_BIT, 0);
  poet_write_register(SPI2 + CLOCK_GATE, GATE_ON | IS_DRIVEN | BY_PLL);
  poet_write_register(SPI2 + SLAVE, 0); /* a master, mode 0 */
  poet_write_register(SPI2 + CTRL, 0);  /* one wire each way, most significant bit first */
  poet_write_register(SPI2 + USER, SENDS | RECEIVES | BOTH_AT_ONCE);
  poet_write_register(SPI2 + USER1, 0);
  poet_write_register(SPI2 + MISC, NO_SELECT); /* the pin is ours */
  poet_write_register(SPI2 + DMA_CONF, 0);
  return update();
}

poet_port_status poet_port_open(poet_storage* storage) {
  set_pins();
  if (start_spi() != 0) return POET_PORT_BUS;
  return poet_sd_storage(&card, &bus, storage);
}

poet_port_status poet_port_problem(void) {
  return card.blocks.problem;
}
